"""What queueio brings back of `tf.contrib`.

`queueio.v1` shows this package as `tf.contrib`. What is defined in a module or package in it
(`queueio/contrib/training` is `tf.contrib.training`) resolves; then what TensorFlow has under
another name, and tf_slim where it is installed (queueio/compat/contrib_names.py); every other name
raises an error that says where the thing went.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable
from types import ModuleType
from typing import Any


def names_of(package: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package in here: its modules, its names, and where all else went."""
    room = package.rpartition(".")[2]

    def get(name: str) -> Any:
        # An underscore asks about the module itself (__path__, __wrapped__), not about tf.contrib.
        if name.startswith("_"):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if importlib.util.find_spec(f"{package}.{name}") is not None:
            return importlib.import_module(f"{package}.{name}")
        if name == "python" and package != __name__:
            return _file(package, "python")
        from queueio.compat.contrib_names import find
        from queueio.compat.missing import attribute_error

        try:
            return find(room, name)
        except KeyError:
            dotted = f"{package}.{name}".removeprefix("queueio.")
            raise AttributeError(attribute_error(dotted), name=name) from None

    return get


class _Python(ModuleType):
    """`tf.contrib.layers.python.layers` and its like: the files in which contrib kept a part.

    Most of what they have is the part's own; which of its files a name was in makes no difference.
    """

    def __init__(self, package: str, path: str) -> None:
        super().__init__(f"{package}.{path}")
        self.__dict__.update(_package=package, _path=path)

    def __getattr__(self, name: str) -> Any:
        from queueio.compat.contrib_files import is_file, module_of

        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        path = f"{self._path}.{name}"
        room = self._package.rpartition(".")[2]
        if self._path == "python" or is_file(room, path.removeprefix("python.")):
            return _file(self._package, path)
        module = module_of(room, self._path.removeprefix("python."))
        return getattr(importlib.import_module(module), name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """`arg_scope` is a file and a function in it: what is imported may be meant as either."""
        return getattr(self, self._path.rpartition(".")[2])(*args, **kwargs)


@functools.cache
def _file(package: str, path: str) -> _Python:
    return _Python(package, path)


__getattr__ = names_of(__name__)
