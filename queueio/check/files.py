"""The files of a code base, and which of them an import means."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from queueio.check.names import OwnModule
from queueio.script.python2 import advice, is_python2


class CannotReadError(Exception):
    """A file whose names cannot be told; the text says why.

    Attributes:
      line: where reading ended, or None.
      is_python2: whether that is because it is a file of Python 2.
    """

    def __init__(self, text: str, line: int | None = None, is_python2: bool = False) -> None:
        super().__init__(text)
        self.line, self.is_python2 = line, is_python2


def python_files(root: Path) -> list[Path]:
    """All `.py` files below a folder, sorted; the file itself where `root` is one.

    Hidden folders and virtual environments are left out. A folder that may not be read stands for
    its files.
    """
    return [root] if root.is_file() else sorted(_below(root))


def _below(root: Path) -> Iterator[Path]:
    closed: list[OSError] = []
    for folder, folders, files in os.walk(root, onerror=closed.append):
        folders[:] = [name for name in folders if not _is_left_out(Path(folder, name))]
        for name in files:
            if name.endswith(".py") and Path(folder, name).is_file():
                yield Path(folder, name)
    yield from (Path(error.filename) for error in closed)


def _is_left_out(folder: Path) -> bool:
    hidden = folder.name.startswith(".") or folder.name == "__pycache__"
    return hidden or os.path.exists(folder / "pyvenv.cfg")  # not there where it may not be read


def parsed(path: Path) -> ast.Module:
    """A file as Python's tree.

    Raises:
      CannotReadError: it is no Python 3, or cannot be opened.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a "\d" in a string is no business of ours
            return ast.parse(path.read_bytes(), str(path))
    except SyntaxError as error:
        raise _syntax(path, error) from None
    except OSError as error:
        raise CannotReadError((error.strerror or str(error)).lower()) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise CannotReadError(f"Python cannot parse it: {error}") from None


def _syntax(path: Path, error: SyntaxError) -> CannotReadError:
    if is_python2(error):
        told = advice(str(path), error.lineno, error.text or "")
        return CannotReadError(told, error.lineno, is_python2=True)
    return CannotReadError(f"Python cannot parse it: {error.msg}", error.lineno or None)


def finder(file: Path, root: Path) -> Callable[[str, int], OwnModule | None]:
    """What an import in `file` means within the code base: `find("nets.vgg", 0)`.

    A script's folder is on Python's path, or the project's: the nearest that has the module counts.
    """
    folders = list(_import_roots(file, root))

    def find(dotted: str, level: int) -> OwnModule | None:
        parts = dotted.split(".") if dotted else []
        if level:
            return _module(file.parents[level - 1], parts) if level <= len(file.parents) else None
        return next((found for each in folders if (found := _module(each, parts))), None)

    return find


def _import_roots(file: Path, root: Path) -> Iterator[Path]:
    top = root if root.is_dir() else root.parent
    while (top / "__init__.py").exists() and top != top.parent:
        top = top.parent
    for folder in file.parents:
        yield folder
        if folder == top:
            return


def _module(folder: Path, parts: list[str]) -> OwnModule | None:
    found: OwnModule | None = OwnModule(folder / "__init__.py")
    for part in parts:
        found = below(found, part) if found else None
    return found


def below(own: OwnModule, name: str) -> OwnModule | None:
    """The module `name` of a package; a folder without `__init__.py` is one, too."""
    if own.path.name != "__init__.py":
        return None
    here = own.path.parent / name
    if here.with_suffix(".py").is_file():
        return OwnModule(here.with_suffix(".py"))
    return OwnModule(here / "__init__.py") if here.is_dir() else None
