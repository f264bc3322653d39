"""Whether a script may make queues besides those of the pipelines that were found in it.

The script was run up to its first session call. A graph that it builds after that, or a queue of
its own, still needs queue runners.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from queueio.compat.caller import is_written_by_queueio
from queueio.convert.dependence import BATCHES
from queueio.convert.source import last_part

_QUEUES = {"QueueRunner", "add_queue_runner", "FIFOQueue", "RandomShuffleQueue",
           "PaddingFIFOQueue", "PriorityQueue", "bucket", "bucket_by_sequence_length"}  # fmt: skip

_WHOLE = "__init__"


def more_queues(text: str, folder: Path | None, package: str = "") -> str:
    """The first call that may make one, as ``line 7: `…` `` or with its file; "" where none does.

    Args:
      text: the script, without the calls that are replaced.
      folder: that of the script, whose modules it may import; None to look at none.
      package: the dotted name of the package in that folder which the script is in, if it is.
    """
    for name, tree in files_of(text, folder, package):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _makes_queue(node):
                shown = ast.unparse(node)
                shown = shown if len(shown) < 60 else f"{shown[:60]}…"
                return f"{name}, line {node.lineno}: `{shown}`".removeprefix(", ")
    return ""


def files_of(text: str, folder: Path | None, package: str = "") -> Iterator[tuple[str, ast.Module]]:
    """The tree of a script, its name as "", and of each file beside it that it imports.

    Args:
      text: the script.
      folder: where these files lie; None to look at none.
      package: the dotted name of the package in that folder which the script is in, if it is.
    """
    home = folder.joinpath(*package.split(".")) if folder else None
    waiting: list[tuple[str, str | bytes, Path | None]] = [("", text, home)]
    seen = set[Path]()
    for name, code, home in waiting:
        try:
            tree = ast.parse(code)
        except (SyntaxError, ValueError):  # no Python 3, or not in the encoding that it declares
            continue
        yield name, tree
        for path in _imported(tree, folder, home) if folder and home else ():
            if path not in seen:
                seen.add(path)
                shown = path.parent.name + "/" + path.name if path.stem == _WHOLE else path.name
                waiting.append((shown, path.read_bytes(), path.parent))


def _imported(tree: ast.Module, folder: Path, home: Path) -> Iterator[Path]:
    """The files of the user's that a module in `home` imports from the script's folder."""
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        base = folder
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
            base = [home, *home.parents][node.level - 1] if node.level else folder
        for parts in (name.strip(".").split(".") for name in names):
            for depth in range(1, len(parts) + 1):  # what a package does when it is imported, too
                path = base.joinpath(*parts[:depth])
                for file in (path.with_suffix(".py"), path / f"{_WHOLE}.py"):
                    if parts[0] and file.is_file() and not is_written_by_queueio(str(file)):
                        yield file


def _makes_queue(call: ast.Call) -> bool:
    name = last_part(call.func)
    if name in BATCHES and isinstance(call.func, ast.Attribute):  # of tf.train, not of a dataset
        return last_part(call.func.value) == "train"
    return name in BATCHES or name in _QUEUES
