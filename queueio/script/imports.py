"""In the user's files, and only there, `import tensorflow` gives the drop-in.

Installed libraries (keras, tf_slim, TensorFlow itself) keep the real one, so the choice cannot
be made in `sys.modules`. It is made per import statement, by the file that the statement is in;
code without a file (`exec`, `eval`) counts as part of the nearest file that called it.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import sys
from collections.abc import Mapping, Sequence
from types import FrameType, ModuleType
from typing import Any

from queueio.compat.caller import is_user_code
from queueio.script.op_traces import leave_out_own_frames

_original = builtins.__import__


def install() -> None:
    """From now on, `import tensorflow…` in the user's files gives `queueio.v1`."""
    builtins.__import__ = _import


def uninstall() -> None:
    """Puts Python's own import back."""
    builtins.__import__ = _original


def _import(
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    # The name first: this runs for every import statement of every library.
    is_tensorflow = level == 0 and (name == "tensorflow" or name.startswith("tensorflow."))
    if is_tensorflow and _is_in_user_code(sys._getframe(1)):
        return _drop_in(name, fromlist or ())
    return _original(name, globals, locals, fromlist or (), level)


def _is_in_user_code(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_filename.startswith("<"):
        if frame.f_code.co_filename.startswith("<frozen"):
            return False
        frame = frame.f_back
    return frame is not None and is_user_code(frame.f_code.co_filename)


def _drop_in(name: str, fromlist: Sequence[str]) -> ModuleType:
    """What an import statement needs: the top for `import a.b`, the module for `from a.b`."""
    top = _v1()
    module = _walk(top, name)
    for wanted in fromlist:
        if wanted != "*":
            _attribute(module, wanted, ImportError, name)
    return module if fromlist else top


@functools.cache
def _v1() -> ModuleType:
    top = importlib.import_module("queueio.v1")
    leave_out_own_frames()
    return top


def _walk(top: ModuleType, name: str) -> ModuleType:
    module = top
    parts = name.split(".")[1:]
    for depth, part in enumerate(parts, start=2):
        module = _attribute(module, part, ModuleNotFoundError, ".".join(name.split(".")[:depth]))
    return module


def _attribute(module: Any, name: str, error: type[ImportError], where: str) -> Any:
    """An attribute, or the ImportError that Python would raise, with the text that helps."""
    try:
        return getattr(module, name)
    except AttributeError as reason:
        raise error(str(reason), name=where) from None
