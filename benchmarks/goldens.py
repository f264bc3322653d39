"""Is any pipeline slower on the data engine? `python -m benchmarks.goldens`

The golden pipelines (tests/golden), some 300 small ones written to show how TF1 behaves and not
for speed, made endless where a producer counts epochs: steps a second once it runs, on stock
queues and on the data engine. The contenders have a process each; every pipeline has half a second,
the median of the rounds counts. Those below 1 are faults, or stand in BENCHMARKS.md with a reason.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"
CONTENDERS = ("stock", "data")
WARM, LEAST = 5, 20
"""Steps before the clock starts; steps without which a pipeline that ends says nothing."""


class Endless:
    """`tf.train` whose producers give their input for ever."""

    def __init__(self, train: Any) -> None:
        self._train = train

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._train, name)
        if not name.endswith("_producer"):
            return found

        def endless(*args: Any, **kwargs: Any) -> Any:
            kwargs.pop("num_epochs", None)
            return found(*args, **kwargs)

        return endless


def rate(tf: Any, pipeline: Any, seconds: float) -> float | None:
    """Steps a second; None where it does not build, or ends too soon."""
    import values  # of tests/golden

    with tf.Graph().as_default():
        fetches = pipeline.build(tf)
        step = tf.group(*tf.nest.flatten(list(values.flatten(tf, fetches).values())))
        config = tf.ConfigProto(operation_timeout_in_ms=5000)
        with tf.Session(config=config) as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer(),
                         tf.tables_initializer()])  # fmt: skip
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coord)
            try:
                return _timed(tf, session.make_callable(step), seconds)
            finally:
                coord.request_stop()
                coord.join(threads, stop_grace_period_secs=5)


def _timed(tf: Any, step: Any, seconds: float) -> float | None:
    steps, start = 0, 0.0
    try:
        while steps < WARM or time.perf_counter() - start < seconds:
            step()
            steps += 1
            if steps == WARM:
                start = time.perf_counter()
    except tf.errors.OutOfRangeError:
        if steps < LEAST:
            return None
    return (steps - WARM) / (time.perf_counter() - start)


def work(name: str, seconds: float, only: str) -> None:
    """Prints a line for each pipeline: its name and its rate."""
    sys.path.insert(0, str(GOLDEN))
    import datafiles
    import tensorflow.compat.v1 as v1
    from modules import Stock
    from pipelines import PIPELINES

    from queueio import train

    v1.disable_v2_behavior()
    v1.logging.set_verbosity("ERROR")
    tf = Stock(Endless(v1.train if name == "stock" else train))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        datafiles.write(folder)
        for pipeline in PIPELINES.values():
            if only in pipeline.name and pipeline.start and pipeline.steps != 0:
                try:
                    found = rate(tf, pipeline, seconds)
                except Exception:  # what is recorded of it is that it fails
                    found = None
                if found:
                    print(f"= {pipeline.name} {found}", flush=True)
        os.chdir(ROOT)
    os._exit(0)


def rates(name: str, seconds: float, only: str) -> dict[str, float]:
    """What a process of its own measures."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT),
                   "QUEUEIO_ENGINE": "data" if name == "data" else "queue"}  # fmt: skip
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.goldens", "--work", name]
    done = subprocess.run(
        [*command, "--seconds", str(seconds), "--only", only], env=environment, cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
    )  # fmt: skip
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("= ")]
    return {pipeline: float(found) for _, pipeline, found in lines}


@click.command()
@click.option("--work", "worker", hidden=True)
@click.option("--rounds", default=1, show_default=True)
@click.option("--seconds", default=0.5, show_default=True, help="Of each measurement.")
@click.option("--only", default="", help="Pipelines with this in their names.")
@click.option("--worst", default=10, show_default=True, help="How many are shown.")
def main(worker: str | None, rounds: int, seconds: float, only: str, worst: int) -> None:
    """Prints the pipelines that gain least."""
    if worker:
        work(worker, seconds, only)
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for number in range(rounds):
        for name in CONTENDERS if number % 2 else CONTENDERS[::-1]:
            for pipeline, steps in rates(name, seconds, only).items():
                found[pipeline][name].append(steps)
    ratios = {
        pipeline: statistics.median(each["data"]) / statistics.median(each["stock"])
        for pipeline, each in found.items()
        if len(each) == len(CONTENDERS)
    }
    below = sum(ratio < 1 for ratio in ratios.values())
    middle = statistics.median(ratios.values())
    print(f"{len(ratios)} pipelines, {below} below 1, median {middle:.2f}\n")
    print("| pipeline | stock steps/s | data engine ÷ stock |\n| --- | --: | --: |")
    for pipeline in sorted(ratios, key=lambda p: ratios[p])[:worst]:
        steps = statistics.median(found[pipeline]["stock"])
        print(f"| {pipeline} | {steps:,.0f} | {ratios[pipeline]:.2f} |")


if __name__ == "__main__":
    main()
