"""The threads of a queue runner: how they are made, what surrounds each, when the last one ends."""

from __future__ import annotations

from typing import Any

from queueio.graph.traversal import op_of
from queueio.runtime import ledger
from queueio.runtime.ledger import RunnerThread, RunRecord, ThreadRecord


def make_threads(runner: Any, sess: Any, coord: Any) -> list[RunnerThread]:
    """One thread per enqueue op, not started; one more to cancel the queue, given `coord`."""
    run = RunRecord(runner._queue, runner._cancel_op, coord, running=len(runner._enqueue_ops))
    run.describe_end = getattr(runner, "describe_end", None)
    run.by_data = getattr(runner, "by_data", False)
    name, shown_as = getattr(runner, "shown_as", (runner.name, None))
    threads = []
    for op in runner._enqueue_ops:
        record = ThreadRecord(f"QueueRunnerThread-{name}-{shown_as or op.name}", op_of(op))
        thread = RunnerThread(
            target=_enqueue_thread, args=(runner, sess, op, coord, run, record), name=record.name
        )
        thread.record, thread.run_record = record, run
        record.thread = thread
        run.threads.append(record)
        threads.append(thread)
    if coord:
        closer = RunnerThread(
            target=runner._close_on_stop,
            args=(sess, runner._cancel_op, coord),
            name=f"QueueRunnerThread-{name}-close_on_stop",
        )
        closer.run_record = run
        threads.append(closer)
    ledger.of(sess).runs.append(run)
    return threads


def _enqueue_thread(
    runner: Any, sess: Any, op: Any, coord: Any, run: RunRecord, record: ThreadRecord
) -> None:
    """What every enqueue thread does around `_run`, which a subclass may replace."""
    record.state = "running"
    try:
        runner._run(sess, op, coord)
        # A `_run` of the user's own says nothing about its end; unasked, it was the input's.
        record.end("stopped" if coord and coord.should_stop() else "natural")
    except Exception as error:
        record.end("failed", error)
        raise
    except BaseException as killed:  # SystemExit: TF1's thread just vanished
        death = RuntimeError(
            f"thread {record.name} was killed by {type(killed).__name__}: the queue it filled "
            "gets no more elements."
        )
        death.__cause__ = killed
        record.end("failed", death)
        if coord:
            coord.request_stop(death)
    finally:
        run.leave()


def wait_for_stop_or_end(coord: Any, run: RunRecord | None) -> None:
    """Block until `coord` stops or the run's enqueue threads have all ended."""
    if run is None:
        coord.wait_for_stop()
    elif hasattr(coord, "call_on_stop"):
        coord.call_on_stop(run.wake.set)
        run.wake.wait()
        coord.forget(run.wake.set)
    else:  # somebody's own coordinator: it can only be asked
        while not run.ended and not coord.wait_for_stop(0.1):
            pass
