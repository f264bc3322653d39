"""What a blocked call waits for, and everything that could move while it waits."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import tensorflow.compat.v1 as tf

from queueio.runtime import cancel, extra_ops, ledger
from queueio.runtime.fetched import fed_ops, fetched_ops
from queueio.runtime.topology import (
    DEQUEUES,
    ENQUEUES,
    Topology,
    ancestors,
    key,
    queue_of,
    taken_from,
)


@dataclass(frozen=True)
class Wait:
    """An op of the call that takes `count` elements from a queue, or puts some into it."""

    op: Any
    queue: str
    takes: bool
    count: int | None


@dataclass
class State:
    """Two states are equal when nothing moved between them."""

    waits: list[Wait] = field(compare=False)
    topology: Topology = field(compare=False)
    taken_at: float = field(compare=False)
    computed: float = field(compare=False)
    sizes: dict[str, int | None]
    counts: list[int]
    fed: dict[str, int]
    feeding: set[int]

    @classmethod
    def of(cls, call: Any) -> State:
        """Ask the session now. Takes a few milliseconds."""
        session = ledger.innermost(call.session)
        topology = Topology(session.graph)
        waits = waits_of(call)
        names = list(dict.fromkeys(n for w in waits for n in topology.upstream(w.queue)))
        return cls(
            waits=waits,
            topology=topology,
            taken_at=time.monotonic(),
            computed=time.process_time(),
            sizes=_sizes(session, topology, names),
            counts=[thread.enqueued for thread in ledger.of(session).threads()],
            fed=dict(ledger.of(session).fed_by_hand),
            feeding=_feeding(call, topology, names),
        )

    def computed_since(self, before: State) -> bool:
        """Whether the process used a tenth of a processor or more: then it is at work."""
        return self.computed - before.computed > 0.1 * (self.taken_at - before.taken_at)

    def available(self, name: str) -> int | None:
        """Elements that a dequeue could take now, None when unknown.

        A shuffling queue keeps `min_after_dequeue` back until it is closed.
        """
        size = self.sizes.get(name)
        return None if size is None else size - kept_back(self.topology.queues[name])

    def is_full(self, name: str) -> bool:
        size, room = self.sizes.get(name), capacity(self.topology.queues[name])
        return size is not None and room is not None and size >= room


def waits_of(call: Any) -> list[Wait]:
    """Every queue op that the call needs, whether it waits or not."""
    waits = []
    for op in ancestors(fetched_ops(call), fed_ops(call)):
        queue = taken_from(op)
        if queue is not None:
            waits.append(Wait(op, key(queue), True, _count(op, call)))
        elif op.type in ENQUEUES:
            target = queue_of(op.inputs[0])
            if target is not None:
                waits.append(Wait(op, key(target), False, None))
    return waits


def capacity(queue: Any) -> int | None:
    """Room of a queue in elements; None for one without limit."""
    room = queue.get_attr("capacity")
    return None if room < 0 else int(room)


def kept_back(queue: Any) -> int:
    """Elements that a shuffling queue does not give away while it is open."""
    return int(queue.get_attr("min_after_dequeue")) if "Shuffle" in queue.type else 0


def _count(op: Any, call: Any) -> int | None:
    if op.type not in DEQUEUES or ("Many" not in op.type and "UpTo" not in op.type):
        return 1
    for tensor, value in (call.feed_dict or {}).items():
        if tensor is op.inputs[1]:
            return int(value)
    value = tf.get_static_value(op.inputs[1])
    return None if value is None else int(value)


def _sizes(session: Any, topology: Topology, names: list[str]) -> dict[str, int | None]:
    """The size of each queue; None for all when the session does not answer."""
    answers = cancel.ask(session, [{name: extra_ops.size(topology, name) for name in names}])
    found = answers[0] if answers else {}
    return {name: int(found[name]) if name in found else None for name in names}


def _feeding(call: Any, topology: Topology, names: list[str]) -> set[int]:
    """Calls of other threads that fill one of the queues by hand."""
    from queueio.runtime import watcher

    producers = {op for name in names for op in topology.producers.get(name, ())}
    return {
        id(other)
        for other in watcher.in_flight()
        if other is not call
        and other.session is call.session
        and producers.intersection(ancestors(fetched_ops(other)))
    }
