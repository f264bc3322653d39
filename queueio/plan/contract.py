"""How a stage says what it lifts, so that the lifter need not know any stage by name.

A stage registers a function for op types, or for a role that no single op plays:

    @lifts("ReaderReadV2", "ReaderRead")
    def lift(op: tf.Operation, walk: Walk) -> Node: ...

    @lifts(Role.ZIP)
    def lift(walk: Walk, streams: Sequence[Node]) -> Node: ...

An op type may only be registered by one stage. Op types end up in one of three tables by what the
op is to a stream: a point where elements come out, a queue, or a reader.
"""

from __future__ import annotations

import enum
import functools
import importlib
import os
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar, cast

from queueio.plan.node import Node

F = TypeVar("F", bound=Callable[..., Any])
ROOMS = ("queueio.stages", "queueio.contrib")
"""The packages whose modules are stages: what TF1 had under `tf.train`, and under `tf.contrib`."""


class Role(enum.Enum):
    """What a stage is to the lifter when no single op stands for it; with its call."""

    SOURCE = "source"
    """An enqueue whose inputs depend on no stream; `counter` is the op that limits it, or None.

    lift(walk, op, fragment, elements, counter, enqueue_many) -> Node
    """
    FED = "fed"
    """An enqueue whose inputs its queue runner feeds, with what the function `feeds` returns.

    lift(walk, op, feeds) -> Node | None
    """
    TRANSFORM = "transform"
    """Ops between two stream points; `takes` are positions in the flat components.

    lift(walk, op, stream, fragment, takes, elements) -> Node
    """
    LIMIT = "limit"
    """A counter, `op`, that ends a stream.

    lift(walk, op, stream) -> Node
    """
    KEEP_IF = "keep_if"
    """A conditional enqueue; the stream's last component is the condition.

    lift(walk, op, stream, branch) -> Node
    """
    ENQUEUE_MANY = "enqueue_many"
    """Each element's rows become elements.

    lift(walk, op, stream) -> Node
    """
    JOIN = "join"
    """Several enqueue ops on one queue; `widths` says how many of them each stream stands for.

    lift(walk, op, streams, widths) -> Node
    """
    PRODUCERS = "producers"
    """Producers of one join that take from the same queues and differ in what they make of it.

    `treatments` are transforms of `stream`, `turns` says which of them each producer gives.
    With `by_reader` the last component of `stream` is the number of the producer.

    lift(walk, op, stream, treatments, turns, by_reader) -> Node
    """
    BUCKETS = "buckets"
    """One enqueue op that sorts its elements over several queues, all emptied into one.

    `buckets` has the op of each such queue, and that of the dequeue. The stream's last component
    says into which one an element goes: into the one with this value among `keys`. `gives` says of
    each component of the result which component of the batch it is, or an array with the
    constant of each bucket.

    lift(walk, op, stream, buckets, keys, gives) -> Node
    """
    TOWERS = "towers"
    """Several dequeues of one queue, alike, that one session call runs; `stream` is of one alone.

    lift(walk, stream, ops) -> Node
    """
    ZIP = "zip"
    """Several stream points under one op.

    lift(walk, op, streams) -> Node
    """


class Walk(Protocol):
    """What a stage's `lift` may ask of the lifter."""

    graph: Any

    def queue(self, handle: Any, consumer: Any) -> Node:
        """The stream that comes out of a queue; `consumer` is the op that takes from it."""

    def threads(self, queue_op: Any) -> int:
        """How many threads fill a queue."""

    def threads_of_producer(self) -> int:
        """How many threads run what is being lifted: 1 where the program itself fetches it."""

    def readers_beside(self, op: Any) -> int:
        """How many readers share the queue of read op `op`, under one join."""

    def tells_readers(self, op: Any) -> bool:
        """Whether the elements of read op `op` shall end with the number of their reader."""

    def constant(self, tensor: Any, what: str) -> Any:
        """The value of a tensor that must be known now, as a numpy array; or refuses."""

    def feeds(self, queue_op: Any) -> Node:
        """What the producers put into a queue, in one stream."""

    def refuse(self, op: Any, reason: str, remedy: str = "", *, never: bool = False) -> Exception:
        """The exception to raise about `op`: NotLifted, or NoEquivalent where `never`."""


_BY_TYPE: dict[str, Callable[..., Any]] = {}
_BY_ROLE: dict[Role, Callable[..., Any]] = {}


def lifts(*what: str | Role) -> Callable[[F], F]:
    """Registers a stage's `lift` for op types, or for a role."""

    def register(function: F) -> F:
        for key in what:
            table: dict[Any, Any] = _BY_ROLE if isinstance(key, Role) else _BY_TYPE
            if key in table:
                raise ValueError(f"two stages lift {key}: {table[key]} and {function}")
            table[key] = function
        return function

    return register


@functools.cache
def load_stages(room: str | None = None) -> None:
    """Imports every stage, or those of a room, so that they have registered."""
    for name in stage_modules(*[room] if room else ROOMS):
        importlib.import_module(name)


@functools.cache
def stage_modules(*rooms: str) -> tuple[str, ...]:
    """The names of all modules in rooms of stages, those that are none among them.

    None of them is imported for it, nor the packages that they are in: a script waits.
    """
    packages = [importlib.import_module(room) for room in rooms or ROOMS]
    return tuple(name for each in packages for name in _modules(each.__path__, each.__name__))


def _modules(folders: Iterable[str], package: str) -> Iterator[str]:
    for module in pkgutil.iter_modules(folders, f"{package}."):
        yield module.name
        if module.ispkg:
            inner = [os.path.join(folder, module.name.rpartition(".")[2]) for folder in folders]
            yield from _modules(inner, module.name)


def lifter_of(what: str | Role) -> Callable[..., Any] | None:
    """The function registered for an op type or a role, or None."""
    table: dict[Any, Any] = _BY_ROLE if isinstance(what, Role) else _BY_TYPE
    for room in ROOMS:
        if what in table:
            break
        for name in stage_modules(room):
            importlib.import_module(name)  # no more of them than are needed: a script waits
            if what in table:
                break
    return cast("Callable[..., Any] | None", table.get(what))
