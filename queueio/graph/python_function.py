"""The functions in Python that ops call. A graph has only numbers, made anew in each process."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from tensorflow.python.ops import script_ops

from queueio.graph.surroundings import Surroundings, is_of_program

_WRAPPER = "tensorflow.python.autograph.impl.api"


def function_of(token: str) -> Any:
    """The function that a number stands for, as the program wrote it; None where it is gone."""
    found = script_ops._py_funcs.get(token)  # no public spelling
    found = getattr(found, "_func", found)
    if hasattr(found, "__wrapped__") or getattr(found, "__module__", None) != _WRAPPER:
        return getattr(found, "__wrapped__", found)
    # Of a partial or an object that can be called the wrapper does not say what it wraps.
    found = inspect.getclosurevars(found).nonlocals.get("func", found)
    return found.function if isinstance(found, OfCopies) else found


class OfCopies:
    """A function that may write into the arrays it is given, as TF1's were its own.

    Today's TensorFlow gives it the memory of the tensors: `image -= mean` would change the image
    for every op that reads it, and a constant for all examples after this one.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *values: Any) -> Any:
        return self.function(*map(_own, values))


def _own(value: Any) -> Any:
    lent = isinstance(value, np.ndarray) and not value.flags.owndata
    return value.copy() if lent else value


def told(function: Any, above: tuple[Any, ...] = ()) -> Any:
    """What another process finds again of a function: where it is defined, and what it does.

    With what it takes from around it (`Surroundings`).

    Args:
      function: what can be called.
      above: the functions that take it from around them.

    Returns:
      A form that `repr` spells.
    """
    if isinstance(function, functools.partial):
        parts = (function.func, function.args, *sorted(function.keywords.items()))
        return ("partial", *(_around(None, above).value(part) for part in parts))
    name = getattr(function, "__qualname__", type(function).__qualname__)
    code = getattr(function, "__code__", None)
    if code is None and is_of_program(type(function).__call__):
        return told(function.__call__, above)
    if code is None or function in above:
        return (getattr(function, "__module__", None), name)
    around = _around(code, (*above, function)).values(function) if is_of_program(function) else ()
    return (function.__module__, name, *_done(code), around)


def _around(code: types.CodeType | None, above: tuple[Any, ...]) -> Surroundings:
    tell = functools.partial(told, above=above)
    return Surroundings(frozenset(), False, tell) if code is None else Surroundings.of(code, tell)


def _done(code: types.CodeType) -> tuple[Any, ...]:
    consts = [_done(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts]
    return (code.co_code, code.co_names, tuple(consts))
