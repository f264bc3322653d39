"""Which queue a blocked call waits for, who should fill it, and why nobody does."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from queueio.errors import message
from queueio.graph.in_branches import DO, is_runnable
from queueio.graph.origin import line_of_thread, origin
from queueio.graph.traversal import ancestors, is_dequeue, is_read, op_of, type_of
from queueio.runtime import ledger
from queueio.runtime.calls import SessionCall
from queueio.runtime.diagnosis import (
    by_hand,
    deadlock,
    no_answer,
    no_records,
    other_waits,
    queues,
)
from queueio.runtime.diagnosis.at_work import innermost, stack_of
from queueio.runtime.diagnosis.by_hand import START
from queueio.runtime.diagnosis.root_cause import said
from queueio.runtime.diagnosis.state import SessionState, Wait, capacity, kept_back
from queueio.runtime.diagnosis.verdict import Verdict
from queueio.runtime.ledger import RunRecord
from queueio.runtime.topology import (
    Topology,
    is_conditional,
    key,
    stage_name,
)

PATIENCE_AT_WORK = 24
"""A pool of many images takes its time to fill."""


def diagnose(call: SessionCall, state: SessionState) -> Verdict | None:
    """The verdict on a call that has not moved; None when it waits for no queue."""
    if ledger.was_forked():
        return no_answer.forked()
    if state.sizes and all(size is None for size in state.sizes.values()):
        return no_answer.diagnose(call, state)
    for wait in state.waits:
        if state.lacks(wait):
            return framed(wait, state, _never(wait, state) or why_empty(wait.queue, call, state))
    for wait in state.waits:
        if not wait.takes and state.is_full(wait.queue):
            verdict = by_hand.why_full(wait, call, state)
            return framed(wait, state, verdict) if verdict else None
    return other_waits.diagnose(call)


def framed(wait: Wait, state: SessionState, verdict: Verdict | None) -> Verdict | None:
    """The verdict with what is waited for above it."""
    if verdict is None:
        return None
    queue = state.topology.queues[state.topology.shown(wait.queue)]
    reason = verdict.text.replace(f" ({origin(queue)})", "")  # the line was just quoted
    return replace(verdict, text=f"{_need(wait, queue, state)}\n  {reason}")


def _need(wait: Wait, queue: Any, state: SessionState) -> str:
    room = capacity(queue)
    size = state.sizes[key(queue)]
    holds = f"it holds {size}" + (f" of at most {room}" if room else "")
    subject = f"queue {queue.name!r} ({origin(queue)})"
    if not wait.takes:
        what = "closes" if wait.closes else "puts into"
        return f"it {what} {subject}, which is full: {holds}."
    runner = state.topology.stand_ins.get(wait.queue)
    count = wait.count if runner is None else runner.batch_size
    many = "1 element" if count == 1 else f"{count or 'some'} elements"
    if wait.queue in state.served:
        what = "it, and nothing" if runner is None else "its batches, and none"
        verb = "fills" if runner is None else "makes"
        return f"it takes {many} from {subject}; tf.data {verb} {what} is ready."
    kept = kept_back(queue)
    back = f", and keeps min_after_dequeue={kept} back until it is closed" if kept else ""
    return f"it takes {many} from {subject}; {holds}{back}."


def _never(wait: Wait, state: SessionState) -> Verdict | None:
    """A queue that gives all or nothing, and has no room for all that is asked for."""
    queue = state.topology.queues[wait.queue]
    room, wanted = capacity(queue), wait.count or 1
    if not wait.at_once or room is None or wanted <= room:
        return None
    text = message(
        f"{queue.type.removesuffix('V2')} gives {wanted} elements when it holds them all, and has "
        f"room for {room}",
        do=f"Use capacity={wanted} or more, or take fewer at once",
    )
    return Verdict(text, f"never {wait.queue}")


def why_empty(
    name: str, call: SessionCall, state: SessionState, trail: Sequence[str] = ()
) -> Verdict | None:
    """Who should fill a queue and does not; looks upstream while they wait themselves.

    Args:
      name: the key of the queue.
      call: the call that waits.
      state: the session's.
      trail: the keys of the queues by which it was come to, which are filled from it.
    """
    verdict = _why_empty(name, call, state, [*trail, name])
    target = getattr(ledger.innermost(call.session), "sess_str", "")
    if verdict is None or not target or not state.topology.queues[name].get_attr("shared_name"):
        return verdict
    elsewhere = "(The queue has a shared name: another task of the cluster may fill it.)"
    patience = max(verdict.patience, 4)
    return replace(verdict, text=f"{verdict.text}\n  {elsewhere}", certain=False, patience=patience)


def _why_empty(
    name: str, call: SessionCall, state: SessionState, trail: Sequence[str]
) -> Verdict | None:
    topology, session = state.topology, ledger.innermost(call.session)
    producers = topology.producers.get(name, [])
    if not producers:
        return _no_enqueue(name, topology)
    runners = topology.runners.get(name, [])
    runs = [run for run in ledger.of(session).runs if _fills(run, name, topology)]
    if not runners and not runs:
        inside = deadlock.filled_now(name, call, state)
        if not inside:
            return by_hand.not_fed(name, producers, call, topology)
        return _look_upstream(name, inside, call, state, trail) or _inside(name, inside, topology)
    if not runs:
        return _not_started(name, session, topology)
    latest = runs[-1]
    states = {thread.state for thread in latest.threads}
    if "running" not in states:
        # Ended as it should: the queue is closed, so nobody waits for it.
        as_it_should = states == {"natural"} and (
            latest.is_ending or _is_closed(name, session, topology)
        )
        return None if as_it_should else _all_ended(name, latest, topology)
    if name in state.served:
        return making(name, call.snapshot, state, call.session)
    ops = [thread.enqueue_op for thread in latest.threads if thread.state == "running"]
    return _look_upstream(name, ops, call, state, trail) or _busy(name, latest, state)


def _fills(run: RunRecord, name: str, topology: Topology) -> bool:
    ops = [thread.enqueue_op for thread in run.threads]
    return key(run.queue_op) == name or name in topology.filled_by(ops)


def making(name: str, before: SessionState, state: SessionState, session: Any) -> Verdict:
    """The verdict on a batch that tf.data has not finished: it works, or waits in an op."""
    topology = state.topology
    ops = topology.before(name)
    barren = no_records.by_tf_data(name, ops, session)
    if barren is not None:
        return barren
    runner = topology.stand_ins.get(name) or next(iter(topology.runners.get(name, ())), None)
    if state != before or state.computed_since(before):
        what = "a batch" if name in topology.stand_ins else "examples"
        text = message(
            f"No stall: tf.data is at work on {what} for {topology.stage(name)}",
            "; ".join(_slowly(topology.queues[topology.shown(name)], runner, ops)),
        )
        return Verdict(text, f"at work {name}", False, PATIENCE_AT_WORK, at_work=True)
    inside = [f"{_op(op)}, at {line_of_thread(thread)}" for thread, (op, _) in state.inside.items()]
    where = f"it is inside {'; '.join(inside)}"
    if not inside:
        where = f"the slow or stuck part is one of {_doing(ops)}" if _doing(ops) else ""
    text = message(
        f"The thread that fills {topology.stage(name)} lives, and nothing was read or finished "
        "meanwhile",
        where,
        "A function that waits, or a file that never ends (a pipe, a network mount), looks like "
        "this",
    )
    return Verdict(text, f"busy {name}", certain=False, patience=4)


def _slowly(queue: Any, runner: Any, ops: list[Any]) -> list[str]:
    """Why work may go on for long before something is there."""
    kept = kept_back(queue)
    reasons = [f"its examples come through {_doing(ops)}"] if _doing(ops) else []
    if kept:
        reasons.append(f"a pool of min_after_dequeue={kept} of them is filled first")
    if any(map(is_read, ops)):
        reasons.append("files that hold no record take time as well")
    if any(is_conditional(op_of(op)) for op in getattr(runner, "enqueue_ops", ())):
        reasons.append("so do examples that keep_input refuses")
    return reasons


def _doing(ops: list[Any]) -> str:
    return "; ".join([_op(op) for op in ops if _takes_time(op)][:4])


def _op(op: Any) -> str:
    return f"{op.type} {op.name!r} ({origin(op)})"


def _no_enqueue(name: str, topology: Topology) -> Verdict:
    given = [op.outputs[0].name for op in topology.takers.get(name, ()) if is_dequeue(op)]
    text = message(
        f"No op of this graph enqueues into {topology.queues[name].name!r}",
        do="Enqueue into it, and run that op in a QueueRunner"
        + "".join(f". An exported model is fed behind its queue: {{{t!r}: …}}" for t in given[:1]),
        right="tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(example)]))",
    )
    return Verdict(text, f"no enqueue {name}")


def _not_started(name: str, session: Any, topology: Topology) -> Verdict:
    stage = topology.stage(name)
    started = {stage_name(run.queue_op) for run in ledger.of(session).runs}
    if started:
        text = message(
            f"The queue runner that fills {stage} was not started",
            f"start_queue_runners was called before it existed, and started only "
            f"{', '.join(sorted(started))}",
            "Build the whole graph first, then start the queue runners",
            right=START,
        )
    else:
        text = message(
            f"The queue runner that fills {stage} was never started{_elsewhere(name, session)}",
            "",
            "Start the queue runners after the session is made and before the first sess.run",
            right=START,
        )
    return Verdict(text, f"not started {name}")


def _elsewhere(name: str, session: Any) -> str:
    """A session of the same graph that has them running, while this one has not."""
    for other in ledger.sessions():
        runs = ledger.of(other).runs if other is not session else []
        if other.graph is session.graph and any(key(run.queue_op) == name for run in runs):
            return " in this session (it was in another one: each session has its own queues)"
    return " in this session"


def _all_ended(name: str, run: RunRecord, topology: Topology) -> Verdict:
    stage = topology.stage(name)
    failed = [thread for thread in run.threads if thread.state == "failed"]
    if all(thread.state == "created" for thread in run.threads):
        text = message(
            f"The threads that fill {stage} were made but not started",
            "start_queue_runners(start=False) leaves that to you",
            "Call start() on each of them",
        )
    elif failed:
        error = failed[0].error or RuntimeError("unknown")
        text = message(
            f"{_all(run)} {stage} {'has' if len(run.threads) == 1 else 'have'} died",
            said(error).replace("\n", "\n  "),
            _instead(run, failed[0].enqueue_op),
        )
    elif {thread.state for thread in run.threads} == {"natural"}:
        text = message(
            f"The input of {stage} has ended, and nothing closed the queue",
            "the queue runner's close_op is one that does not close it",
            "Leave close_op out, or have it close this queue as well",
        )
    else:
        text = message(
            f"{_all(run)} {stage} {'has' if len(run.threads) == 1 else 'have'} ended",
            ", ".join(sorted({thread.state for thread in run.threads})),
            "A queue cannot be filled again once its input has ended: make a new session",
        )
    return Verdict(text, f"ended {name}")


def _is_closed(name: str, session: Any, topology: Topology) -> bool:
    """Whether a queue is closed, or does not say."""
    answers = queues.ask(session, [queues.is_closed(topology, name)])
    return not answers or bool(answers[0])


def _instead(run: RunRecord, enqueue: Any) -> str:
    """What to do where the threads of a runner have died."""
    if not is_runnable(op_of(enqueue)):
        return DO
    if run.coord is not None:
        return ""
    return (
        "Give start_queue_runners a Coordinator: it closes the queues, so that the step fails "
        "instead of waiting"
    )


def _all(run: RunRecord) -> str:
    many = len(run.threads)
    return "The one thread that fills" if many == 1 else f"All {many} threads that fill"


def _look_upstream(
    name: str, ops: Sequence[Any], call: SessionCall, state: SessionState, trail: Sequence[str]
) -> Verdict | None:
    """What the ops that fill a queue, and run now, wait for themselves."""
    for source in state.topology.sources_of(ops):
        available = state.available(source)
        if source not in trail and available is not None and available <= 0:
            above = why_empty(source, call, state, trail)
            stage = state.topology.stage(name)
            if above is not None:
                waiting = f"{stage} waits for {state.topology.stage(source)}, which is empty.\n  "
                if source == state.topology.shown(name):
                    waiting = ""  # to the user, one stage
                # A reader may also be busy with the file that it took last.
                patience = max(above.patience, 2)
                return replace(above, text=waiting + above.text, patience=patience)
    round_ = deadlock.circle(trail, ops, call, state)
    return round_ or deadlock.behind_full(name, ops, call, state)


def _busy(name: str, run: RunRecord, state: SessionState) -> Verdict:
    """The threads live and have input: they compute, read slowly, or hang in a file."""
    live = [thread for thread in run.threads if thread.state == "running"]
    doing = _doing(ancestors(thread.enqueue_op for thread in live))
    stacks = [stack_of(t.thread) for t in live if t.thread is not None and not _in_run(t.thread)]
    text = message(
        f"{len(live)} of {len(run.threads)} threads that fill {state.topology.stage(name)} live, "
        "and nothing was enqueued meanwhile",
        f"each is inside one run of its enqueue op; the slow or stuck part is one of {doing}"
        if doing
        else "",
        "A file that never ends (a pipe, a network mount) looks like this",
    )
    return Verdict("\n".join([text, *stacks]), f"busy {name}", certain=False, patience=4)


def _takes_time(op: Any) -> bool:
    return bool(
        type_of(op).startswith(("Reader", "ReadFile", "Decode", "Parse", "PyFunc", "EagerPyFunc"))
    )


def _in_run(thread: threading.Thread) -> bool:
    return innermost(thread).endswith("session.py")


def _inside(name: str, ops: Sequence[Any], topology: Topology) -> Verdict:
    """A thread of the program fills the queue at this moment, and has not come to the end."""
    doing = _doing(ancestors(ops))
    text = message(
        f"A thread of the program is inside the enqueue op {ops[0].name!r} ({origin(ops[0])}) of "
        f"{topology.stage(name)}, and nothing was enqueued meanwhile",
        f"the slow or stuck part is one of {doing}" if doing else "",
    )
    return Verdict(text, f"inside {name}", certain=False, patience=4)
