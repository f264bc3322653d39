"""Threads that live and wait for one another: round in a circle, or for room in a full queue.

Nothing has failed and nothing is slow, so all that tells is what each enqueue op needs: elements of
a queue that only it fills, or room in a queue that nobody empties.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from queueio.errors import message
from queueio.runtime import ledger
from queueio.runtime.calls import SessionCall, in_flight, others_in_flight
from queueio.runtime.diagnosis.state import SessionState
from queueio.runtime.diagnosis.verdict import Verdict


def circle(
    trail: Sequence[str], ops: Sequence[Any], call: SessionCall, state: SessionState
) -> Verdict | None:
    """The verdict where all that fills the last queue of `trail` waits for a queue of `trail`.

    Args:
      trail: the keys of queues that have nothing to give, each filled from the next one.
      ops: the ops that fill the last one, which run now.
      call: the call that waits.
      state: the session's.
    """
    back = [_nearest(trail, state.topology.sources_of([op])) for op in ops]
    places = [place for place in back if place is not None]
    if not places or len(places) < len(back):
        return None
    ring = trail[min(places) :]
    names = [state.topology.stage(name) for name in ring]
    what = f"{names[0]} is filled from itself, and has nothing to give"
    if len(ring) > 1:
        pairs = zip(names, [*names[1:], names[0]], strict=True)
        what = "; ".join(f"{name} is filled from {source}" for name, source in pairs)
        what = f"{len(ring)} queues have nothing to give and wait for one another: {what}"
    text = message(
        what,
        "each element is made of one that must be there before",
        "Put the first elements in from outside, as many as are to go round, before this call",
    )
    certain = _none_was_in(ring, call, state)
    return Verdict(text, f"circle {' '.join(sorted(ring))}", certain, 1 if certain else 4)


def _none_was_in(ring: Sequence[str], call: SessionCall, state: SessionState) -> bool:
    """Whether no element ever was in the circle, and none can come: one may be inside of an op."""
    record, topology = ledger.of(call.session), state.topology
    producers = [op for name in ring for op in topology.producers[name]]
    filled = [t for t in record.threads() if set(topology.filled_by([t.enqueue_op])) & set(ring)]
    begun = any(t.enqueued for t in filled) or any(
        op.name in record.fed_by_hand for op in producers
    )
    return not begun and all(set(topology.sources_of([op])) & set(ring) for op in producers)


def _nearest(trail: Sequence[str], sources: Sequence[str]) -> int | None:
    places = [trail.index(source) for source in sources if source in trail]
    return max(places, default=None)


def behind_full(
    name: str, ops: Sequence[Any], call: SessionCall, state: SessionState
) -> Verdict | None:
    """The verdict where what fills a queue first waits for room in another, which nobody empties.

    Args:
      name: the key of the queue that is waited for.
      ops: the ops that fill it, which run now.
      call: the call that waits.
      state: the session's.
    """
    topology = state.topology
    running = [t.enqueue_op for t in ledger.of(call.session).threads() if t.state == "running"]
    calls = [op for each in list(in_flight.values()) for op in each.ops()]
    emptied = set(topology.sources_of(running + calls))
    for full in topology.filled_by(ops):
        if full == name or full in emptied or not state.is_full(full):
            continue
        queue, takers = topology.queues[full], topology.takers.get(full, [])
        text = message(
            f"What fills {topology.stage(name)} fills queue {topology.stage(full)} as well, which "
            f"is full: it holds {state.sizes[full]}",
            "nothing that runs takes elements out of it",
            f"Take from both in every step, in one call, or leave {queue.name!r} out of the op",
        )
        # A thread of the program may still come and take from it.
        return Verdict(text, f"behind {full}", not takers, 4 if takers else 1)
    return None


def filled_now(name: str, call: SessionCall, state: SessionState) -> list[Any]:
    """The enqueue ops of a queue that calls of the program's own threads are inside of now."""
    inside = {op for other in others_in_flight(call, call.session) for op in other.runs()}
    return [op for op in state.topology.producers.get(name, ()) if op in inside]
