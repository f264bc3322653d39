"""What a blocked call waits for, and everything that could move while it waits."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

from queueio.graph.static_values import static_value
from queueio.graph.traversal import (
    closed_queue,
    is_dequeue,
    is_enqueue,
    is_queue,
    is_take,
    kind,
    put_into,
    root,
    taken_from,
)
from queueio.runtime import ledger
from queueio.runtime.calls import SessionCall, others_in_flight
from queueio.runtime.diagnosis import at_work, queues
from queueio.runtime.topology import Topology, key


@dataclass(frozen=True)
class Wait:
    """An op of the call that takes `count` elements from a queue, puts some into it or closes it.

    An op that closes it lets the enqueues that wait before it go first, and so waits with them.
    """

    op: Any
    queue: str
    takes: bool
    count: int | None

    @property
    def closes(self) -> bool:
        return kind(self.op) == "QueueClose"

    @property
    def at_once(self) -> bool:
        """Whether the elements must all be there before one is taken.

        Other queues give a batch piece by piece; this one sorts it, and could not.
        """
        return self.takes and "PriorityQueue" in _queue_type(self.op)


@dataclass
class SessionState:
    """Two states are equal when nothing moved between them.

    Queues that tf.data fills, or whose batches it makes, are `served`; there, what moves is which
    call of a Python function is `inside` which thread, and the bytes `read`.
    """

    waits: list[Wait] = field(compare=False)
    topology: Topology = field(compare=False)
    taken_at: float = field(compare=False)
    computed: float = field(compare=False)
    served: frozenset[str] = field(compare=False)
    sizes: dict[str, int | None]
    counts: list[int]
    fed: dict[str, int]
    feeding: set[int]
    inside: dict[int, Any]
    read: int

    @classmethod
    def of(cls, call: SessionCall) -> SessionState:
        """Ask the session now. Takes a few milliseconds."""
        session = ledger.innermost(call.session)
        topology = Topology(session.graph)
        waits = [_as_examples(wait, topology, session) for wait in waits_of(call)]
        names = list(dict.fromkeys(n for w in waits for n in topology.upstream(w.queue)))
        filled = {key(run.queue_op) for run in ledger.of(session).runs if run.by_data}
        served = frozenset(
            name for name in names
            if name in filled
            or (name in topology.stand_ins and topology.stand_ins[name].made_in(session))
        )  # fmt: skip
        return cls(
            waits=waits,
            topology=topology,
            taken_at=time.monotonic(),
            computed=time.process_time(),
            sizes=_sizes(session, topology, [*names, *_beside(names, topology, call)]),
            counts=[thread.enqueued for thread in ledger.of(session).threads()],
            fed=dict(ledger.of(session).fed_by_hand),
            feeding=_feeding(call, topology, names),
            served=served,
            inside=at_work.python_calls(op for name in served for op in topology.before(name)),
            read=at_work.bytes_read() if served else 0,
        )

    def computed_since(self, before: SessionState) -> bool:
        """Whether the process used a tenth of a processor or more: then it is at work."""
        return self.computed - before.computed > 0.1 * (self.taken_at - before.taken_at)

    def available(self, name: str) -> int | None:
        """Elements that a dequeue could take now, None when unknown.

        A shuffling queue keeps `min_after_dequeue` back until it is closed.
        """
        size = self.sizes.get(name)
        return None if size is None else size - kept_back(self.topology.queues[name])

    def lacks(self, wait: Wait) -> bool:
        """Whether a dequeue finds too little to go on."""
        available = self.available(wait.queue)
        needed = (wait.count or 1) if wait.at_once else 1
        return wait.takes and available is not None and available < needed

    def is_full(self, name: str) -> bool:
        size, room = self.sizes.get(name), capacity(self.topology.queues[name])
        return size is not None and room is not None and size >= room


def _queue_type(op: Any) -> str:
    queue = taken_from(op)
    return "" if queue is None else str(queue.type)


def waits_of(call: SessionCall) -> list[Wait]:
    """Every queue op that the call needs, whether it waits or not."""
    waits = []
    for op in call.runs():
        if is_take(op) and (queue := taken_from(op) or _chosen(op, call)) is not None:
            waits.append(Wait(op, key(queue), True, _count(op, call)))
        elif (queue := _needs_room_in(op, call)) is not None:
            waits.append(Wait(op, key(queue), False, None))
    return waits


def _needs_room_in(op: Any, call: SessionCall) -> Any:
    """The queue that an op fills, or closes once all that waits for room is in; None for others."""
    if is_enqueue(op):
        return put_into(op) or _chosen(op, call)
    if kind(op) != "QueueClose" or op.get_attr("cancel_pending_enqueues"):
        return None
    return closed_queue(op)


def _chosen(op: Any, call: SessionCall) -> Any:
    """The queue of a `QueueBase.from_list` that the call tells to take; None where it does not."""
    choice = root(op.inputs[0]).op
    several = root(choice.inputs[0]).op if choice.type == "GatherV2" else None
    if several is None or several.type != "Pack":
        return None
    place = _number(choice.inputs[1], call)
    if place is None or not 0 <= place < len(several.inputs):
        return None
    found = root(several.inputs[place]).op
    return found if is_queue(found) else None


def _as_examples(wait: Wait, topology: Topology, session: Any) -> Wait:
    """The same; a call that passes its batch on itself waits for the examples of it."""
    runner = topology.stand_ins.get(wait.queue)
    if runner is None or not runner.passes_on(session):
        return wait
    return replace(wait, queue=topology.shown(wait.queue), count=runner.batch_size)


def capacity(queue: Any) -> int | None:
    """Room of a queue in elements; None for one without limit."""
    room = queue.get_attr("capacity")
    return None if room < 0 else int(room)


def kept_back(queue: Any) -> int:
    """Elements that a shuffling queue does not give away while it is open."""
    return int(queue.get_attr("min_after_dequeue")) if "Shuffle" in queue.type else 0


def _count(op: Any, call: SessionCall) -> int | None:
    if not is_dequeue(op) or kind(op) == "QueueDequeue":
        return 1
    return _number(op.inputs[1], call)


def _number(asked: Any, call: SessionCall) -> int | None:
    """What a tensor of one integer is in a call, as far as it is fed or a constant."""
    for tensor, value in (call.feed_dict or {}).items():
        if tensor is asked:
            return int(value)
    value = static_value(asked)
    return None if value is None else int(value)


def run_beside(call: SessionCall) -> list[Any]:
    """The ops that queue runners' threads run beside a call, and those that other calls ask for."""
    running = [t.enqueue_op for t in ledger.of(call.session).threads() if t.state == "running"]
    others = [op for each in others_in_flight(call) for op in each.ops()]
    return list(dict.fromkeys(running + others))


def _beside(names: list[str], topology: Topology, call: SessionCall) -> list[str]:
    """Queues that the ops which fill `names` fill as well: one may wait for room in the other."""
    filled = [topology.filled_by([op]) for op in run_beside(call)]
    found = [other for each in filled if set(each).intersection(names) for other in each]
    return [name for name in dict.fromkeys(found) if name not in names]


def _sizes(session: Any, topology: Topology, names: list[str]) -> dict[str, int | None]:
    """The size of each queue; None for all when the session does not answer."""
    answers = queues.ask(session, [{name: queues.size(topology, name) for name in names}])
    found = answers[0] if answers else {}
    return {name: int(found[name]) if name in found else None for name in names}


def _feeding(call: SessionCall, topology: Topology, names: list[str]) -> set[int]:
    """Calls of other threads that fill one of the queues by hand."""
    producers = {op for name in names for op in topology.producers.get(name, ())}
    return {
        id(other)
        for other in others_in_flight(call, call.session)
        if producers.intersection(other.runs())
    }
