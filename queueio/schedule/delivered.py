"""What a run delivered to its program, and what went wrong in it: the facts that runs differ in."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import Any

from queueio.graph.traits import row_of
from queueio.graph.traversal import ancestors, is_queue
from queueio.runtime import calls
from queueio.runtime.calls import Along, SessionCall
from queueio.runtime.topology import Topology
from queueio.schedule.controller import Controller, told
from queueio.schedule.events import Event
from queueio.schedule.needs import Need, needs_of

_NO_INIT = ("uninitialized value", "does not exist", "Could not find variable")
_HANDLES = ("TakeManySparse", "DeserializeMany")


class Delivered:
    """Fetches, beside what the program fetches, the elements that its calls take.

    Calls that put what they take into a queue deliver nothing: they pass it on.
    """

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._taken: dict[str, list[tuple[str, list[str]]]] = defaultdict(list)
        self._calls: dict[str, int] = defaultdict(int)
        self._unset: dict[str, str] = {}
        self._ends: dict[str, str] = {}
        self._plain: dict[Any, bool] = {}
        calls.along.append(self._along)

    def note(self, event: Event) -> None:
        """Looks at an event for what went wrong."""
        if event.error and any(sign in event.error for sign in _NO_INIT):
            self._unset.setdefault(event.actor, f"{event.error} at {event.line}")

    def told(self, error: BaseException | None) -> dict[str, Any]:
        """All of it, as data of JSON."""
        return {
            "taken": dict(self._taken),
            "unset": self._unset,
            "failed": {
                actor.letter: [actor.name, text]
                for actor in self._controller.actors[1:]
                if (text := self._failure(actor, error))
            },
        }

    def _failure(self, actor: Any, error: BaseException | None) -> str:
        record = getattr(actor.thread, "record", None)
        failure = actor.error
        if failure is None and record is not None and record.state == "failed":
            failure = record.error
        return "" if failure is None or failure is error else told(failure)

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
            self._note_taken(taker.letter, call, wanted, list(values))

        return Along(tensors, give)

    def _note_taken(
        self, letter: str, call: SessionCall, wanted: list[Need], values: list[Any]
    ) -> None:
        for need in wanted:
            n = len(need.op.outputs)
            mine, values = values[:n], values[n:]
            rows = len(mine[0]) if need.many else 1
            self._taken[letter].append((need.queue, self._digests(call, need, mine, rows)))

    def _digests(self, call: SessionCall, need: Need, values: list[Any], rows: int) -> list[str]:
        """What stands for each row; only "" where its values are chance's, or no values."""
        if need.op not in self._plain:
            self._plain[need.op] = _is_plain(call, need)
        if not self._plain[need.op]:
            return [""] * rows
        return [_digest([v[i] for v in values] if need.many else values) for i in range(rows)]


def _is_plain(call: SessionCall, need: Need) -> bool:
    """Whether the values of an element are those of the data: no random op made them."""
    takers = {c.type for tensor in need.op.outputs for c in tensor.consumers()}
    if any(kind.startswith(_HANDLES) for kind in takers):
        return False
    before = ancestors([need.op, *Topology(call.session.graph).before(need.queue)])
    return not any(
        row_of(op.type).seeded and not is_queue(op) and op.type != "RandomShuffle" for op in before
    )


def _digest(values: list[Any]) -> str:
    found = hashlib.sha256()
    for value in values:
        found.update(repr(value).encode() if not hasattr(value, "tobytes") else _bytes(value))
    return found.hexdigest()[:12]


def _bytes(value: Any) -> bytes:
    return repr(value.tolist()).encode() if value.dtype == object else value.tobytes()
