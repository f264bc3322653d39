"""The start behind a large model: `python -m benchmarks.large_model`.

A thousand CSV lines, and a step that needs thousands of ops: what looks at a graph's ops to find
its queues takes longer the more of them there are. Each run has a process of its own; contenders
take turns; medians of processor seconds, from the session to the end of the input.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict

import click

from benchmarks.data import generate
from benchmarks.pipelines import queue_input
from benchmarks.start_to_end import BATCH, KEPT, ROOT, THREADS, module_of, step_to_the_end

CONTENDERS = {"stock": "stock compat.v1 queues", "data": "queueio, data engine"}
EXAMPLES, PER_LAYER = 1_000, 7  # examples; ops that a layer makes, its constants among them


def work(name: str, ops: int) -> float:
    """Processor seconds of one job, from the session on."""
    tf = module_of(name)
    files = generate(ROOT / "bench-results" / "start" / "small", "csv", EXAMPLES)
    loss = tf.reduce_mean(queue_input(tf, "csv", files, THREADS, BATCH, 1)[0])
    for _ in range(ops // PER_LAYER):
        loss = tf.add(tf.nn.relu(tf.multiply(loss, 1.001)), 0.1) + tf.square(loss)
    started = time.process_time()
    step_to_the_end(tf, loss)
    return time.process_time() - started


def measured(name: str, ops: int) -> float:
    """One job in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.large_model", "--work", name, str(ops)],
        capture_output=True, text=True, timeout=900, cwd=ROOT, check=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "QUEUEIO_CACHE": str(KEPT)},
    )  # fmt: skip
    return float(done.stdout.splitlines()[-1])


@click.command()
@click.argument("sizes", nargs=-1, type=int)
@click.option("--work", "worker", hidden=True)
@click.option("--rounds", default=3, show_default=True)
def main(sizes: tuple[int, ...], worker: str | None, rounds: int) -> None:
    """Measures models of SIZES ops: 1000 and 15000 if none is named."""
    if worker:
        print(work(worker, *sizes), flush=True)
        os._exit(0)
    sizes = sizes or (1_000, 15_000)
    figures: dict[tuple[str, int], list[float]] = defaultdict(list)
    for _ in range(rounds):
        for ops in sizes:
            for name in CONTENDERS:
                figures[name, ops].append(measured(name, ops))
    print(f"\n| processor seconds | {' | '.join(f'{ops:,} ops' for ops in sizes)} |")
    print(f"| --- |{' --: |' * len(sizes)}")
    for name, told in CONTENDERS.items():
        cells = (f"{statistics.median(figures[name, ops]):.2f}" for ops in sizes)
        print(f"| {told} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
