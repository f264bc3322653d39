"""Methods that NumPy took from its arrays (`x.tostring()`), for the code that queueio runs.

An array is of a C type, which has no `__getattr__` and refuses new attributes. CPython keeps the
methods of such a type in a dictionary all the same; a descriptor put there answers by the file
that asks, as serving.py does for modules. Where that cannot be done, nothing is: then the error's
advice (queueio/script/removals.py) names the replacement.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np


def itemset(array: np.ndarray, *args: Any) -> None:
    """Sets one element: `itemset(value)`, `itemset(flat_index, value)` or `itemset(*at, value)`."""
    *at, value = args
    where: Any = at[0] if len(at) == 1 else tuple(at)
    if isinstance(where, int):
        array.flat[where] = value
    elif array.size == 1 and not at:
        array.flat[0] = value
    else:
        array[where] = value


METHODS: dict[str, Callable[..., Any]] = {
    "itemset": itemset,
    "newbyteorder": lambda x, new_order="S": x.view(x.dtype.newbyteorder(new_order)),
    "ptp": lambda x, *args, **kwargs: np.ptp(x, *args, **kwargs),
    "tostring": lambda x, order="C": x.tobytes(order),
}


class Served:
    """A method that only the code which `is_served` knows can see."""

    def __init__(self, name: str, is_served: Callable[[FrameType | None], bool]) -> None:
        self.name, self.is_served = name, is_served

    def __get__(self, array: Any, owner: type) -> Any:
        if not self.is_served(sys._getframe(1)):
            what = f"type object {owner.__name__!r}" if array is None else f"{_named(owner)} object"
            raise AttributeError(f"{what} has no attribute {self.name!r}", name=self.name)
        method = METHODS[self.name]
        return method if array is None else functools.partial(method, array)


def _named(owner: type) -> str:
    return repr(f"{owner.__module__}.{owner.__name__}")


def install(is_served: Callable[[FrameType | None], bool]) -> None:
    """Puts the methods that this NumPy lacks on arrays; does nothing where Python forbids it.

    Args:
      is_served: whether the code of a frame gets them.
    """
    if sys.implementation.name != "cpython":
        return
    attributes = gc.get_referents(np.ndarray.__dict__)[0]
    if not isinstance(attributes, dict):
        return
    for name in METHODS:
        if not hasattr(np.ndarray, name):
            attributes[name] = Served(name, is_served)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(np.ndarray))


def uninstall() -> None:
    """Takes them away again."""
    found = gc.get_referents(np.ndarray.__dict__)[0]
    for name in METHODS:
        if isinstance(found, dict) and isinstance(found.get(name), Served):
            del found[name]
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(np.ndarray))
