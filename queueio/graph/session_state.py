"""What one run of an op leaves to the next: pieces of a session's memory, and who changes which.

A session keeps one counter, one reader, one generator for all that use it, whichever thread
comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf

from queueio.graph.bodies import nodes_run_by
from queueio.graph.hanging import hanging
from queueio.graph.traits import State, calls_functions, op_def_of, row_of
from queueio.graph.traversal import is_handle, root


@dataclass(frozen=True)
class Shared:
    """A piece of what a session remembers; equal where it is the same one."""

    key: Hashable
    holder: Any = field(compare=False)

    @property
    def is_stream(self) -> bool:
        """Whether it is a queue or a reader: who takes from those, the lifter asks by itself."""
        return row_of(self.holder.type).makes in ("queue", "reader")

    def __str__(self) -> str:
        return f"{_word(self.holder)} {self.holder.name!r}"


def _word(holder: Any) -> str:
    if holder.type.endswith("PyFunc"):
        return "the memory of the Python function"
    made = row_of(holder.type).makes
    return f"the {made}" if made else "the state of"


def held_by(holder: Any) -> Shared:
    """The state behind an op that makes a handle; several ops can name one, by shared_name."""
    # Each question for an attribute writes and parses it.
    return hanging(holder, "held", lambda: _shared(holder))


def _shared(holder: Any) -> Shared:
    made = row_of(holder.type).makes
    kind = made if made in ("queue", "reader") else holder.type.removesuffix("V2")
    name = _text(holder, "shared_name") or holder.name
    return Shared((kind, _text(holder, "container"), name), holder)


def _text(op: Any, name: str) -> str:
    try:
        return str(op.get_attr(name).decode())
    except ValueError:
        return ""


def changes(op: Any) -> Iterator[Shared]:
    """What one run of an op changes for the next one, the functions that it calls included."""
    states = set(_states(op))
    if State.OWN in states:
        yield Shared(op.name, op)
    if State.WRITES in states:
        yield from behind_handles(op)


def _states(op: Any) -> Iterator[State]:
    if calls_functions(op):
        for node in nodes_run_by(op):
            yield State.OWN if node is None else _state(node.op, _numbers(node))
    else:  # not its node_def, which would be a copy of a constant's value
        yield _state(op.type, op.get_attr)


def _numbers(node: Any) -> Callable[[str], int]:
    # To ask a message for what it does not hold would put it there.
    return lambda name: int(node.attr[name].i) if name in node.attr else 0


def _state(op_type: str, attribute: Callable[[str], int]) -> State:
    """What an op does to the session's memory.

    A draw of a generator without a seed does nothing: it is as good as any other, whichever were
    made before.
    """
    row = row_of(op_type)
    if row.seeded and not (attribute("seed") or attribute("seed2")):
        return State.NONE
    return row.state


def behind_handles(op: Any) -> Iterator[Shared]:
    """What the handles that an op takes lead to."""
    at = 0
    for arg in op_def_of(op).input_arg:
        end = at + _width(op, arg)
        for tensor in op.inputs[at:end]:
            if arg.is_ref or tensor.dtype == tf.resource:
                yield held_by(_maker(tensor))
        at = end


def _width(op: Any, arg: Any) -> int:
    """How many inputs stand for one argument."""
    if arg.type_list_attr:
        return len(op.get_attr(arg.type_list_attr))
    return int(op.get_attr(arg.number_attr)) if arg.number_attr else 1


def _maker(handle: Any) -> Any:
    """The op that made a handle; an assignment passes on that of its variable."""
    handle = root(handle)
    while handle.op.inputs and is_handle(handle.op.inputs[0]):
        handle = root(handle.op.inputs[0])
    return handle.op
