"""A file of the project's that has the name of a module that TensorFlow imports.

A project of Python 2's time may well have a `queue.py` or a `statistics.py`. Python 3 has modules
of these names, and one of the two is found in place of the other.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from types import ModuleType

_AT_START = {"abc", "codecs", "encodings", "genericpath", "io", "os", "posixpath", "site", "stat"}
"""What Python imports before it looks into the folder of a script."""


def hidden_module(error: BaseException) -> str | None:
    """Which of two modules of a name an error is about, where the other one was meant; or None.

    Args:
      error: the script's; of an import, or of a module that lacks an attribute.
    """
    name = _asked_of(error).split(".")[0]
    beside = PathFinder.find_spec(name, sys.path[:1]) if name in sys.modules else None
    if beside is None or not beside.origin:
        return None
    there = getattr(sys.modules[name], "__file__", None)
    own = name in sys.stdlib_module_names
    rename = "Give that file another name, and import it by that."
    if there is None or os.path.realpath(there) != os.path.realpath(beside.origin):
        what = "Python's own module" if own else f"the module {there}"
        loaded = "which was loaded first"
        return f"`{name}` is {what}, {loaded}, and not {beside.origin}. {rename}"
    if not own:
        return None
    return (
        f"`{name}` is {beside.origin}, in place of Python's own module of that name, which"
        f" libraries import. {rename}"
    )


def hiding(folder: str) -> list[str]:
    """The files in a folder that hide a module of Python's from TensorFlow, where a script in it
    is started.

    Args:
      folder: that of the script; here TensorFlow was imported before anything in it.
    """
    there = {entry.removesuffix(".py") for entry in os.listdir(folder) if entry.endswith(".py")}
    hidden = there & sys.stdlib_module_names - _AT_START
    return [
        f"{name}.py" for name in sorted(hidden) if getattr(sys.modules.get(name), "__file__", None)
    ]


def _asked_of(error: BaseException) -> str:
    """The dotted name of the module that an error is about; "" of others."""
    if isinstance(error, ImportError):
        return error.name or ""
    module = getattr(error, "obj", None) if isinstance(error, AttributeError) else None
    return module.__name__ if isinstance(module, ModuleType) else ""
