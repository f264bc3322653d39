"""Ops of a graph from elsewhere that would act on this machine: refused until they are allowed.

A program's own graph does what the program wrote. A MetaGraph is data, and reading data does not
write files, open connections or call functions without a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from queueio.graph.bodies import nodes_run_by
from queueio.graph.origin import origin
from queueio.graph.refusal import refuse
from queueio.graph.traits import Effect, calls_functions, traits_of, traits_of_node


@dataclass(frozen=True)
class Trust:
    """What may run.

    Attributes:
      foreign: whether all ops are from elsewhere; else those that were imported are.
      allow: types of ops that may run all the same, such as "WriteFile".
    """

    foreign: bool = False
    allow: frozenset[str] = frozenset()

    def check(self, op: Any, call: Any = None) -> None:
        """Refuses an op from elsewhere with an effect; so also in the functions that it calls.

        Args:
          op: the op.
          call: the op that calls the function that holds `op`, where one does.
        """
        for op_type, effect in self.forbidden(op, call):
            if effect is Effect.RUNS_PYTHON:
                raise refuse(
                    op,
                    "a Python function is not part of a MetaGraph, which only has its number in"
                    " the process that made it",
                    "Build the graph in this process and lift its tensors; or, if this process"
                    f" made it, pass {_allowing(op_type)}",
                    never=True,
                )
            remedy = f"If you know the file and want that, pass {_allowing(op_type)}"
            raise refuse(op, _does(op, op_type, effect), remedy)

    def forbidden(self, op: Any, call: Any = None) -> Iterator[tuple[str, Effect]]:
        """The types of the ops that it may not run, with what they do."""
        for op_type, effect in _effects(op):
            made_here = origin(op if call is None else call).filename is not None
            if op_type not in self.allow and (self.foreign or not made_here):
                yield op_type, effect


OWN = Trust()
"""The trust in a program's own graph."""


def objections(ops: Iterable[Any], trust: Trust) -> Iterator[str]:
    """A sentence for each op that may not run."""
    for op in ops:
        for op_type, effect in trust.forbidden(op):
            yield f"{op_type} op {op.name!r}, made at {origin(op)}: {_does(op, op_type, effect)}"


def _does(op: Any, op_type: str, effect: Effect) -> str:
    inside = "" if op.type == op_type else f"calls {op_type}, which "
    return f"it {inside}{effect.value}, and it comes from another program's graph"


def _allowing(op_type: str) -> str:
    return f'allow=["{op_type}"] (on the command line --allow {op_type})'


def _effects(op: Any) -> Iterator[tuple[str, Effect]]:
    """What an op and those in the functions that it calls do to the world, but for printing."""
    found = [(op.type, traits_of(op).effect)]
    if calls_functions(op):
        inner = [node for node in nodes_run_by(op) if node is not None]
        found += [(node.op, traits_of_node(node).effect) for node in inner]
    for op_type, effect in dict.fromkeys(found):
        if effect not in (None, Effect.PRINTS):
            yield op_type, effect
