"""Modules of a script that ask plain `tensorflow` for what only TensorFlow 1 had.

`queueio run` gives it to all of them. A changed script gets it by its own import line, and is then
started without that, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from queueio.convert.other_queues import files_of
from queueio.script.hidden_modules import hiding

_ROOT = "tensorflow"
_GONE = f"{_ROOT}.contrib"
_SLOW = "keras"
"""What takes seconds to load; it is there in both."""


def asking_version_1(text: str, folder: Path | None, package: str = "") -> list[str]:
    """The first such name of each module, with its line and what to do.

    Args:
      text: the script.
      folder: where the modules lie that it imports; None to look at none.
      package: the dotted name of the package in that folder which the script is in, if it is.
    """
    modules = [(name, tree) for name, tree in files_of(text, folder, package) if name]
    asked = [(name, min(_asked(tree), default=None)) for name, tree in modules]
    return [
        f"{name}, line {first[0]}: `{first[1]}` is TensorFlow 1's, which `import tensorflow` gives"
        " there under `queueio run` only; start the script by that, or `queueio upgrade` the"
        " module as well"
        for name, first in asked
        if first
    ]


def hidden_from_tensorflow(folder: Path | None) -> list[str]:
    """The modules of Python's that files in the script's folder hide, each with what to do."""
    return [
        f"{name}: a script started there gets it in place of Python's own module, which"
        " TensorFlow imports; give that file another name"
        for name in (hiding(str(folder)) if folder else ())
    ]


def _asked(tree: ast.Module) -> Iterator[tuple[int, str]]:
    names = _plain(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            root, *parts = ast.unparse(node).split(".")
            if root in names and not _is_there(parts):
                yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if f"{alias.name}.".startswith(f"{_GONE}."):
                    yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                if f"{node.module}.{alias.name}.".startswith(f"{_GONE}.") or (
                    node.module == _ROOT and alias.name != "*" and not _is_there([alias.name])
                ):
                    yield node.lineno, f"{node.module}.{alias.name}"


def _plain(tree: ast.Module) -> set[str]:
    """The names that mean plain TensorFlow; none of those that another import gives as well."""
    bound: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                name, above = alias.name, getattr(node, "module", "")
                short = alias.asname or name.split(".")[0]
                whole = f"{above}.{name}" if above else name if alias.asname else short
                bound.setdefault(short, set()).add(whole)
    return {short for short, whole in bound.items() if whole == {_ROOT}}


def _is_there(parts: list[str]) -> bool:
    import tensorflow

    found = tensorflow
    for part in parts:
        if part == _SLOW:
            return True
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
        if not isinstance(found, type(tensorflow)):
            return True
    return True
