"""Runs a file, or a module, as `__main__`, and ends the process as Python would.

The standard library's runpy does the same for the happy path, but leaves its own frames in
tracebacks and restores `sys.argv` before exit handlers run.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import importlib.machinery
import importlib.util
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any

from queueio.compat import importing
from queueio.script.op_traces import note_launcher
from queueio.script.saved_graphs import is_meta_graph, why_no_script
from queueio.script.tracebacks import prepare, show, strip_in_threads

_INTERRUPTED = 128 + signal.SIGINT


class NotFoundError(Exception):
    """There is nothing that could run; holds the text, and the exit status that Python has then."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Program:
    """What is to run, and what `__main__` says about itself."""

    code: CodeType
    argv0: str
    file: str
    loader: Any
    package: str | None = None
    spec: importlib.machinery.ModuleSpec | None = None


def run_file(path: str, arguments: Sequence[str]) -> int:
    """Runs `python path arguments…` in this process; returns the exit status.

    Args:
      path: a Python source file, relative to the working directory or absolute.
      arguments: what the script sees as `sys.argv[1:]`.

    Raises:
      SystemExit: the script's own, unchanged.
      NotFoundError: the file cannot be opened, or is no script.
    """
    check_file(path)
    # Python resolves links before it takes the folder: siblings lie beside the real file.
    _search_first(os.path.dirname(os.path.realpath(path)))

    def load() -> Program:
        file = os.path.abspath(path)
        loader = importlib.machinery.SourceFileLoader("__main__", file)
        return Program(loader.source_to_code(loader.get_data(file), file), path, file, loader)

    return _run(load, arguments)


def check_file(path: str) -> None:
    """Refuses what is no script, before anything runs.

    Args:
      path: a file, relative to the working directory or absolute.

    Raises:
      NotFoundError: it is not there, cannot be read, or is a graph or another binary file.
    """
    if is_meta_graph(path):
        why = f"{path} is a MetaGraph, no script. `queueio explain` and `queueio convert` take it"
        raise NotFoundError(why, 1)
    if why := _unopened(path):
        where = os.path.abspath(path) if path not in ("", "-") else path
        raise NotFoundError(f"can't open file {where!r}: {why}", 2)
    if why := why_no_script(path):
        raise NotFoundError(why, 1)


def _unopened(path: str) -> str:
    """Why a file cannot be read; "" where it can."""
    if path == "-":
        return "no script is read from standard input. Save it in a file"
    if not path:
        return "its name is empty"
    try:
        if not os.path.isfile(path):
            os.stat(path)
            return "it is a folder" if os.path.isdir(path) else "it is no regular file"
        open(path, "rb").close()
    except FileNotFoundError:
        return "no such file"
    except OSError as error:  # it, or a folder on the way, may not be read
        return (error.strerror or str(error)).lower()
    return ""


def run_module(name: str, arguments: Sequence[str]) -> int:
    """Runs `python -m name arguments…` in this process; returns the exit status.

    Args:
      name: a module, or a package with a `__main__` module.
      arguments: what it sees as `sys.argv[1:]`.

    Raises:
      SystemExit: the module's own, unchanged.
      NotFoundError: there is no such module, or it has no source.
    """
    _search_first(os.getcwd())

    def load() -> Program:
        spec = _find(name)
        code = spec.loader.get_code(spec.name)  # type: ignore[union-attr]
        return Program(code, spec.origin, spec.origin, spec.loader, spec.parent, spec)  # type: ignore[arg-type]

    return _run(load, arguments)


def file_of_module(name: str) -> tuple[str, str]:
    """The source file of what `python -m name` runs, and its package; nothing is imported.

    Args:
      name: a module, or a package with a `__main__` module.

    Returns:
      The absolute path; and the dotted name of the package that the module is in, or "".

    Raises:
      NotFoundError: there is no such module, or it has no source.
    """
    parts = name.split(".")
    places: Sequence[str] | None = [os.getcwd(), *sys.path]
    spec = None
    for part in parts:
        spec = importlib.machinery.PathFinder.find_spec(part, places) if places else None
        places = spec.submodule_search_locations if spec else None
    if places is not None:
        if importlib.machinery.PathFinder.find_spec("__main__", places) is None:
            raise NotFoundError(_no_main(name), 1)
        return file_of_module(f"{name}.__main__")
    if spec is None or not str(spec.origin).endswith(".py"):
        raise NotFoundError(_no_module(name), 1)
    return os.path.abspath(str(spec.origin)), ".".join(parts[:-1])


def _no_main(name: str) -> str:
    text = f"No module named {name}.__main__; {name!r} is a package"
    return f"{text} and cannot be directly executed"


def _no_module(name: str) -> str:
    said = f"No module named {name}"
    if not name.endswith(".py") and os.sep not in name:
        return said
    module = name.removesuffix(".py").replace(os.sep, ".").strip(".")
    return f"{said}. -m takes a module's name, no file's: -m {module}"


def _search_first(folder: str) -> None:
    # The first entry is our own launcher's folder, where Python would have put the script's.
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0:1] = [folder]


def _find(name: str) -> importlib.machinery.ModuleSpec:
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        spec = None
    if spec is not None and spec.submodule_search_locations is not None:
        if name.endswith(".__main__") or importlib.util.find_spec(f"{name}.__main__") is None:
            raise NotFoundError(_no_main(name), 1)
        return _find(f"{name}.__main__")
    if spec is None or spec.origin is None or not hasattr(spec.loader, "get_code"):
        raise NotFoundError(_no_module(name), 1)
    return spec


def _run(load: Callable[[], Program], arguments: Sequence[str]) -> int:
    # Registered before anything of the script's: exit handlers run last in, first out.
    interrupted: list[bool] = []
    atexit.register(_die_of_interrupt, interrupted)
    note_launcher(sys._getframe())
    importing.install()
    strip_in_threads()
    try:
        program = load()
        sys.argv[:] = [program.argv0, *arguments]
        exec(program.code, _main_module(program).__dict__)
    except (SystemExit, NotFoundError):
        raise
    except BaseException as error:
        prepare(error)
        show(error)
        if not isinstance(error, KeyboardInterrupt):
            return 1
        interrupted.append(True)
        return _INTERRUPTED
    return 0


def _main_module(program: Program) -> ModuleType:
    """A new `__main__`: what the script pickles and looks up by name must be found there."""
    main = ModuleType("__main__")
    vars(main).update(
        __file__=program.file,
        __cached__=None,
        __builtins__=builtins,
        __loader__=program.loader,
        __package__=program.package,
        __spec__=program.spec,
    )
    sys.modules["__main__"] = main
    return main


def _die_of_interrupt(interrupted: list[bool]) -> None:
    """Python ends by the signal itself after Ctrl-C, so that a calling shell stops, too."""
    if interrupted:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # closed, or nobody reads it
                stream.flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
