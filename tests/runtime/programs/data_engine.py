"""Every way in which a batch of the data engine can fail to come, for several batch builders.

Prints for each case how it ended, and all that the program was told on the way.
"""

from __future__ import annotations

import faulthandler
import functools
import json
import logging
import threading
import time
import warnings

import cases
import numpy as np
import tensorflow as tf
from cases import v1

import queueio
from queueio import train
from queueio.runtime import watch

BUILDERS = {
    "batch": lambda x: train.batch([x], 4),
    "shuffle_batch": lambda x: train.shuffle_batch([x, x], 4, 40, 8)[0],
    "padded": lambda x: train.batch([tf.range(x + 1)], 4, dynamic_pad=True, name="padded"),
    "final": lambda x: train.batch([x], 4, allow_smaller_final_batch=True, name="mine/final"),
}
told: list[str] = []
starved = threading.Event()
"""Set where the machine gave a function that works so little that nobody could see it work."""
TRIES = 3


def numbers(count=30, epochs=1):
    return train.range_input_producer(count, num_epochs=epochs, shuffle=False).dequeue()


def through(function, x):
    """`x` through a Python function, whose line the messages must name."""
    done = v1.py_func(function, [x], tf.int32, name="mine")
    done.set_shape([])
    return done


def waiting(seconds):
    def wait(n):
        began = time.monotonic()
        time.sleep(seconds)
        if time.monotonic() - began > seconds + 0.3:
            starved.set()
        return n

    return wait


def failing_at(n, error):
    def fail(m):
        if m == n:
            raise error
        return m

    return fail


class Run:
    """A session with its runners, as a TF1 script has them."""

    def __init__(self, coordinated=True, start=True):
        self.session = v1.Session()
        self.session.run(v1.local_variables_initializer())
        self.coord = train.Coordinator() if coordinated else None
        self.threads = train.start_queue_runners(self.session, self.coord) if start else []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.coord is not None:
            self.coord.request_stop()
            try:
                self.coord.join(self.threads, stop_grace_period_secs=20)
            except Exception as error:
                say(error)
        self.session.close()


def say(error):
    told.append(f"{error}")
    told.extend(getattr(error, "__notes__", ()))


def drained(batch, run):
    taken = 0
    while True:
        taken += len(run.session.run(batch))
        if taken > 10_000:
            return taken


def a_slow_function(build):
    batch = build(through(waiting(0.25), numbers()))
    with Run() as run:
        return len(run.session.run(batch))


def a_function_that_never_returns(build):
    released = threading.Event()

    def block(n):
        while not released.is_set() and not any("StallWarning" in text for text in told):
            released.wait(0.1)
        return n

    batch = build(through(block, numbers()))
    with Run() as run:
        threading.Timer(15.0, released.set).start()
        return len(run.session.run(batch))


def a_function_that_computes(build):
    def compute(n):
        end = time.monotonic() + 2  # a batch of four takes longer than 12 times the stall time
        while time.monotonic() < end:
            began, had = time.monotonic(), time.thread_time()
            while time.monotonic() < began + 0.4:
                pass
            if time.thread_time() - had < 0.2 * (time.monotonic() - began):
                starved.set()  # a tenth of a processor tells work from a wait
        return n

    batch = build(through(compute, numbers()))
    with Run() as run:
        return len(run.session.run(batch))


def files_without_a_record(build):
    for name, text in (("none.csv", ""), ("header.csv", "x\n")):
        with open(name, "w") as file:
            file.write(text)
    names = train.string_input_producer(["none.csv", "header.csv"])
    _, line = v1.TextLineReader(skip_header_lines=1).read(names)
    batch = build(v1.string_to_number(line, tf.int32))
    with Run() as run:
        return len(run.session.run(batch))


def runners_never_started(build):
    batch = build(numbers())
    with Run(start=False) as run:
        return len(run.session.run(batch))


def runners_started_in_another_session(build):
    batch = build(numbers())
    with Run(), Run(start=False) as run:
        return len(run.session.run(batch))


def threads_made_but_not_started(build):
    batch = build(numbers())
    with Run(start=False) as run:
        train.start_queue_runners(run.session, start=False)
        return len(run.session.run(batch))


def died_without_coordinator(build):
    batch = build(through(failing_at(2, KeyError("mine")), numbers()))
    with Run(coordinated=False) as run:
        return drained(batch, run)


def died_with_coordinator(build):
    batch = build(through(failing_at(2, KeyError("mine")), numbers()))
    with Run() as run:
        return drained(batch, run)


def never_initialised(build):
    batch = build(numbers())
    with Run(start=False) as run:
        session = v1.Session()
        threads = train.start_queue_runners(session, run.coord)
        try:
            return len(session.run(batch))
        finally:
            run.coord.request_stop()
            run.threads = threads


def natural_end(build):
    batch = build(numbers())
    with Run() as run:
        return drained(batch, run)


def stopped_coordinator(build):
    batch = build(numbers(epochs=None))
    with Run() as run:
        run.session.run(batch)
        run.coord.request_stop()
        return drained(batch, run)


def error_reported_to_the_coordinator(build):
    batch = build(numbers(epochs=None))
    with Run() as run:
        run.session.run(batch)
        run.coord.request_stop(ValueError("of the program's own"))
        return drained(batch, run)


def closed_session(build):
    batch = build(numbers(epochs=None))
    with Run() as run:
        run.session.run(batch)
        run.session.close()
        time.sleep(0.5)


def queue_cancelled_by_the_program(build):
    batch = build(numbers(epochs=None))
    with Run(coordinated=False) as run:
        run.session.run(batch)
        (runner,) = [r for r in v1.get_collection("queue_runners") if "producer" not in r.name]
        run.session.run(runner.cancel_op)
        return drained(batch, run)


def two_pipelines_one_starved(build):
    batch = build(through(waiting(0.3), numbers()))
    other = build(through(waiting(0.05), numbers(epochs=None)))
    with Run() as run:
        return [len(part) for part in run.session.run([other, batch])]


def fallen_back_and_ended(build):
    producer = train.range_input_producer(30, num_epochs=1, shuffle=False)
    batch = build(producer.dequeue())
    producer.dequeue(name="late")
    with Run() as run:
        return drained(batch, run)


def fallen_back_and_starved(build):
    queue = tf.queue.FIFOQueue(10, [tf.int32], shapes=[[]], name="source")
    batch = build(queue.dequeue())
    queue.enqueue(1, name="feed")
    with Run() as run:
        return drained(batch, run)


def fallen_back_and_died(build):
    producer = train.range_input_producer(30, num_epochs=1, shuffle=False)
    batch = build(through(failing_at(2, KeyError("mine")), producer.dequeue()))
    producer.dequeue(name="late")
    with Run() as run:
        return drained(batch, run)


def joined_without_a_stop(build):
    batch = build(numbers(epochs=None))
    with Run() as run:
        for _ in range(20):
            run.session.run(batch)
        run.coord.join()


def joined_before_a_slow_end(build):
    batch = build(through(lambda n: time.sleep(0.2 * (n >= 84)) or n, numbers(100)))
    with Run() as run:
        for _ in range(20):  # more than any queue holds of them
            run.session.run(batch)
        run.coord.join()
        return len(batch.shape)


SCENARIOS = [value for name, value in list(globals().items()) if "build" in getattr(
    getattr(value, "__code__", None), "co_varnames", ())[:1]]  # fmt: skip
# Chunks of eight examples of 0.8 s each: longer than the patience for a pipeline that works.
# And where the thread rests before the queue of ready batches is full.
ALONE = {a_function_that_computes: "batch", joined_without_a_stop: "shuffle_batch"}
FOR_ALL = {runners_never_started, died_with_coordinator, natural_end}


def main():
    v1.logging.set_verbosity(v1.logging.INFO)
    handler = logging.Handler()
    handler.emit = lambda record: told.append(record.getMessage())
    logging.getLogger("tensorflow").addHandler(handler)
    warnings.simplefilter("always")
    warnings.showwarning = lambda text, category, *_: told.append(f"{category.__name__}: {text}")
    threading.excepthook = lambda args: say(args.exc_value)
    watch.install()
    names = list(BUILDERS)
    for number, scenario in enumerate(SCENARIOS):
        one = [ALONE.get(scenario, names[number % len(names)])]
        for name in names if scenario in FOR_ALL else one:
            run_one(scenario, name)
    faulthandler.cancel_dump_traceback_later()


def run_one(scenario, builder):
    for _ in range(TRIES):
        faulthandler.dump_traceback_later(30, exit=True)
        found = tried(scenario, builder)
        if not starved.is_set():
            break
    print(json.dumps(found, default=np.ndarray.tolist), flush=True)


def tried(scenario, builder):
    """How a case ended, and all that was told."""
    told.clear()
    starved.clear()
    before = set(threading.enumerate())

    def function():
        with queueio.engine("data"):
            return scenario(BUILDERS[builder])

    function.__name__ = f"{scenario.__name__} {builder}"
    found = cases.outcome(functools.wraps(function)(function))
    names = [t.name for t in set(threading.enumerate()) - before]
    return {**found, "told": [*told, *found["notes"], *names, found["message"] or ""]}


if __name__ == "__main__":
    main()
