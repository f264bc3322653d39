"""Does enqueueing in parallel speed up batches, when `batch` already dequeues in parallel?

The question hides a mistake: `batch` dequeues in one op, one batch at a time. Its `num_threads`
are threads that *enqueue*: each runs the ops that read and decode one example, and adds the
example to the queue. With `num_threads=4` four threads share one reader, and take turns at it.
`batch_join` gives each thread a reader, so that also the reading is parallel.

Whether that helps depends on what an example costs, so this measures three kinds of examples:

    cheap    a record is sliced: most of the time goes into starting ops
    heavy    an image is enlarged: the time goes into arithmetic, on one core
    waiting  each record waits 2 ms, as on a disk or a network: no core is busy

    python examples/parallel_enqueue.py [--quick] [--out DIR] [--repeats N]

prints a table and a conclusion, which is worked out from the numbers of this machine, and draws
them as parallel_enqueue.png in DIR (needs matplotlib).
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import tensorflow as tf

import queueio
from queueio import io, train

DATA = Path(__file__).resolve().parent / "data"
FILES = sorted(str(path) for path in DATA.glob("digits-train-*.bin"))
BATCH_SIZE = 32
THREADS = (1, 2, 4)
Example = list[tf.Tensor]


def cheap(record: tf.Tensor) -> tf.Tensor:
    return tf.reshape(io.decode_raw(record, tf.uint8), [65])[1:]


def heavy(record: tf.Tensor) -> tf.Tensor:
    image = tf.cast(tf.reshape(cheap(record), [8, 8, 1]), tf.float32)
    return tf.reduce_mean(tf.image.resize(image, [512, 512], method="bicubic"))


def waiting(record: tf.Tensor) -> tf.Tensor:
    def wait(pixels: object) -> object:
        time.sleep(0.002)
        return pixels

    pixels = tf.numpy_function(wait, [cheap(record)], tf.uint8)
    return tf.reshape(pixels, [64])


# How many batches are timed: about half a second's worth with one thread.
BATCHES = {cheap: 150, heavy: 4, waiting: 8}


def with_batch(decode: Callable[[tf.Tensor], tf.Tensor], threads: int) -> tf.Tensor:
    """One reader, and `threads` threads that share it."""
    files = train.string_input_producer(FILES)
    _, record = io.FixedLengthRecordReader(record_bytes=65).read(files)
    return train.batch([decode(record)], BATCH_SIZE, num_threads=threads, capacity=2 * BATCH_SIZE)


def with_batch_join(decode: Callable[[tf.Tensor], tf.Tensor], threads: int) -> tf.Tensor:
    """`threads` readers, with one thread each."""
    files = train.string_input_producer(FILES)
    examples: list[Example] = []
    for _ in range(threads):
        _, record = io.FixedLengthRecordReader(record_bytes=65).read(files)
        examples.append([decode(record)])
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


def rate(decode: Callable[[tf.Tensor], tf.Tensor], builder: str, threads: int, batches: int) -> float:
    """Examples per second, once the queue has been filled and emptied a first time."""
    # An op may use one core, so that the threads of the queue runner are all the parallelism there
    # is; but as many ops as there are threads may run (or wait) at a time.
    config = tf.compat.v1.ConfigProto(
        intra_op_parallelism_threads=1, inter_op_parallelism_threads=2 * max(THREADS) + 2
    )
    with tf.Graph().as_default(), tf.compat.v1.Session(config=config) as sess:
        batch = BUILDERS[builder](decode, threads)
        with queueio.running(sess):
            for _ in range(3):  # More than the queue's capacity, which was filled in advance.
                sess.run(batch.op)
            start = time.perf_counter()
            for _ in range(batches):
                sess.run(batch.op)
            return batches * BATCH_SIZE / (time.perf_counter() - start)


def measure(repeats: int, quick: bool) -> list[Measurement]:
    cells = [(kind, builder, n) for kind in BATCHES for builder in BUILDERS for n in THREADS]
    rates: dict[tuple, list[float]] = {cell: [] for cell in cells}
    # Repeats go round all cells, so that a busy minute of the machine does not hit one cell only.
    for _ in range(repeats):
        for kind, builder, n in cells:
            batches = max(2, BATCHES[kind] // 4) if quick else n * BATCHES[kind]
            rates[kind, builder, n].append(rate(kind, builder, n, batches))
    return [Measurement(kind.__name__, b, n, tuple(rates[kind, b, n])) for kind, b, n in cells]


def verdict(base: Measurement, other: Measurement) -> str:
    """In words, what `other` is to `base`; nothing is claimed where their figures overlap."""
    ratio = other.rate / base.rate
    if min(other.rates) > max(base.rates):
        return f"{ratio:.2f} times as fast"
    if max(other.rates) < min(base.rates):
        return f"slower, {ratio:.2f} times the speed"
    return f"no difference that this measurement can see ({ratio:.2f} times)"


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
    """Prints, for each kind of example, what more threads and more readers did."""
    cells = {(m.kind, m.builder, m.threads): m for m in measurements}
    most = max(THREADS)
    print(f"conclusion, on {os.cpu_count()} cores, of {len(measurements[0].rates)} repeats:")
    for kind in BATCHES:
        name = kind.__name__
        base = cells[name, "batch", 1]
        shared, joined = cells[name, "batch", most], cells[name, "batch_join", most]
        print(f"  {name}: num_threads={most} is {verdict(base, shared)} against one thread;")
        print(f"    a reader for each thread is {verdict(shared, joined)} against one reader.")


def draw(measurements: list[Measurement], path: Path) -> None:
    """One panel for each kind of example: rate over threads, with the range of the repeats."""
    import matplotlib

    matplotlib.use("Agg")  # A file, and no window.
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(BATCHES), figsize=(11, 3.8), layout="constrained")
    for panel, kind in zip(panels, BATCHES):
        for builder in BUILDERS:
            some = [m for m in measurements if (m.kind, m.builder) == (kind.__name__, builder)]
            rates = [m.rate for m in some]
            errors = [
                [m.rate - min(m.rates) for m in some],
                [max(m.rates) - m.rate for m in some],
            ]
            panel.errorbar(THREADS, rates, yerr=errors, marker="o", capsize=4, label=builder)
        panel.set(title=f"{kind.__name__} examples", xlabel="enqueueing threads", xticks=THREADS)
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
