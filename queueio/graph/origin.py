"""Where in the user's own code an op was made, and which of its lines is running.

A TensorFlow op remembers the Python stack of its creation. The innermost frame outside of
TensorFlow, Keras, the standard library and queueio is the line that the user wrote.
"""

from __future__ import annotations

import functools
import importlib.util
import linecache
import os
import sys
import sysconfig
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_PACKAGES = ("queueio", "tensorflow", "keras", "tf_keras", "numpy", "absl", "click")


CELLS: dict[str, str] = {}
"""Of files that are cells of a notebook: what a cell is called, as `cell 3`."""


def file_name(filename: str) -> str:
    """The name of a file without its folder; of a cell, what it is called."""
    return CELLS.get(filename) or os.path.basename(filename)


def place(filename: str, lines: object) -> str:
    """Lines of a file, as `train.py:12` or `cell 3, line 2`.

    Args:
      filename: the file's path.
      lines: a number, or a text as `2-5`.
    """
    return f"{file_name(filename)}{', line ' if filename in CELLS else ':'}{lines}"


@dataclass(frozen=True)
class Origin:
    """A line of the user's code; `filename` is None for ops of an imported graph."""

    filename: str | None
    lineno: int = 0
    code_line: str = ""

    def __str__(self) -> str:
        if self.filename is None:
            return "imported graph"
        where = place(self.filename, self.lineno)
        return f"{where}: {self.code_line}" if self.code_line else where


@functools.lru_cache(maxsize=1)
def _library_folders() -> tuple[str, ...]:
    """The standard library, and the folders of the packages that may lie outside site-packages.

    Only whole package folders count: a project may well live below a folder called tensorflow.
    """
    paths = sysconfig.get_paths()
    folders = {paths["stdlib"], paths["platstdlib"]}
    for package in _PACKAGES:
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            folders.add(folder)
    # Real paths as well: a virtual environment reaches the standard library through links.
    folders |= {os.path.realpath(folder) for folder in folders}
    return tuple(os.path.abspath(folder) + os.sep for folder in folders)


@functools.lru_cache(maxsize=8192)
def is_user_code(filename: str) -> bool:
    """Whether a source file is the user's own: neither installed, nor of Python, nor ours.

    Args:
      filename: as in a code object's `co_filename`; names such as `<string>` are nobody's.
    """
    if filename in CELLS:
        return True
    if filename.startswith("<"):
        return False
    path = os.path.abspath(filename)
    if any(part in path for part in _INSTALLED):
        return False
    return not path.startswith(_library_folders())


def is_library(filename: str) -> bool:
    """Whether a source file belongs to a library rather than to the user's program.

    Code without a file (`<stdin>`, a cell of a notebook) is the user's.
    """
    if filename.startswith("<"):
        return filename.startswith(("<frozen", "<attrs"))
    return not is_user_code(filename)


def origin(op: Any) -> Origin:
    """The line of the user's code that made `op`.

    Args:
      op: a `tf.Operation` (or anything with an `op`, such as a tensor) of a graph, built by
        queueio, by stock TensorFlow, or imported from a MetaGraph.

    Returns:
      The innermost frame that is the user's own; for an op without one (an imported graph), an
      `Origin` whose text says so.
    """
    op = getattr(op, "op", op)
    try:
        frames = list(op.traceback or ())
    except (AttributeError, TypeError, ValueError):
        frames = []
    imported = False
    for frame in reversed(frames):
        imported = imported or frame.name in ("import_graph_def", "import_meta_graph")
        if imported:
            break
        if not is_library(frame.filename):
            code = frame.line or linecache.getline(frame.filename, frame.lineno)
            return Origin(frame.filename, frame.lineno or 0, code.strip())
    return Origin(None)


def line_at(filename: str, lineno: int) -> Origin:
    """A line of a source file."""
    return Origin(filename, lineno, linecache.getline(filename, lineno).strip())


def user_line() -> str:
    """The line of the user's code that is running, as `train.py:12: code`; "" if there is none."""
    return str(_line_of(sys._getframe(1), is_user_code) or "")


def line_of_thread(ident: int) -> Origin | None:
    """The line of the user's code that a thread is in; None when there is none."""
    return _line_of(sys._current_frames().get(ident), lambda filename: not is_library(filename))


def warn_at(site: Origin | None, text: str, category: type[Warning]) -> None:
    """Warns at a line of the user's, as `line_of_thread` finds it; at an unknown one for None."""
    file, line = (site.filename, site.lineno) if site else (None, 0)
    warnings.warn_explicit(text, category, file or "<unknown>", line)


def _line_of(frame: FrameType | None, is_users: Callable[[str], bool]) -> Origin | None:
    """That of the innermost frame, from `frame` outwards, that is the user's own."""
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            return line_at(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return None
