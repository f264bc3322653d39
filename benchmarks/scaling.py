"""How time and memory grow: with the data, with a record's size, with threads.

    python -m benchmarks.scaling            # some minutes
    python -m benchmarks.scaling --quick    # fewer and smaller steps

One pass over fixed-length records of a label and an image: shuffled, made floats, batched. The
lifted plan, what an expert writes with tf.data, and stock queues, each run in a process of its
own, in turn; the tables hold medians of microseconds per example and peaks of resident memory.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from benchmarks.contenders import Legacy

ROOT = Path(__file__).resolve().parent.parent
FILES, BATCH = 4, 64
POOL_BYTES = 32 << 20
CONTENDERS = ("plan", "expert", "stock")


@dataclass(frozen=True)
class Case:
    """What is read: `records` of `size` bytes, on `threads` threads."""

    records: int
    size: int
    threads: int = 2

    @property
    def pool(self) -> int:
        """Records to draw from: a thousand, of large ones fewer."""
        return max(BATCH, min(1000, POOL_BYTES // self.size))


def generate(case: Case) -> list[str]:
    """The files of a case, made once."""
    import numpy as np

    folder = ROOT / "bench-results" / "scaling"
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(3)
    names = [folder / f"{case.size}-{case.records}-{number}.bin" for number in range(FILES)]
    for name in names:
        if not name.exists():
            name.write_bytes(rng.bytes(case.records // FILES * case.size))
    return [str(name) for name in names]


def queue_input(tf: Any, case: Case, files: list[str]) -> Any:
    """The TF1 input function."""
    names = tf.train.string_input_producer(files, num_epochs=1)
    numbers = tf.decode_raw(tf.FixedLengthRecordReader(case.size).read(names)[1], tf.uint8)
    numbers.set_shape([case.size])
    image = tf.cast(numbers[1:], tf.float32) * (1 / 255)
    return tf.train.shuffle_batch(
        [image, numbers[0]], BATCH, case.pool + 3 * BATCH, case.pool, num_threads=case.threads
    )


def plan(case: Case, files: list[str]) -> Iterator[Any]:
    """The lifted plan as a dataset."""
    import queueio

    return iter(queueio.lift(lambda: queue_input(Legacy(), case, files)).to_dataset())


def expert(case: Case, files: list[str]) -> Iterator[Any]:
    """Shuffle and batch records, then decode a batch in one call."""
    import tensorflow as tf

    def decode(records: Any) -> Any:
        numbers = tf.ensure_shape(tf.io.decode_raw(records, tf.uint8), [None, case.size])
        return tf.cast(numbers[:, 1:], tf.float32) * (1 / 255), numbers[:, 0]

    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files))
    records = names.flat_map(lambda name: tf.data.FixedLengthRecordDataset(name, case.size))
    batches = records.shuffle(case.pool + BATCH).batch(BATCH, drop_remainder=True)
    return iter(batches.map(decode, num_parallel_calls=case.threads).prefetch(2))


def stock(case: Case, files: list[str]) -> Iterator[Any]:
    """Stock compat.v1 queues."""
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    tf.logging.set_verbosity("ERROR")
    step = tf.group(*queue_input(tf, case, files))
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(sess)
        try:
            while True:
                yield sess.run(step)
        except tf.errors.OutOfRangeError:
            return


def work(name: str, case: Case) -> None:
    """One pass, after the first batch; prints microseconds of an example and the peak in MB."""
    steps = globals()[name](case, generate(case))
    next(steps)
    start, batches = time.perf_counter(), 0
    for _ in steps:
        batches += 1
    spent = (time.perf_counter() - start) / max(batches * BATCH, 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps([spent * 1e6, peak / 1e6]), flush=True)
    os._exit(0)


def measured(name: str, case: Case) -> tuple[float, float]:
    """`work` in a process of its own."""
    arguments = [f"--{key}={value}" for key, value in asdict(case).items()]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scaling", "--work", name, *arguments],
        capture_output=True, text=True, timeout=600, cwd=ROOT, check=False,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    if not done.stdout.startswith("["):
        raise click.ClickException(f"{name} failed on {case}:\n{done.stderr[-2000:]}")
    spent, peak = json.loads(done.stdout)
    return spent, peak


def table(title: str, cases: dict[str, Case], rounds: int) -> None:
    """Measures the cases and prints them."""
    figures: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for _ in range(rounds):
        for label, case in cases.items():
            for name in CONTENDERS:
                figures.setdefault((label, name), []).append(measured(name, case))
    heads = [f"{name} {unit}" for unit in ("µs", "MB") for name in CONTENDERS]
    print(f"\n{title:14}" + "".join(f"{head:>12}" for head in heads) + f"{'expert ÷ plan':>15}")
    for label in cases:
        middle = {
            name: [statistics.median(v) for v in zip(*figures[label, name], strict=True)]
            for name in CONTENDERS
        }
        row = [f"{middle[name][0]:12.2f}" for name in CONTENDERS]
        row += [f"{middle[name][1]:12,.0f}" for name in CONTENDERS]
        print(f"{label:14}" + "".join(row) + f"{middle['expert'][0] / middle['plan'][0]:15.2f}")


@click.command()
@click.option("--quick", is_flag=True, help="Fewer and smaller steps, one round.")
@click.option("--rounds", default=3, show_default=True)
@click.option("--work", "worker", hidden=True)
@click.option("--records", default=0, hidden=True)
@click.option("--size", default=0, hidden=True)
@click.option("--threads", default=0, hidden=True)
def main(
    quick: bool, rounds: int, worker: str | None, records: int, size: int, threads: int
) -> None:
    """Prints the three tables."""
    if worker:
        work(worker, Case(records, size, threads))
        return
    rounds, base = (1, Case(4_000, 1_000)) if quick else (rounds, Case(10_000, 1_000))
    total = (4 if quick else 64) << 20
    more = (1, 10) if quick else (1, 10, 100)
    sizes = (100, 10_000, 100_000) if quick else (100, 1_000, 10_000, 100_000, 1_000_000)
    counts = (1, 2) if quick else (1, 2, 4)
    table("data", {f"{n} ×": replace(base, records=base.records * n) for n in more}, rounds)
    by_size = {f"{n:,} B": Case(max(total // n, 4 * BATCH), n) for n in sizes}
    table("record", by_size, rounds)
    many = replace(base, records=base.records * 10)
    table("threads", {str(n): replace(many, threads=n) for n in counts}, rounds)
    print(f"\nmedians of {rounds} rounds; load of the machine {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
