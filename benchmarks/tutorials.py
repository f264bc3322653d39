"""Pipelines as tutorials had them: `python -m benchmarks.tutorials` (`jpeg`, `cifar`, `ctr`).

Unchanged TF1 code under the data engine and its plan as a dataset, against tf.data written by
hand, one map and AUTOTUNE, and stock queues. Every contender has a process of its own; they take
turns, each for a moment, and the ratios are of the medians. The data are generated.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from benchmarks import phrasings, tutorial_pipelines
from benchmarks.contenders import Legacy
from benchmarks.worker import in_turn

PIPELINES = tutorial_pipelines.PIPELINES | phrasings.PIPELINES
ROOT = Path(__file__).resolve().parent.parent
CONTENDERS = {
    "data": "queueio, data engine, unchanged TF1 code",
    "plan": "queueio, plan.to_dataset()",
    "hand": "tf.data by hand, map and AUTOTUNE",
    "stock": "stock compat.v1 queues, 4 threads",
}


def steps_of(name: str, kind: str, files: list[str]) -> Iterator[int]:
    """Endless steps of a contender, each of so many examples."""
    of = PIPELINES[kind]
    if name == "data":
        os.environ["QUEUEIO_ENGINE"] = "data"
        import queueio.v1 as tf

        return _session(tf, kind, files)
    if name == "stock":
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        return _session(tf, kind, files)
    if name == "hand":
        return (of.batch for _ in of.hand_written(files, of))
    import queueio

    dataset = queueio.lift(lambda: of.queue_input(Legacy(), files, of)).to_dataset()
    return (of.batch for _ in dataset)


def _session(tf: Any, kind: str, files: list[str]) -> Iterator[int]:
    of = PIPELINES[kind]
    tf.logging.set_verbosity("ERROR")
    step = tf.group(of.queue_input(tf, files, of))
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(sess)
        while True:
            sess.run(step)
            yield of.batch


def work(name: str, kind: str, files: list[str]) -> None:
    """Measures for as many seconds as each line says: examples per second, µs of processor."""
    steps = steps_of(name, kind, files)
    next(steps)
    print("ready", flush=True)
    for line in sys.stdin:
        examples, seconds = 0, float(line)
        rest = time.perf_counter() + seconds / 3  # what it had ready from before
        while time.perf_counter() < rest:
            next(steps)
        start, used = time.perf_counter(), time.process_time()
        while time.perf_counter() - start < seconds:
            examples += next(steps)
        spent = time.process_time() - used
        print(examples / (time.perf_counter() - start), spent / examples * 1e6, flush=True)
    os._exit(0)


def table(kind: str, names: tuple[str, ...], rounds: int, seconds: float) -> None:
    """Measures the contenders in turn and prints the ratios to tf.data by hand."""
    files = PIPELINES[kind].generate(ROOT / "bench-results" / kind)
    contenders = {name: (name, kind, *files) for name in names or CONTENDERS}
    medians = in_turn("benchmarks.tutorials", contenders, rounds, seconds)
    by_hand = medians.get("hand", [float("nan")])[0]
    print(f"\n{kind + ', batches of ' + str(PIPELINES[kind].batch):44}"
          f"{'examples/s':>11}{'÷ by hand':>11}{'cpu µs':>8}")  # fmt: skip
    for name, (rate, spent) in medians.items():
        print(f"{CONTENDERS[name]:44}{rate:11,.0f}{rate / by_hand:11.2f}{spent:8,.1f}")


@click.command()
@click.argument("kinds", nargs=-1)
@click.option("--work", "worker", hidden=True)
@click.option("--contender", "names", multiple=True, type=click.Choice(list(CONTENDERS)))
@click.option("--rounds", default=7, show_default=True)
@click.option("--seconds", default=3.0, show_default=True, help="Of each measurement.")
def main(
    kinds: tuple[str, ...], worker: str | None, names: tuple[str, ...], rounds: int, seconds: float
) -> None:
    """Measures the pipelines KINDS: jpeg, cifar, ctr; all if none is named."""
    if worker:
        work(worker, kinds[0], list(kinds[1:]))
        return
    for kind in kinds or PIPELINES:
        table(kind, names, rounds, seconds)
    print(f"\nmedians of {rounds} rounds; load of the machine {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
