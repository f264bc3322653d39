"""Start and stop queue runners again and again in one process, and watch what grows.

    python -m benchmarks.soak [cycles]

A cycle makes a session, starts the runners, trains and ends: by a stop, at the natural end, by a
failing stage, or by an exception of the training loop, in turn. The same number of sessions
without any queue is the baseline: TensorFlow itself keeps a little memory per session.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

import queueio
from queueio import train

v1 = tf.compat.v1


@dataclass(frozen=True)
class Figures:
    """What the process holds: threads of Python and of the system, open files, resident MiB."""

    python_threads: int
    system_threads: int
    files: int
    resident: float

    @classmethod
    def now(cls) -> Figures:
        gc.collect()
        for thread in threading.enumerate():
            if thread is not threading.current_thread():  # one may end a moment after its session
                thread.join(1)
        with open("/proc/self/statm") as statm:
            pages = int(statm.read().split()[1])
        return cls(
            threading.active_count(),
            _settled(lambda: len(os.listdir("/proc/self/task"))),
            len(os.listdir("/proc/self/fd")),
            pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
        )


def _settled(count: Callable[[], int], seconds: float = 0.2) -> int:
    """What is counted when it has not fallen for a while: the system's threads end unseen."""
    least, until = count(), time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.01)
        if (now := count()) < least:
            least, until = now, time.monotonic() + seconds
    return least


def build() -> tuple[Any, Any, Any]:
    """(a batch of numbers, a batch whose stage fails, the initialiser)."""
    numbers = train.range_input_producer(64, num_epochs=1, shuffle=False).dequeue()
    divisor = v1.placeholder_with_default(0, [])
    good = train.shuffle_batch([numbers], 8, 32, 8, num_threads=2)
    other = train.range_input_producer(8, shuffle=False).dequeue()
    bad = train.batch([v1.div(other, divisor)], 4)
    return good, bad, v1.local_variables_initializer()


def stop_early(sess: Any, good: Any, bad: Any) -> None:
    sess.run(good)


def natural_end(sess: Any, good: Any, bad: Any) -> None:
    while True:
        sess.run(good)


def failing_stage(sess: Any, good: Any, bad: Any) -> None:
    sess.run(bad)


def failing_loop(sess: Any, good: Any, bad: Any) -> None:
    sess.run(good)
    raise KeyError("the training loop's own mistake")


ENDS: tuple[Callable[[Any, Any, Any], None], ...] = (
    stop_early, natural_end, failing_stage, failing_loop,
)  # fmt: skip


def cycles(count: int, every: int, queues: bool = True) -> Iterator[tuple[int, Figures]]:
    """Run `count` cycles; the figures before the first and after each `every`."""
    with tf.Graph().as_default():
        good, bad, init = build()
        for number in range(count + 1):
            if number % every == 0:
                yield number, Figures.now()
            with v1.Session() as sess:
                sess.run(init)
                if queues:
                    cycle(sess, ENDS[number % len(ENDS)], good, bad)


def cycle(sess: Any, end: Callable[[Any, Any, Any], None], good: Any, bad: Any) -> None:
    try:
        with queueio.running(sess):
            end(sess, good, bad)
    except (tf.errors.OpError, KeyError):
        pass


def main(count: int = 1000) -> None:
    v1.logging.set_verbosity(v1.logging.FATAL)
    for queues in (False, True):
        print("sessions with queues" if queues else "sessions without queues")
        print(f"{'cycles':>8}{'threads':>9}{'system':>8}{'files':>7}{'MiB':>9}")
        for number, f in cycles(count, count // 10, queues):
            columns = f"{number:>8}{f.python_threads:>9}{f.system_threads:>8}{f.files:>7}"
            print(f"{columns}{f.resident:>9.1f}", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:2]))
