"""Who gets which TensorFlow: the drop-in or the real one, by the file that an import is in.

Under `queueio run`, `import tensorflow` in the user's files, and only there, gives the drop-in:
installed libraries (keras, tf_slim, TensorFlow itself) and the modules that `queueio convert` wrote
keep the real one, so the choice cannot be
made in `sys.modules`. It is made per import statement, by the file that the statement is in; code
without a file (`exec`, `eval`) counts as part of the nearest file that called it.
`importlib.import_module` is asked in the same way, and processes that multiprocessing spawns, or
that its server forks, which import the script anew, begin with the same installation.

What a program puts into `sys.modules` itself, it gets, as under python. Where it puts the drop-in
there as "tensorflow", libraries (queueio's own late imports among them) get the real one still.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import spawn, util
from types import FrameType, ModuleType
from typing import Any

from queueio.compat import serving
from queueio.compat.caller import is_written_by_queueio
from queueio.compat.quiet import tensorflow_import
from queueio.graph.origin import is_user_code

_original = builtins.__import__
_original_module = importlib.import_module
_original_command: Any = spawn.get_command_line
_original_start: Any = util.spawnv_passfds
_real: list[ModuleType] = []
_redirected: list[bool] = []
_swap = threading.RLock()
_IN_THE_CHILD = """\
try:
    from queueio.compat import importing
    importing.install()
except ImportError:
    pass
"""
_SERVER = "from multiprocessing.forkserver import main"


def install() -> None:
    """From now on, `import tensorflow…` in the user's files gives `queueio.v1`."""
    _redirected[:] = [True]
    serving.begin()
    _take_over()
    spawn.get_command_line, util.spawnv_passfds = _command, _start


def uninstall() -> None:
    """Ends the redirection."""
    _redirected.clear()
    serving.end()
    spawn.get_command_line, util.spawnv_passfds = _original_command, _original_start
    if not _real:
        builtins.__import__ = _original
        importlib.import_module = _original_module


def keep_for_libraries(real: ModuleType) -> None:
    """From now on libraries get `real`, also where a program puts another module in its place."""
    _real[:] = [real]
    _take_over()


def _take_over() -> None:
    builtins.__import__ = _import
    importlib.import_module = _import_module


def _import(
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    # The name first: this runs for every import statement of every library.
    if level == 0 and _is_tensorflow(name):
        if _replaced() and not _is_in_user_code(sys._getframe(1)):
            with _real_in_place():
                return _original(name, globals, locals, fromlist or (), level)
        if _redirected and not _replaced() and _is_in_user_code(sys._getframe(1)):
            return _drop_in(name, fromlist or ())
        if serving.is_served(sys._getframe(1)):
            return _of_that_time(name, globals, locals, fromlist or ())
    return _original(name, globals, locals, fromlist or (), level)


def _import_module(name: str, package: str | None = None) -> ModuleType:
    if _is_tensorflow(name):
        if _replaced() and not _is_in_user_code(sys._getframe(1)):
            with _real_in_place():
                return _original_module(name, package)
        if _redirected and not _replaced() and _is_in_user_code(sys._getframe(1)):
            return _walk(_v1(), name)
        if serving.is_served(sys._getframe(1)) and (moved := serving.moved_module(name)):
            return moved
    return _original_module(name, package)


def _of_that_time(
    name: str,
    globals: Mapping[str, Any] | None,
    locals: Mapping[str, Any] | None,
    fromlist: Sequence[str],
) -> ModuleType:
    """An import statement in a library: what it finds answers for what TensorFlow moved."""
    moved = serving.moved_module(name)
    if moved is not None and fromlist:
        return moved
    top = _original("tensorflow")
    serving.serve("tensorflow")
    return top if moved is not None else _original(name, globals, locals, fromlist)


def _replaced() -> bool:
    """Whether a program put a module of its own choice in TensorFlow's place."""
    return bool(_real) and sys.modules.get("tensorflow") is not _real[0]


@contextmanager
def _real_in_place() -> Iterator[None]:
    with _swap:
        chosen = sys.modules["tensorflow"]
        sys.modules["tensorflow"] = _real[0]
        try:
            yield
        finally:
            sys.modules["tensorflow"] = chosen


def _command(**options: Any) -> list[Any]:
    """The command line of a spawned process: python, as bytes, its options, `-c`, the code."""
    command = list(_original_command(**options))
    if "-c" in command:  # a frozen program has none
        code = command.index("-c") + 1
        command[code] = _IN_THE_CHILD + command[code]
    return command


def _start(path: bytes, args: Sequence[Any], passfds: Sequence[int]) -> int:
    """Starts a process; the server that forks multiprocessing's begins as they are to."""
    code = args[-1]
    if isinstance(code, str) and code.startswith(_SERVER):
        args = [*args[:-1], _IN_THE_CHILD + code]
    pid: int = _original_start(path, args, passfds)
    return pid


def _is_tensorflow(name: str) -> bool:
    return name == "tensorflow" or name.startswith("tensorflow.")


def _is_in_user_code(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_filename.startswith("<"):
        if frame.f_code.co_filename.startswith("<frozen"):
            return False
        frame = frame.f_back
    if frame is None or not is_user_code(frame.f_code.co_filename):
        return False
    return not is_written_by_queueio(frame.f_code.co_filename)


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
    from queueio.script.op_traces import leave_out_own_frames

    with tensorflow_import():
        top = importlib.import_module("queueio.v1")
    leave_out_own_frames()
    return top


def _walk(top: ModuleType, name: str) -> ModuleType:
    module = top
    parts = name.split(".")
    for depth, part in enumerate(parts[1:], start=2):
        module = _attribute(module, part, ModuleNotFoundError, ".".join(parts[:depth]))
    return module


def _attribute(module: Any, name: str, error: type[ImportError], where: str) -> Any:
    """An attribute, or the ImportError that Python would raise, with the text that helps."""
    full = where if error is ModuleNotFoundError else f"{where}.{name}"
    if _is_the_programs_own(own := sys.modules.get(full)):
        setattr(module, name, own)  # `import a.b as c` asks for the attribute next
        return own
    try:
        return getattr(module, name)
    except AttributeError as reason:
        raise error(str(reason), name=where) from None


def _is_the_programs_own(module: Any) -> bool:
    """Whether a program put a module below `tensorflow` in `sys.modules` itself."""
    if module is None:
        return False
    spec = getattr(module, "__spec__", None)
    if spec is None:
        return True  # made by hand
    return not spec.name.startswith(("tensorflow", "keras", "tf_keras"))
