"""When has a blocked call waited too long? Only when nothing moved at all for that long.

A call is looked at after half of `stall_seconds` and again after all of it. If a queue's size, a
thread's count or a feeding call changed in between, the pipeline is slow, not stuck, and the
clock starts anew; unless all it does is turn (`spinning`).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import tensorflow.compat.v1 as tf
from tensorflow.python.client import session as session_lib

from queueio import settings
from queueio.errors import StallWarning
from queueio.graph.origin import line_of_thread, warn_at
from queueio.runtime import ledger
from queueio.runtime.calls import SessionCall, in_flight
from queueio.runtime.diagnosis import blame, queues, spinning
from queueio.runtime.diagnosis.state import SessionState
from queueio.runtime.diagnosis.verdict import Verdict


def check(calls: Sequence[SessionCall]) -> None:
    """Examine the calls that have been blocked for long; warn about or end those that hang."""
    chosen = settings.current()
    for call in calls:
        now = time.monotonic()
        if call.told or now - call.started < chosen.stall_seconds / 2:
            continue
        try:
            _examine(call, now, chosen)
        except Exception as failure:  # the watcher must live on
            call.told = True
            tf.logging.vlog(1, "queueio could not examine a blocked call: %r", failure)


def _examine(call: SessionCall, now: float, chosen: settings.Settings) -> None:
    if not _is_inside(call):
        in_flight.pop(id(call), None)
        return
    if call.snapshot is None:
        call.snapshot, call.due = SessionState.of(call), call.started + chosen.stall_seconds
        call.first = call.snapshot
        return
    if now < call.due:
        return
    state = SessionState.of(call)
    call.due = now + chosen.stall_seconds / 2
    if state != call.snapshot:
        call.snapshot = state
        verdict = _turning(call, state)
        quiet = now - call.first.taken_at
    else:
        verdict = blame.diagnose(call, state)
        quiet = now - call.snapshot.taken_at
    if verdict is None or quiet < verdict.patience * chosen.stall_seconds / 2:
        return
    call.told = True
    if verdict.at_work:
        _note(call, verdict, now)
    elif verdict.certain and chosen.on_stall == "raise":
        _end(call, verdict, now)
    elif verdict.key not in ledger.of(call.session).told:
        ledger.of(call.session).told.add(verdict.key)
        _warn(call, verdict, now)


def _is_inside(call: SessionCall) -> bool:
    """Whether its thread is in a session: Ctrl-C may have torn it out of the call's end."""
    frame = sys._current_frames().get(call.thread)
    while frame is not None and frame.f_code.co_filename != session_lib.__file__:
        frame = frame.f_back
    return frame is not None


def _turning(call: SessionCall, state: SessionState) -> Verdict | None:
    """Something moved; was it for nothing?"""
    if spinning.nearest_moved(call.first, state, call):
        call.first = state
        return None
    return spinning.diagnose(call, call.first, state)


def _text(call: SessionCall, verdict: Verdict, now: float) -> str:
    site = line_of_thread(call.thread)
    where = f" at {site}" if site else ""
    return f"sess.run{where} has been waiting for {now - call.started:.1f} s: {verdict.text}"


def _note(call: SessionCall, verdict: Verdict, now: float) -> None:
    """Say it in the log: a warning could be made an error, and nothing is wrong."""
    told = ledger.of(call.session).told
    if verdict.key not in told:
        told.add(verdict.key)
        tf.logging.warning("queueio: %s", _text(call, verdict, now))


def _warn(call: SessionCall, verdict: Verdict, now: float) -> None:
    site = line_of_thread(call.thread)
    text = _text(call, verdict, now)
    try:
        warn_at(site, text, StallWarning)
    except StallWarning:  # the user turned warnings into errors
        _end(call, verdict, now)


def _end(call: SessionCall, verdict: Verdict, now: float) -> None:
    call.verdict = _text(call, verdict, now)
    queues.stop_session(call.session, "QueueStalled")
