"""The functions in Python that ops call. A graph has only numbers, made anew in each process."""

from __future__ import annotations

import types
from typing import Any

from tensorflow.python.ops import script_ops


def function_of(token: str) -> Any:
    """The function that a number stands for, as the program wrote it; None where it is gone."""
    found = script_ops._py_funcs.get(token)  # no public spelling
    found = getattr(found, "_func", found)
    return getattr(found, "__wrapped__", found)


def told(function: Any) -> Any:
    """What another process finds again of a function: where it is defined, and what it does.

    In a form that `repr` spells. Values that it takes from around it are not told.
    """
    name = getattr(function, "__qualname__", type(function).__qualname__)
    code = getattr(function, "__code__", None)
    return (function.__module__, name, *([] if code is None else _done(code)))


def _done(code: types.CodeType) -> tuple[Any, ...]:
    consts = [_done(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts]
    return (code.co_code, code.co_names, tuple(consts))
