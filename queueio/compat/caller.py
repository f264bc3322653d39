"""Which file is the user's own, and which of its lines is running."""

from __future__ import annotations

import functools
import importlib.util
import linecache
import os
import sys
import sysconfig
from types import FrameType

_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_PACKAGES = ("queueio", "tensorflow", "keras", "tf_keras", "numpy", "absl", "click")


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
    if filename.startswith("<"):
        return False
    path = os.path.abspath(filename)
    if any(part in path for part in _INSTALLED):
        return False
    return not path.startswith(_library_folders())


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame, from `frame` outwards, that runs the user's own code."""
    while frame is not None and not is_user_code(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def user_line() -> str:
    """The line of the user's code that is running, as `train.py:12: code`; "" if there is none."""
    frame = user_frame(sys._getframe(1))
    if frame is None:
        return ""
    return describe_line(frame.f_code.co_filename, frame.f_lineno)


def describe_line(filename: str, lineno: int) -> str:
    """A line of a source file, as `train.py:12: code`."""
    code = linecache.getline(filename, lineno).strip()
    where = f"{os.path.basename(filename)}:{lineno}"
    return f"{where}: {code}" if code else where
