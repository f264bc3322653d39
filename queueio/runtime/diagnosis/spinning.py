"""A pipeline that turns and turns and delivers nothing: no file of the list has a record in it,
or `keep_input` refuses every example. Each queue moves, so nothing looks stuck.
"""

from __future__ import annotations

from queueio.errors import message
from queueio.graph.traversal import ancestors, is_read, taken_from
from queueio.runtime import ledger
from queueio.runtime.calls import SessionCall
from queueio.runtime.diagnosis import no_records
from queueio.runtime.diagnosis.blame import framed, making
from queueio.runtime.diagnosis.natural_end import per_call
from queueio.runtime.diagnosis.state import SessionState, Wait
from queueio.runtime.diagnosis.verdict import Verdict
from queueio.runtime.ledger import RunRecord
from queueio.runtime.topology import is_conditional, key, stage_name
from queueio.words import times

# More than any pipeline that works needs: files of a list of unknown length, opened for nothing,
# and examples tried for each one that is waited for.
MANY_FILES = 10_000
MANY_TRIES = 1_000


def diagnose(call: SessionCall, first: SessionState, now: SessionState) -> Verdict | None:
    """The verdict on a call whose pipeline moved from `first` to `now` while it waited."""
    for wait in now.waits:
        if not now.lacks(wait):
            continue
        for name in now.topology.upstream(wait.queue):
            run = _latest(name, call)
            if run is not None and _made(run, first, now, call) == 0:
                verdict = _no_records(name, run, first, now, call)
                if verdict is not None:
                    return framed(wait, now, verdict)
        verdict = _all_refused(wait, first, now, call)
        if verdict is None and wait.queue in now.served:
            verdict = making(wait.queue, first, now, call.session)
        if verdict is not None:
            return framed(wait, now, verdict)
    return None


def nearest_moved(first: SessionState, now: SessionState, call: SessionCall) -> bool:
    """Whether a queue that the call itself waits for got an element between two looks."""
    for wait in now.waits:
        run = _latest(wait.queue, call)
        if first.sizes.get(wait.queue) != now.sizes.get(wait.queue):
            return True
        if run is not None and _made(run, first, now, call) and not _conditional(run):
            return True
    return False


def _no_records(
    name: str, run: RunRecord, first: SessionState, now: SessionState, call: SessionCall
) -> Verdict | None:
    reads = list(filter(is_read, ancestors(t.enqueue_op for t in run.threads)))
    for read in reads:
        queue = taken_from(read)
        source = _latest(key(queue), call) if queue is not None else None
        if source is None:
            continue
        files = per_call(source.threads[0].enqueue_op)
        made = _made(source, first, now, call) * (files or 1)
        opened = made - (now.sizes[key(queue)] or 0) + (first.sizes[key(queue)] or 0)
        if opened < (2 * files + len(reads) if files else MANY_FILES):
            continue
        named = {1: "its file", None: "the files of its list"}.get(
            files, f"the {files} files of its list"
        )
        often = ("" if files else "at least ") + times(opened, "time")
        return no_records.verdict(
            read, f"it opened {named} again and again, {often} while this call waited", name
        )
    return None


def _all_refused(
    wait: Wait, first: SessionState, now: SessionState, call: SessionCall
) -> Verdict | None:
    """`keep_input` that is never true: the enqueue op runs and puts nothing in."""
    run = _latest(wait.queue, call)
    if run is None or not _conditional(run):
        return None
    tried = _made(run, first, now, call)
    if tried < MANY_TRIES * (wait.count or 1):
        return None
    text = message(
        f"{tried} examples were tried for {stage_name(run.queue_op)!r} while this call waited, "
        f"and too few were kept for one step",
        "its enqueue op puts in only what keep_input lets through",
        "Look at the condition given as keep_input",
    )
    return Verdict(text, f"refused {wait.queue}", certain=False)


def _latest(name: str, call: SessionCall) -> RunRecord | None:
    runs = [run for run in list(ledger.of(call.session).runs) if key(run.queue_op) == name]
    return runs[-1] if runs else None


def _made(run: RunRecord, first: SessionState, now: SessionState, call: SessionCall) -> int:
    """How often the enqueue ops of a run succeeded between two looks."""
    threads = ledger.of(call.session).threads()
    before = dict(zip(map(id, threads), first.counts, strict=False))
    after = dict(zip(map(id, threads), now.counts, strict=False))
    return sum(after.get(id(t), 0) - before.get(id(t), 0) for t in run.threads)


def _conditional(run: RunRecord) -> bool:
    return any(is_conditional(thread.enqueue_op) for thread in run.threads)
