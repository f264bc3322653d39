"""What queueio brings back of `tf.contrib`.

`queueio.v1` shows this package as `tf.contrib`. What is defined in a module or package in it
(`queueio/contrib/training` is `tf.contrib.training`) resolves; every other name raises an error
that says where the thing went.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any


def names_of(package: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package in here: its modules, and for all else where that went."""

    def get(name: str) -> Any:
        # An underscore asks about the module itself (__path__, __wrapped__), not about tf.contrib.
        if name.startswith("_"):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if importlib.util.find_spec(f"{package}.{name}") is not None:
            return importlib.import_module(f"{package}.{name}")
        from queueio.compat.missing import attribute_error

        dotted = f"{package}.{name}".removeprefix("queueio.")
        raise AttributeError(attribute_error(dotted), name=name)

    return get


__getattr__ = names_of(__name__)
