"""What a Python function takes from around it, as far as it stays what it is while a program runs.

A py_func that subtracts a mean of its module's, or crops by a size that its object holds, is
another one when these are others, though its own code is the same.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from queueio.graph.origin import is_user_code

FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)
_PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic)
_MOST_BYTES = 4 << 20
"""Of an array: to read a data set that is all in memory would hold up each start."""
_CHANGES = ("STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR", "DELETE_")


@dataclass(frozen=True)
class Surroundings:
    """Spells the values around a function, in a form that `repr` makes the same in each process.

    Numbers, texts, tuples, arrays, functions of the program's, and what of these a module or an
    object holds under a name that the function says. Not what it changes itself, as a counter; and
    no lists and dicts, which are filled as a program runs.

    Attributes:
      named: the names that the function says and does not set.
      fills: whether it sets elements, of an array that it is given or of one around it.
      tell: spells another function.
    """

    named: frozenset[str]
    fills: bool
    tell: Callable[[Any], Any]

    @classmethod
    def of(cls, code: types.CodeType, tell: Callable[[Any], Any]) -> Surroundings:
        """What is around the functions made of `code`."""
        steps = [step for part in _parts(code) for step in dis.get_instructions(part)]
        changed = {step.argval for step in steps if step.opname.startswith(_CHANGES)}
        said = {s.argval for s in steps if s.opname.startswith("LOAD_") and type(s.argval) is str}
        fills = any(step.opname == "STORE_SUBSCR" for step in steps)
        return cls(frozenset(said - changed), fills, tell)

    def values(self, function: Any) -> tuple[Any, ...]:
        """The values around a function, each with where it comes from."""
        inside = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        given = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        return (
            self._held({name: _content(cell) for name, cell in inside}),
            self._held(function.__globals__),
            self.value(given),
            self.value(getattr(function, "__self__", None)),
        )

    def value(self, value: Any) -> Any:
        """One value."""
        kind = type(value).__qualname__
        if isinstance(value, _PLAIN):
            return (kind, repr(value))
        if isinstance(value, tuple):
            return (kind, *map(self.value, value))
        if isinstance(value, np.ndarray):
            told = value.dtype != object and value.nbytes <= _MOST_BYTES and not self.fills
            content = hashlib.blake2b(value.tobytes()).hexdigest() if told else ""
            return (kind, str(value.dtype), value.shape, content)
        if isinstance(value, FUNCTIONS):
            return self.tell(value)
        return (kind, self._held(getattr(value, "__dict__", {}), deeper=False))

    def _held(self, held: Any, deeper: bool = True) -> tuple[Any, ...]:
        """What is held under the names that are said; of what an object holds, nothing deeper."""
        kinds = (*_PLAIN, tuple, np.ndarray, types.FunctionType)
        found = [(name, held[name]) for name in sorted(self.named) if name in held]
        return tuple((n, self.value(v)) for n, v in found if deeper or isinstance(v, kinds))


def is_of_program(function: Any) -> bool:
    """Whether a function is the program's own: what those of libraries do, their version says."""
    code = getattr(function, "__code__", None)
    return code is not None and is_user_code(code.co_filename)


def _parts(code: types.CodeType) -> Iterator[types.CodeType]:
    """A function's code and that of the functions in it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _parts(const)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not set yet
        return None
