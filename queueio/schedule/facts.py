"""The facts of a run: what it delivered to its program, what failed in it, whether it moved on."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from queueio.graph.traits import row_of
from queueio.graph.traversal import ancestors, is_counter, is_dequeue, is_queue, kind, parents
from queueio.runtime import calls
from queueio.runtime.calls import Along, SessionCall
from queueio.runtime.threads.coordinator import Coordinator
from queueio.runtime.topology import Topology
from queueio.schedule.actors import Actor
from queueio.schedule.controller import Controller, told
from queueio.schedule.events import Event
from queueio.schedule.findings import in_vain
from queueio.schedule.line import letter
from queueio.schedule.needs import Need, needs_of
from queueio.schedule.plain import runner_names

MAIN = letter(0)
_NO_INIT = ("uninitialized value", "does not exist", "Could not find variable")
_HANDLES = ("AddSparse", "AddManySparse")
"""How the ops begin whose results stand for sparse tensors that lie in a table: mere numbers."""


class RunFacts:
    """Notes them while a program runs.

    The elements that its calls take are fetched beside what it fetches. Calls that put what they
    take into a queue deliver nothing: they pass it on.
    """

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._taken: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
        self._unset: dict[str, str] = {}
        self._cancelled: dict[str, str] = {}
        self._plain: dict[Any, bool] = {}
        self._raised: list[BaseException] = []
        self._left: dict[str, int] = {}
        self._idle: Counter[str] = Counter()
        self._main_waits = 0
        self._main_best = 0
        calls.along.append(self._along)
        _note_raised(self._raised)

    def note(self, event: Event) -> None:
        """Looks at an event."""
        if event.error and any(sign in event.error for sign in _NO_INIT):
            self._unset.setdefault(event.name, f"{event.error} at {event.line}")
        self._left.update({level.name: level.size for level in event.after})
        if event.before or event.lasts or event.kind not in ("run", "wake"):
            self._idle.clear()
        else:
            self._idle[event.kind if event.actor != MAIN else f"main {event.kind}"] += 1
        self._note_main(event)
        if in_vain(self._idle, self._main_waits):
            self._controller.cut_off()

    def _note_main(self, event: Event) -> None:
        """For how long the main thread has waited for a queue that has not grown meanwhile."""
        main = event.standings[0]
        grown = any(level.name == main.queue and level.size > self._main_best
                    for level in event.after)  # fmt: skip
        if event.actor == MAIN or not main.queue or grown:
            self._main_waits = 0
            self._main_best = self._left.get(main.queue, 0)
        self._main_waits += 1

    def told(self, error: BaseException | None) -> dict[str, Any]:
        """All of it, as data of JSON."""
        return {
            "taken": {name: list(each) for name, each in self._taken.items()},
            "unset": self._unset,
            "left": self._left,
            "idle": dict(self._idle),
            "main_waits": self._main_waits,
            "crews": crews(self._controller.actors),
            "failed": {
                actor.name: text
                for actor in self._controller.actors[1:]
                if (text := self._failure(actor, error))
            },
        }

    def _failure(self, actor: Any, error: BaseException | None) -> str:
        """The error that a thread died by, unless the program was told of it."""
        record = getattr(actor.thread, "record", None)
        failure = actor.error
        if record is not None and record.state == "failed":
            failure = record.error
        if failure is None or failure is error or self._raised:  # a coordinator tells all at once
            return ""
        return told(failure)

    def _along(self, call: SessionCall) -> Along | None:
        actor = self._controller.current()
        if actor is None:
            return None
        needs = needs_of(call)
        wanted = [n for each in needs.takes.values() for n in each if n.sure]
        if not wanted or needs.puts:
            return None
        tensors = [tensor for need in wanted for tensor in need.op.outputs]

        def give(values: list[Any]) -> None:
            taker = self._controller.current() or actor
            self._note_taken(taker.name, call, wanted, list(values))

        return Along(tensors, give)

    def _note_taken(
        self, name: str, call: SessionCall, wanted: list[Need], values: list[Any]
    ) -> None:
        found: list[tuple[str, list[str]]] = []
        for need in wanted:
            n = len(need.op.outputs)
            mine, values = values[:n], values[n:]
            rows = len(mine[0]) if need.many else 1
            found.append((need.queue, self._digests(call, need, mine, rows)))
        self._taken[name] += _together(found, wanted)

    def _digests(self, call: SessionCall, need: Need, values: list[Any], rows: int) -> list[str]:
        """What stands for each row; "" where its values are chance's, or no values."""
        if need.op not in self._plain:
            self._plain[need.op] = _is_plain(call, need)
        if not self._plain[need.op]:
            return [""] * rows
        each = values if need.many else [[value] for value in values]
        padded = any("Padding" in op.type for op in parents(need.op))
        found = [[unpadded(v[i]) if padded else v[i] for v in each] for i in range(rows)]
        return ["|".join(map(_digest, element)) for element in found]


def crews(actors: Iterable[Actor]) -> dict[str, int]:
    """By the queue's name, how many queue runners' threads filled it, at most, in one session."""
    found = Counter(
        (id(actor.session), queue)
        for actor in actors
        for queue, op in [runner_names(actor.name)]
        if queue and op != "close_on_stop"
    )
    return {queue: max(n for (_, q), n in found.items() if q == queue) for _, queue in found}


def _together(
    found: list[tuple[str, list[str]]], wanted: list[Need]
) -> list[tuple[str, list[str]]]:
    """The rows that one call took from several queues in their order are pairs."""
    ordered = not any("Shuffle" in op.type for need in wanted for op in parents(need.op))
    rows = {len(each) for _, each in found}
    if len(found) < 2 or len(rows) > 1 or not ordered or not all(all(each) for _, each in found):
        return found
    pairs = ["|".join(parts) for parts in zip(*(each for _, each in found), strict=True)]
    return [("+".join(name for name, _ in found), pairs)]


def _is_plain(call: SessionCall, need: Need) -> bool:
    """Whether the values of an element are those of the data.

    So they are where no op is random, reads a variable or takes several elements from a queue on
    the way: which come together in a batch, the order of the threads decides.
    """
    graph = call.session.graph
    upstream = Topology(graph).before(need.queue)
    batched = any(is_dequeue(op) and kind(op) != "QueueDequeue" for op in upstream)
    before = ancestors([need.op, *upstream], is_counter)
    return not batched and not any(_is_chance(op) or op.type.startswith(_HANDLES) for op in before)


def _is_chance(op: Any) -> bool:
    row = row_of(op.type)
    if is_counter(op) or is_queue(op) or op.type == "RandomShuffle":
        return False
    read = op.type in ("VariableV2", "Variable", "ReadVariableOp")
    counts = any(is_counter(user) for tensor in op.outputs for user in tensor.consumers())
    return row.seeded or (read and not counts)


def unpadded(value: Any) -> Any:
    """An array without what may be padding, which depends on what else is in the batch.

    Args:
      value: a component of an element that a padding queue gave.

    Returns:
      It without the zeros, or empty texts, at the ends of its axes.
    """
    array = np.asarray(value)
    for axis in range(array.ndim):
        others = tuple(other for other in range(array.ndim) if other != axis)
        full = np.flatnonzero(array.astype(bool).any(others))
        array = array.take(range(full[-1] + 1 if full.size else 0), axis)
    return array


def _digest(value: Any) -> str:
    if hasattr(value, "tobytes") and value.dtype != object:
        data = value.tobytes()
    else:
        data = repr(value.tolist() if hasattr(value, "tolist") else value).encode()
    return hashlib.sha256(data).hexdigest()[:10]


def _note_raised(raised: list[BaseException]) -> None:
    """Keeps the errors that coordinators raise: somebody was told of those."""
    for each in (Coordinator, tf.train.Coordinator):
        stock = each.raise_requested_exception

        def telling(coord: Any, stock: Any = stock) -> None:
            try:
                stock(coord)
            except BaseException as error:
                raised.append(error)
                raise

        each.raise_requested_exception = telling  # type: ignore[method-assign]
