"""Public functions that leave many ops behind: one function, how its arguments are found.

    images.py  tf.image, and what is used with it
    finder.py  which ops of a graph are the work of which function
    same.py    whether two graphs compute the same

A function leaves its ops in a scope with its name. That is a guess and no more: the function is
called with the arguments that were found, in a graph of its own, and only where it makes the
same ops is its name written. All else stays op by op, so a name never says more than the old
graph did.
"""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf

from queueio.emit.facts.values import Known


@dataclass(frozen=True)
class Call:
    """A call of a public function; arguments are tensors of the old graph or values.

    Attributes:
      name: the function, as `tf.image.resize`.
      args, kwargs: its arguments.
      shape: what it says of its result's static shape.
      checks: the assertions of the old graph that it makes itself.
    """

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    shape: Any = None
    checks: frozenset[Any] = frozenset()

    @property
    def tensors(self) -> tuple[Any, ...]:
        """The tensors among the arguments."""
        return tuple(a for a in (*self.args, *self.kwargs.values()) if tf.is_tensor(a))


@dataclass(frozen=True)
class ScopedOps:
    """The ops in one scope behind one that leaves it.

    Attributes:
      end: what leaves.
      ops: the ops, each after those that it needs.
      entering: what comes from outside of the scope and is no constant.
      known: the values of constants.
    """

    end: Any
    ops: Sequence[Any]
    entering: Sequence[Any]
    known: Known

    def last(self, *types: str) -> Any | None:
        """The op of one of these types that is nearest to the end."""
        return next((op for op in reversed(self.ops) if op.type in types), None)


Guess = Callable[[ScopedOps, Any], Iterator[Call]]
TABLE: dict[str, list[Guess]] = defaultdict(list)


def made_by(*scopes: str) -> Callable[[Guess], Guess]:
    """Registers a function for scopes; from a group and its image it yields possible calls."""

    def register(guess: Guess) -> Guess:
        for scope in scopes:
            TABLE[scope].append(guess)
        return guess

    return register


importlib.import_module("queueio.emit.calls.images")
