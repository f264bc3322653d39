"""Who gets the names of moved.py: the code that queueio runs, and nobody else in the process.

A module is not changed, nor any name put into it: it gets a `__getattr__`, which Python asks only
for names that the module lacks, and which answers by the file that asks. So `np.float` works in a
script under `queueio run`, its modules and the libraries of its time, while
`hasattr(np, "float")` stays False in every other file.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

from queueio.compat import array_methods, moved
from queueio.compat.caller import is_written_by_queueio
from queueio.graph.origin import is_user_code

OF_THAT_TIME = ("tf_slim", "tensorflow_estimator")
"""Installed packages that need the names wherever they are imported, under `queueio run` or not."""
_OF_TODAY = frozenset(
    [
        "absl",
        "astunparse",
        "click",
        "flatbuffers",
        "gast",
        "google",
        "grpc",
        "h5py",
        "jinja2",
        "joblib",
        "keras",
        "libcst",
        "lmdb",
        "matplotlib",
        "ml_dtypes",
        "namex",
        "numpy",
        "opt_einsum",
        "optree",
        "pandas",
        "PIL",
        "pip",
        "pkg_resources",
        "psutil",
        "pytest",
        "_pytest",
        "queueio",
        "requests",
        "rich",
        "scipy",
        "setuptools",
        "six",
        "sklearn",
        "tensorboard",
        "tensorflow",
        "termcolor",
        "tf_keras",
        "typing_extensions",
        "urllib3",
        "wrapt",
    ]
)
_PASSED_THROUGH = tuple(
    os.path.join(os.path.dirname(__file__), name)
    for name in ("importing.py", "internals.py", "serving.py")
)
_running: list[bool] = []
_served: dict[str, tuple[ModuleType, Any]] = {}


def begin() -> None:
    """From now on the script, its modules and the libraries of its time get the names, too."""
    _running[:] = [True]
    serve("numpy")  # most scripts use it, and it may have been imported already
    serve("collections", "inspect", "time", "base64", "fractions")
    array_methods.install(is_served)


def end() -> None:
    """Only the libraries that queueio knows keep the names."""
    _running.clear()
    array_methods.uninstall()


def serve(*roots: str) -> None:
    """Lets the modules below `roots` that have rows answer.

    Args:
      roots: top packages, such as "tensorflow" and "numpy"; they are imported if need be.
    """
    for name, rows in _modules().items():
        if name.partition(".")[0] in roots and name not in _served:
            try:
                module = importlib.import_module(name)
            except ImportError:  # this TensorFlow has no such module; its import says so
                continue
            _served[name] = module, vars(module).get("__getattr__")
            vars(module)["__getattr__"] = _answering(module, rows, vars(module).get("__getattr__"))


def forget() -> None:
    """Takes every `__getattr__` back."""
    for module, original in _served.values():
        if original is None:
            vars(module).pop("__getattr__", None)
        else:
            vars(module)["__getattr__"] = original
    _served.clear()


def moved_module(name: str) -> ModuleType | None:
    """What a module of TensorFlow's that is gone gives to whoever asks; None for all others.

    Args:
      name: such as "tensorflow.python.tpu.tpu_embedding".
    """
    parent, _, last = name.rpartition(".")
    address = moved.TENSORFLOW.get(f"{parent}:{last}")
    value = resolve(address) if address else None
    return value if isinstance(value, ModuleType) else None


def resolve(address: str) -> Any:
    """The value at `package.module:name`."""
    module, _, name = address.partition(":")
    return getattr(importlib.import_module(module), name)


@functools.cache
def _modules() -> dict[str, dict[str, str]]:
    """The rows of each module, by name."""
    found: dict[str, dict[str, str]] = {}
    for old, new in moved.ROWS.items():
        module, _, name = old.partition(":")
        found.setdefault(module, {})[name] = new
    return found


def _answering(module: ModuleType, rows: dict[str, str], original: Any) -> Callable[[str], Any]:
    def __getattr__(name: str) -> Any:
        if name in rows and is_served(sys._getframe(1)):
            return resolve(rows[name])
        if original is not None:
            return original(name)
        raise AttributeError(
            f"module {module.__name__!r} has no attribute {name!r}", name=name, obj=module
        )

    return __getattr__


def is_served(frame: FrameType | None) -> bool:
    """Whether the code of a frame, or the code that it works for, is what queueio runs."""
    while frame is not None and _passes_through(frame.f_code.co_filename):
        frame = frame.f_back
    return frame is not None and _gets_the_names(frame.f_code.co_filename)


def _passes_through(filename: str) -> bool:
    return filename.startswith("<") or filename in _PASSED_THROUGH


def _gets_the_names(filename: str) -> bool:
    package = _package(filename)
    if package in OF_THAT_TIME:
        return True
    if not _running:
        return False
    if package:
        return package not in _OF_TODAY
    return is_user_code(filename) and not is_written_by_queueio(filename)


@functools.lru_cache(maxsize=4096)
def _package(filename: str) -> str:
    """The installed top package or module that a file is part of; "" where it is not installed."""
    parts = filename.split(os.sep)
    for folder in ("site-packages", "dist-packages"):
        if folder in parts[:-1]:
            after = parts.index(folder) + 1
            return parts[after].removesuffix(".py")
    return ""
