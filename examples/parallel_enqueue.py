"""Does enqueueing in parallel speed up batches, when `batch` already dequeues in parallel?

The question hides a mistake: `batch` dequeues in one op, one batch at a time. Its `num_threads`
are threads that *enqueue*: each runs the ops that read and decode one example, and adds the
example to the queue. With `num_threads=4` four threads share one reader, and take turns at it.
`batch_join` gives each thread a reader, so that also the reading is parallel.

Whether that helps depends on what an example costs, so this measures four kinds of examples:

    cheap    a record is sliced: most of the time goes into starting ops
    heavy    an image is enlarged: the time goes into arithmetic, on one core
    waiting  each record waits 2 ms, as on a disk or a network: no core is busy
    packed   the file is compressed: the time goes into the reader, which threads cannot share

    python examples/parallel_enqueue.py [--quick] [--out DIR] [--repeats N]

prints a table and a conclusion, which is worked out from the numbers of this machine, and draws
them as parallel_enqueue.png in DIR (needs matplotlib).
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tensorflow as tf

import queueio
from queueio import io, train

DATA = Path(__file__).resolve().parent / "data"
FILES = sorted(str(path) for path in DATA.glob("digits-train-*.bin"))
BATCH_SIZE = 32
THREADS = (1, 2, 4)
Files = list[str]


def read_cheap(filename_queue: tf.queue.QueueBase) -> tf.Tensor:
    _, record = io.FixedLengthRecordReader(record_bytes=65).read(filename_queue)
    return tf.reshape(io.decode_raw(record, tf.uint8), [65])[1:]


def read_heavy(filename_queue: tf.queue.QueueBase) -> tf.Tensor:
    image = tf.reshape(tf.cast(read_cheap(filename_queue), tf.float32), [8, 8, 1])
    return tf.reduce_mean(tf.image.resize(image, [512, 512], method="bicubic"))


def read_waiting(filename_queue: tf.queue.QueueBase) -> tf.Tensor:
    def wait(pixels: object) -> object:
        time.sleep(0.002)
        return pixels

    pixels = tf.numpy_function(wait, [read_cheap(filename_queue)], tf.uint8)
    return tf.reshape(pixels, [64])


def read_packed(filename_queue: tf.queue.QueueBase) -> tf.Tensor:
    options = tf.io.TFRecordOptions(compression_type="GZIP")
    _, record = io.TFRecordReader(options=options).read(filename_queue)
    return tf.strings.length(record)


def write_packed(folder: str) -> Files:
    """Eight compressed files of 50 records of 32 KiB, random so that unpacking takes its time."""
    random = np.random.default_rng(0)
    files = [os.path.join(folder, f"{n}.tfrecord.gz") for n in range(8)]
    for name in files:
        with tf.io.TFRecordWriter(name, options="GZIP") as writer:
            for _ in range(50):
                writer.write(random.integers(0, 17, 32 * 1024, dtype=np.uint8).tobytes())
    return files


@dataclass(frozen=True)
class Kind:
    """A kind of example: how it is read, and how many batches are timed for each thread."""

    name: str
    read: Callable[[tf.queue.QueueBase], tf.Tensor]
    batches: int


KINDS = (
    Kind("cheap", read_cheap, 150),
    Kind("heavy", read_heavy, 10),
    Kind("waiting", read_waiting, 6),
    Kind("packed", read_packed, 25),
)


def with_batch(kind: Kind, files: Files, threads: int) -> tf.Tensor:
    """One reader, and `threads` threads that share it."""
    example = kind.read(train.string_input_producer(files))
    return train.batch([example], BATCH_SIZE, num_threads=threads, capacity=2 * BATCH_SIZE)


def with_batch_join(kind: Kind, files: Files, threads: int) -> tf.Tensor:
    """`threads` readers, with one thread each, on one filename queue."""
    filename_queue = train.string_input_producer(files)
    examples = [[kind.read(filename_queue)] for _ in range(threads)]
    return train.batch_join(examples, BATCH_SIZE, capacity=2 * BATCH_SIZE)


BUILDERS = {"batch": with_batch, "batch_join": with_batch_join}


@dataclass(frozen=True)
class Measurement:
    """Examples per second of one pipeline, one figure for each repeat."""

    kind: str
    builder: str
    threads: int
    rates: tuple[float, ...]

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)


def rate(kind: Kind, builder: str, threads: int, files: Files, batches: int) -> float:
    """Examples per second, once the queue has been filled and emptied a first time."""
    # An op may use one core, so that the threads of the queue runner are all the parallelism there
    # is; but as many ops as there are threads may run (or wait) at a time.
    config = tf.compat.v1.ConfigProto(
        intra_op_parallelism_threads=1, inter_op_parallelism_threads=2 * max(THREADS) + 2
    )
    with tf.Graph().as_default(), tf.compat.v1.Session(config=config) as sess:
        batch = BUILDERS[builder](kind, files, threads)
        with queueio.running(sess):
            for _ in range(3):  # More than the queue's capacity, which was filled in advance.
                sess.run(batch.op)
            start = time.perf_counter()
            for _ in range(batches):
                sess.run(batch.op)
            return batches * BATCH_SIZE / (time.perf_counter() - start)


def measure(repeats: int, quick: bool) -> list[Measurement]:
    cells = list(itertools.product(KINDS, BUILDERS, THREADS))
    rates: dict[tuple[Kind, str, int], list[float]] = {cell: [] for cell in cells}
    with tempfile.TemporaryDirectory() as folder:
        packed = write_packed(folder)
        # Repeats go round all cells, so that a busy moment does not hit one cell only.
        for _, (kind, builder, n) in itertools.product(range(repeats), cells):
            files = packed if kind.read is read_packed else FILES
            batches = max(2, kind.batches // 5) if quick else n * kind.batches
            rates[kind, builder, n].append(rate(kind, builder, n, files, batches))
    return [Measurement(kind.name, b, n, tuple(rates[kind, b, n])) for kind, b, n in cells]


def verdict(other: Measurement, base: Measurement) -> str:
    """In words, what `other` is to `base`; nothing is claimed where their figures overlap."""
    ratio = other.rate / base.rate
    if min(other.rates) > max(base.rates):
        return f"faster, {ratio:.2f} times the rate"
    if max(other.rates) < min(base.rates):
        return f"slower, {ratio:.2f} times the rate"
    return f"no clear difference, {ratio:.2f} times the rate but the ranges overlap"


def show(measurements: list[Measurement]) -> None:
    print(f"{'example':10}{'function':12}{'threads':>8}{'examples/s':>12}{'ratio':>7}   range")
    base = measurements[0]
    for m in measurements:
        if (m.builder, m.threads) == ("batch", 1):
            base = m
        low, high = min(m.rates), max(m.rates)
        print(
            f"{m.kind:10}{m.builder:12}{m.threads:8}{m.rate:12,.0f}{m.rate / base.rate:7.2f}"
            f"   {low:,.0f} to {high:,.0f}"
        )


def conclude(measurements: list[Measurement]) -> None:
    """Prints, for each kind of example, what more threads and more readers did; then the answer."""
    cells = {(m.kind, m.builder, m.threads): m for m in measurements}
    most = max(THREADS)
    answers: dict[str, list[str]] = {"threads": [], "readers": []}
    print(f"\nOn {os.cpu_count()} cores, {len(measurements[0].rates)} repeats:")
    for name in (kind.name for kind in KINDS):
        one = cells[name, "batch", 1]
        shared, joined = cells[name, "batch", most], cells[name, "batch_join", most]
        threads, readers = verdict(shared, one), verdict(joined, shared)
        print(f"  {name}: {most} threads against 1: {threads};")
        print(f"  {'':{len(name)}}  {most} readers against 1, {most} threads both: {readers}.")
        answers["threads"] += [name] * threads.startswith("faster")
        answers["readers"] += [name] * readers.startswith("faster")
    print("\nconclusion:")
    print(f"  num_threads={most} made these faster: {', '.join(answers['threads']) or 'none'};")
    print(f"  a reader for each thread, further: {', '.join(answers['readers']) or 'none'}.")


def draw(measurements: list[Measurement], path: Path) -> None:
    """One panel for each kind of example: rate over threads, with the range of the repeats."""
    import matplotlib

    matplotlib.use("Agg")  # A file, and no window.
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(KINDS), figsize=(13, 3.8), layout="constrained")
    for panel, kind in zip(panels, KINDS, strict=True):
        for builder in BUILDERS:
            some = [m for m in measurements if (m.kind, m.builder) == (kind.name, builder)]
            rates = [m.rate for m in some]
            errors = [
                [m.rate - min(m.rates) for m in some],
                [max(m.rates) - m.rate for m in some],
            ]
            panel.errorbar(THREADS, rates, yerr=errors, marker="o", capsize=4, label=builder)
        panel.set(title=f"{kind.name} examples", xlabel="enqueueing threads", xticks=THREADS)
        panel.set_ylim(bottom=0)
        panel.yaxis.set_major_formatter("{x:,.0f}")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("examples per second")
    panels[0].legend()
    figure.suptitle(f"Enqueueing in parallel, {os.cpu_count()} cores (median and range)")
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few batches each: for a test")
    parser.add_argument("--repeats", type=int, default=5, help="times each figure is taken")
    parser.add_argument("--out", type=Path, help="folder for parallel_enqueue.png")
    arguments = parser.parse_args()
    measurements = measure(arguments.repeats, arguments.quick)
    show(measurements)
    conclude(measurements)
    if arguments.out:
        path = arguments.out / "parallel_enqueue.png"
        draw(measurements, path)
        print(f"plot: {path}")


if __name__ == "__main__":
    main()
