"""From start to end: `python -m benchmarks.start_to_end`.

What a user waits for before the steady rate: the first batch once TensorFlow is imported, the first
batch of each further pass over a dataset, and whole jobs of 1,000 and of 10,000 examples and of two
epochs of many. Every job has a process of its own; contenders take turns; medians by the clock.
What queueio keeps of a graph for the next run is there from a job before, or is not.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from benchmarks.contenders import Legacy, expert_dataset
from benchmarks.data import generate
from benchmarks.pipelines import queue_input

ROOT = Path(__file__).resolve().parent.parent
BATCH, THREADS = 128, 4
CONTENDERS = {
    "stock": "stock compat.v1 queues, 4 threads",
    "expert": "tf.data by an expert",
    "data": "queueio, data engine",
    "plan": "queueio, plan.to_dataset()",
    "data anew": "queueio, data engine, nothing kept",
    "plan anew": "queueio, plan.to_dataset(), nothing kept",
}
KEPT = ROOT / "bench-results" / "start" / "kept"
MANY = {"csv": 120_000, "tfrecord": 60_000, "fixed": 30_000}
HEADS = ("first batch s", "next pass s", "1,000 in s", "10,000 in s", "two epochs, examples/s")
Tick = Callable[[], None]


def module_of(name: str) -> Any:
    """TF1's module, whose queues stock TensorFlow or the data engine fills."""
    if name == "data":
        os.environ["QUEUEIO_ENGINE"] = "data"
        import queueio.v1 as tf
    else:
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
    tf.logging.set_verbosity("ERROR")
    return tf


def in_a_session(name: str, kind: str, files: list[str], epochs: int, tick: Tick) -> None:
    """The job in a session."""
    tf = module_of(name)
    tick()
    step_to_the_end(tf, tf.group(*queue_input(tf, kind, files, THREADS, BATCH, epochs)), tick)
    tick()


def step_to_the_end(tf: Any, step: Any, tick: Tick = lambda: None) -> None:
    """Runs a step in a session, again and again, until its input ends."""
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        try:
            while not coord.should_stop():
                session.run(step)
                tick()
        except tf.errors.OutOfRangeError:
            coord.request_stop()
        coord.join(threads)


def from_a_dataset(name: str, kind: str, files: list[str], epochs: int, tick: Tick) -> None:
    """The job as a loop over a dataset; of one epoch begun, the next pass is begun as well."""
    import tensorflow as tf  # noqa: F401 - imported before the clock starts

    import queueio

    tick()
    if name == "expert":
        dataset = expert_dataset(kind, files, BATCH, epochs)
    else:
        dataset = queueio.lift(
            lambda: queue_input(Legacy(), kind, files, THREADS, BATCH, epochs)
        ).to_dataset()
    for _ in dataset:
        tick()
    tick()
    next(iter(dataset))
    tick()


def work(name: str, kind: str, files: list[str], epochs: int) -> dict[str, float]:
    """Seconds until the first batch, for the whole job, and until a next pass's first batch."""
    times: list[float] = []
    take = in_a_session if name in ("stock", "data") else from_a_dataset
    take(name, kind, files, epochs, lambda: times.append(time.perf_counter()))
    found = {"first": times[1] - times[0], "all": times[-1] - times[0]}
    if take is from_a_dataset:
        found |= {"all": times[-2] - times[0], "next": times[-1] - times[-2]}
    return found


def measured(told: str, kind: str, files: list[str], epochs: int) -> dict[str, float]:
    """One job in a process of its own."""
    name, _, anew = told.partition(" ")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.start_to_end", "--work", name, kind, str(epochs)]
        + files,
        capture_output=True, text=True, timeout=600, cwd=ROOT, check=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT),
             "QUEUEIO_CACHE": "0" if anew else str(KEPT),
             "PYTHONDONTWRITEBYTECODE": ""},  # a user has it from the run before
    )  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def table(kind: str, rounds: int, folder: Path) -> None:
    """Measures all jobs of a format, contenders in turn, and prints the medians."""
    jobs = {"small": (1_000, 1), "middle": (10_000, 1), "many": (MANY[kind], 2)}
    figures: dict[str, dict[str, list[float]]] = {n: defaultdict(list) for n in CONTENDERS}
    for rounds_done in range(rounds):
        for job, (count, epochs) in jobs.items():
            files = generate(folder / job, kind, count)
            if not rounds_done:
                for name in ("data", "plan"):
                    measured(name, kind, files, epochs)
            for name in CONTENDERS:
                for what, seconds in measured(name, kind, files, epochs).items():
                    figures[name][f"{job} {what}"].append(seconds)
    print(f"\n| {kind} | {' | '.join(HEADS)} |\n| --- |{' --: |' * len(HEADS)}")
    for name, told in CONTENDERS.items():
        print(f"| {told} | {' | '.join(_cells(figures[name], MANY[kind] * 2))} |")


def _cells(figures: dict[str, list[float]], examples: int) -> list[str]:
    middle: dict[str, Any] = {what: statistics.median(found) for what, found in figures.items()}
    seconds = [middle["middle first"], middle.get("middle next"), middle["small all"]]
    cells = [f"{s:.2f}" if s is not None else "" for s in (*seconds, middle["middle all"])]
    return [*cells, f"{examples / middle['many all']:,.0f}"]


@click.command()
@click.argument("words", nargs=-1)
@click.option("--work", "worker", is_flag=True, hidden=True)
@click.option("--rounds", default=5, show_default=True)
def main(words: tuple[str, ...], worker: bool, rounds: int) -> None:
    """Measures the formats WORDS: csv, tfrecord, fixed; all if none is named."""
    if worker:
        name, kind, epochs, *files = words
        print(json.dumps(work(name, kind, files, int(epochs))), flush=True)
        os._exit(0)
    for kind in words or MANY:
        table(kind, rounds, ROOT / "bench-results" / "start")
    print(f"\nmedians of {rounds} rounds; load of the machine {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
