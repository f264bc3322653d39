"""A process that has imported TensorFlow, and is forked for every Python program of the tests.

    python warm.py < ORDERS

To import TensorFlow takes four seconds of a core, more than most of these programs, and what
`compare` and `convert --write` import besides takes half a second more each. An order is a
line of JSON, `{arguments, cwd, env, out, err, starts}`; it is answered with the id of the new
process, and, when that has ended, with its exit status. `processes.python` gives the orders.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import faulthandler
import gc
import importlib
import json
import os
import runpy
import signal
import sys
import tempfile
import types
from typing import Any

import forked

SEARCHED = os.environ.get("PYTHONPATH", "").split(os.pathsep)
PATH = [folder for folder in sys.path[1:] if folder not in SEARCHED]
BESIDES = ("scipy.stats", "libcst.matchers", "libcst.metadata")
HOLDING = {
    "tensorflow.python.eager.context", "tensorflow.python.framework.ops",
    "logging", "subprocess", "threading", "weakref",
}  # fmt: skip
"""Modules that hold what a program made: its context, its graphs, its handlers and threads."""
FROM_OTHERS = (os.path.dirname(os.__file__), "site-packages")


def serve() -> dict[str, Any]:
    """Forks for each order; returns it in the new process, and ends this one after the last."""
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            os.setpgid(0, 0)
            return json.loads(line)  # type: ignore[no-any-return]
        print(process, file=answers, flush=True)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        print(status, file=answers, flush=True)
    os._exit(0)


def become(order: dict[str, Any]) -> types.CodeType:
    """Makes this process what a new one would be that was begun with these arguments."""
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    tempfile.tempdir = None  # TensorFlow asked for it, and it would stay that of this process
    _redirect(order.get("files") or [_file(os.devnull), _file(order["out"]), _file(order["err"])])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    faulthandler.enable()
    searched = order["env"].get("PYTHONPATH")
    sys.path[:] = [*(searched.split(os.pathsep) if searched else []), *PATH]
    sys.excepthook = _without_own_frame
    return _program(order["arguments"])


def _file(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)


def _redirect(files: list[int]) -> None:
    """The input and both outputs, which are buffered as they are in files."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    at_once = bool(os.environ.get("PYTHONUNBUFFERED"))
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stdout.reconfigure(write_through=at_once)
    sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr


def _program(arguments: list[str]) -> types.CodeType:
    """The code of a command line, with `__main__` and `sys.argv` as it finds them."""
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__builtins__ = __builtins__  # type: ignore[attr-defined]
    first, *rest = arguments
    if first == "-m":
        sys.path.insert(0, os.getcwd())
        _, spec, code = runpy._get_module_details(rest[0])  # type: ignore[attr-defined]
        main.__file__, main.__spec__, main.__package__ = spec.origin, spec, spec.parent
        sys.argv = [spec.origin, *rest[1:]]
        return code  # type: ignore[no-any-return]
    if first == "-c":
        sys.path.insert(0, "")
        sys.argv = ["-c", *rest[1:]]
        return compile(rest[0], "<string>", "exec")
    main.__file__, sys.argv = os.path.abspath(first), arguments
    sys.path.insert(0, os.path.dirname(main.__file__))
    with open(first, "rb") as file:
        return compile(file.read(), main.__file__, "exec")


def _without_own_frame(kind: Any, error: Any, trace: Any) -> None:
    own = trace is not None and trace.tb_frame.f_code.co_filename == __file__
    error = error.with_traceback(trace.tb_next) if own else error
    sys.__excepthook__(kind, error, error.__traceback__)


def _to_stay() -> list[str]:
    """Modules that Python need not take apart when a process that was forked ends.

    To write to each of their pages takes a tenth of a second, more than many a program. What the
    program imported and made is taken apart as ever, and so is what TensorFlow and Python hold of
    it.
    """
    names = [
        name for name, module in sys.modules.items()
        if any(place in (getattr(module, "__file__", None) or "") for place in FROM_OTHERS)
        and name not in HOLDING
    ]  # fmt: skip
    for name in names:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(sys.modules[name]))
    return names


def _leave() -> None:
    for name in STAYING:
        sys.modules.pop(name, None)


if __name__ == "__main__":
    atexit.register(_leave)  # first of all, so that it is called last
    gc.disable()
    import tensorflow  # noqa: F401

    for name in BESIDES:
        with contextlib.suppress(ImportError):  # of extras, which may not be installed
            importlib.import_module(name)
    STAYING = _to_stay()

    gc.freeze()  # what is there already need not be copied into each process by its collector
    gc.enable()
    ordered = serve()
    while ordered.pop("starts", False) and forked.CAN:
        ordered = forked.beside(ordered)
    code = become(ordered)
    exec(code, sys.modules["__main__"].__dict__)
