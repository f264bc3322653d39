"""Queues that the program's own threads fill and empty.

What those threads do is in Python, and not in the graph: all that tells of them is which enqueue
ops they ran, what calls they are inside of, and with what error they ended.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from types import FrameType
from typing import Any

from queueio.errors import message
from queueio.graph.origin import line_of_thread, origin
from queueio.graph.traversal import ancestors
from queueio.runtime import ledger
from queueio.runtime.calls import SessionCall, others_in_flight
from queueio.runtime.diagnosis import queues
from queueio.runtime.diagnosis.state import SessionState, Wait, capacity, run_beside, waits_of
from queueio.runtime.diagnosis.verdict import Verdict
from queueio.runtime.joining import awaited_in
from queueio.runtime.topology import Topology, silent_runners
from queueio.words import times

START = "threads = tf.train.start_queue_runners(sess=sess, coord=coord)"


def not_fed(name: str, producers: Sequence[Any], call: SessionCall, topology: Topology) -> Verdict:
    """The verdict on an empty queue without a queue runner, which nobody fills now.

    Args:
      name: the key of the queue.
      producers: the enqueue ops that the graph has for it.
      call: the call that waits.
      topology: of the session's graph.
    """
    counts = ledger.of(call.session).fed_by_hand
    op = max(producers, key=lambda each: counts.get(each.name, 0))  # the first of those never run
    fed = [i for i in ancestors(producers) if i.type in ("Placeholder", "PlaceholderV2")]
    others, elsewhere = _who_may_fill(name, call), _elsewhere(name, producers, call, topology)
    fill = f"sess.run({op.name!r}" + (f", feed_dict={{{fed[0].name!r}: …}})" if fed else ")")
    why = "it has no queue runner"
    before = counts.get(op.name, 0)
    if before:
        why += f", was run {times(before, 'time')} by a thread of the program, and no more"
    if fed:
        why += f", and a queue runner could not feed its placeholder {fed[0].name!r}"
    remedy = "Run it in a thread of your own beside this call"
    if not fed:
        remedy += ", or add a queue runner for it before start_queue_runners"
    silent = [] if others or before else silent_runners(topology.graph)
    if silent:
        remedy = (
            f"The graph's collection of queue runners holds {' and '.join(silent)}, which does not"
            " say what it runs: where it runs this op, start it"
        )
    who = f"Nobody runs the enqueue op {op.name!r} ({origin(op)})"
    if elsewhere:
        who += " in this session"
        why = f"{elsewhere}, and each session has its own queues"
        remedy = "Run it in the session of this call: hand that to the thread that feeds"
    failures = ledger.of(call.session).failures(each.name for each in producers)
    text = message(who, "; ".join([*failures, why]), remedy, right=START if silent else fill)
    if others:
        text += f"\n  (threads that may do so: {', '.join(t.name for t in others)})"
    patience = 4 if others else 1
    return Verdict(text, f"by hand {name}", certain=not others, patience=patience)


def _elsewhere(
    name: str, producers: Sequence[Any], call: SessionCall, topology: Topology
) -> str | None:
    """That a queue was filled in another session of the graph, which has one of its own."""
    session = ledger.innermost(call.session)
    shared = topology.queues[name].get_attr("shared_name")
    runs = 0
    for other in ledger.sessions():
        apart = other is not session and other.graph is session.graph
        one_queue = shared and getattr(other, "sess_str", "")
        if apart and not one_queue:
            runs += sum(ledger.of(other).fed_by_hand.get(op.name, 0) for op in producers)
    return f"it was run {times(runs, 'time')} in another one" if runs else None


def threads_beside(call: SessionCall) -> list[threading.Thread]:
    """Threads of the program that may fill or empty a queue while the call waits."""
    return [thread for thread in ledger.program_threads() if thread.ident != call.thread]


def _who_may_fill(name: str, call: SessionCall) -> list[threading.Thread]:
    """The same without those that wait for elements of this queue themselves."""
    waiting = {c.thread for c in _calls_at(name, call, takes=True)}
    return [thread for thread in threads_beside(call) if thread.ident not in waiting]


def _calls_at(name: str, call: SessionCall, takes: bool) -> list[SessionCall]:
    """Other calls in flight in the session that take from a queue, or put into it."""
    beside = others_in_flight(call, call.session)
    return [c for c in beside if any(w.queue == name and w.takes is takes for w in waits_of(c))]


def why_full(wait: Wait, call: SessionCall, state: SessionState) -> Verdict | None:
    """The verdict on a call that waits for room in a full queue; None where somebody may make it.

    A full queue is normal unless nothing can ever take from it: the main thread puts in or closes,
    or waits for a thread to end that does.

    Args:
      wait: the call's enqueue or close op.
      call: the call.
      state: the session's.
    """
    behind = _full_behind(wait.queue, call, state)
    if behind is None:
        return None
    stuck = {call.thread, *(c.thread for c in _calls_at(wait.queue, call, takes=False))}
    main = threading.main_thread()
    join = None if main.ident in stuck else _join(main, stuck)
    if main.ident not in stuck and join is None:
        return None
    away = {*stuck, main.ident} if join is not None else stuck
    beside = [thread for thread in threads_beside(call) if thread.ident not in away]
    certain = not beside and (join is None or join.f_locals.get("timeout") is None)
    text = _full_in_words(wait, [state.topology.stage(each) for each in behind], join)
    return Verdict(text, f"full {wait.queue}", certain, 1 if certain else 4)


def _full_in_words(wait: Wait, behind: Sequence[str], join: FrameType | None) -> str:
    what = "Nothing takes elements out of it"
    reasons = []
    do = "Give the queue a larger capacity, enqueue less at once, or dequeue in another thread"
    if behind:
        what = "What takes elements out of it waits for room itself"
        reasons.append(f"nothing empties {', '.join(behind)}, full as well")
    if wait.closes:
        what += ", and it is closed after the enqueues before it"
        do = f"Take the elements first; or drop what waits: {_CANCEL}"
    else:
        what += " while this call puts them in"
    if join is not None:
        site = line_of_thread(threading.main_thread().ident or -1)
        at = f", at {site}" if site else ""
        reasons.append(f"the main thread waits for this one to end{at}")
        do = f"Take the elements before that, or in another thread; to end it, {_CANCEL}"
    return message(what, "; ".join(reasons), do)


_CANCEL = "run queue.close(cancel_pending_enqueues=True)"


def _full_behind(name: str, call: SessionCall, state: SessionState) -> list[str] | None:
    """The full queues that what is taken from a queue goes into; None where something can go on."""
    topology = state.topology
    chain, beside = [name], run_beside(call)
    for queue in chain:
        for op in beside:
            if queue not in topology.sources_of([op]):
                continue
            full = [each for each in topology.filled_by([op]) if _is_full(each, call, state)]
            if not full:
                return None
            chain += [each for each in full if each not in chain]
    return chain[1:]


def _is_full(name: str, call: SessionCall, state: SessionState) -> bool:
    """Whether a queue has no room, be it one behind those that the state knows."""
    room = capacity(state.topology.queues[name])
    if room is None:
        return False
    answers = queues.ask(ledger.innermost(call.session), [queues.size(state.topology, name)])
    return bool(answers) and int(answers[0]) >= room


def _join(thread: threading.Thread, ends: set[int]) -> FrameType | None:
    """The frame of a `join` in which a thread waits for one of others to end."""
    frame: FrameType | None = sys._current_frames().get(thread.ident or -1)
    while frame is not None and (awaited := awaited_in(frame)) is None:
        frame = frame.f_back
    return frame if frame is not None and getattr(awaited, "ident", None) in ends else None
