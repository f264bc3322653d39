"""In the user's files, and only there, `import tensorflow` gives the drop-in.

Installed libraries (keras, tf_slim, TensorFlow itself) keep the real one, so the choice cannot
be made in `sys.modules`. It is made per import statement, by the file that the statement is in;
code without a file (`exec`, `eval`) counts as part of the nearest file that called it.
`importlib.import_module` is asked in the same way, and processes that multiprocessing spawns, which
import the script anew, begin with the same installation.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import sys
from collections.abc import Mapping, Sequence
from multiprocessing import spawn
from types import FrameType, ModuleType
from typing import Any

from queueio.compat.caller import is_user_code
from queueio.script.op_traces import leave_out_own_frames

_original = builtins.__import__
_original_module = importlib.import_module
_original_command: Any = spawn.get_command_line
_IN_THE_CHILD = """\
try:
    from queueio.script import imports
    imports.install()
except ImportError:
    pass
"""


def install() -> None:
    """From now on, `import tensorflow…` in the user's files gives `queueio.v1`."""
    builtins.__import__ = _import
    importlib.import_module = _import_module
    spawn.get_command_line = _command


def uninstall() -> None:
    """Puts Python's own import back."""
    builtins.__import__ = _original
    importlib.import_module = _original_module
    spawn.get_command_line = _original_command


def _import(
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    # The name first: this runs for every import statement of every library.
    if level == 0 and _is_tensorflow(name) and _is_in_user_code(sys._getframe(1)):
        return _drop_in(name, fromlist or ())
    return _original(name, globals, locals, fromlist or (), level)


def _import_module(name: str, package: str | None = None) -> ModuleType:
    if _is_tensorflow(name) and _is_in_user_code(sys._getframe(1)):
        return _walk(_v1(), name)
    return _original_module(name, package)


def _command(**options: Any) -> list[Any]:
    """The command line of a spawned process: python, as bytes, its options, `-c`, the code."""
    command = list(_original_command(**options))
    if "-c" in command:  # a frozen program has none
        code = command.index("-c") + 1
        command[code] = _IN_THE_CHILD + command[code]
    return command


def _is_tensorflow(name: str) -> bool:
    return name == "tensorflow" or name.startswith("tensorflow.")


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
