"""Chunks against the tf.data pipeline that an expert writes, in three formats.

    python benchmarks/vectorise.py [--batch 128 1024] [--pool 10000] [--formats csv fixed]

Prints examples per second (median of the rounds, which alternate between the contenders) and
microseconds of processor time per example, which other work on the machine disturbs less.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import tensorflow as tf

from queueio.compile.entry import enter
from queueio.compile.kernels import blocks
from queueio.compile.pipeline import batches_of
from queueio.graph.fragment import Fragment

Make = Callable[[list[str], int, int], tf.data.Dataset]
COLUMNS = [[0.0]] * 5 + [[0]]
FEATURES = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
}


def write_csv(path: Path, rows: int, rng: np.random.Generator) -> None:
    values = rng.normal(size=(rows, 5))
    labels = rng.integers(10, size=rows)
    lines = (
        ",".join(f"{v:.4f}" for v in row) + f",{k}\n" for row, k in zip(values, labels, strict=True)
    )
    path.write_text("".join(lines))


def write_fixed(path: Path, rows: int, rng: np.random.Generator) -> None:
    path.write_bytes(rng.integers(0, 256, (rows, 3073), dtype=np.uint8).tobytes())


def write_tfrecord(path: Path, rows: int, rng: np.random.Generator) -> None:
    with tf.io.TFRecordWriter(str(path)) as writer:
        for _ in range(rows):
            image = rng.integers(0, 256, 784, dtype=np.uint8).tobytes()
            example = tf.train.Example()
            example.features.feature["image"].bytes_list.value.append(image)
            example.features.feature["label"].int64_list.value.append(int(image[0]) % 10)
            writer.write(example.SerializeToString())


def csv_fragment() -> Fragment:
    line = tf.compat.v1.placeholder(tf.string, [])
    *features, label = tf.io.decode_csv(line, COLUMNS)
    return Fragment.between([line], [tf.stack(features), label])


def fixed_fragment() -> Fragment:
    record = tf.compat.v1.placeholder(tf.string, [])
    data = tf.io.decode_raw(record, tf.uint8)
    data.set_shape([3073])
    label = tf.cast(data[0], tf.int32)
    image = tf.transpose(tf.reshape(data[1:], [3, 32, 32]), [1, 2, 0])
    return Fragment.between([record], [tf.cast(image, tf.float32) * (1.0 / 255), label])


def tfrecord_fragment() -> Fragment:
    record = tf.compat.v1.placeholder(tf.string, [])
    parsed = tf.io.parse_single_example(record, FEATURES)
    image = tf.io.decode_raw(parsed["image"], tf.uint8)
    image.set_shape([784])
    image = tf.cast(tf.reshape(image, [28, 28, 1]), tf.float32) * (1.0 / 255) - 0.5
    return Fragment.between([record], [image, tf.cast(parsed["label"], tf.int32)])


def expert_csv(lines: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    *features, label = tf.io.decode_csv(lines, COLUMNS)
    return tf.stack(features, 1), label


def expert_fixed(records: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    data = tf.reshape(tf.io.decode_raw(records, tf.uint8), [-1, 3073])
    image = tf.transpose(tf.reshape(data[:, 1:], [-1, 3, 32, 32]), [0, 2, 3, 1])
    return tf.cast(image, tf.float32) * (1.0 / 255), tf.cast(data[:, 0], tf.int32)


def expert_tfrecord(records: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    parsed = tf.io.parse_example(records, FEATURES)
    image = tf.reshape(tf.io.decode_raw(parsed["image"], tf.uint8), [-1, 28, 28, 1])
    return tf.cast(image, tf.float32) * (1.0 / 255) - 0.5, tf.cast(parsed["label"], tf.int32)


def expert(read: Callable[[list[str]], tf.data.Dataset], parse: Callable[..., object]) -> Make:
    def make(files: list[str], batch: int, pool: int) -> tf.data.Dataset:
        data = read(files).shuffle(pool + batch).batch(batch)
        return data.map(parse, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)

    return make


def chunked(read: Callable[..., tf.data.Dataset], build: Callable[[], Fragment]) -> Make:
    def make(files: list[str], batch: int, pool: int) -> tf.data.Dataset:
        with tf.Graph().as_default():
            fragment = build()
        names = tf.data.Dataset.from_tensor_slices(files)
        if read is fixed_blocks:
            fragment, chunks = enter(fragment, lambda dtype: fixed_blocks(names, dtype))
            return batches_of(chunks, fragment, batch, pool)
        return batches_of(read(names), fragment, batch, pool)

    return make


def fixed_blocks(names: tf.data.Dataset, dtype: tf.DType = tf.string) -> tf.data.Dataset:
    return blocks.fixed_length(names, 3073, dtype=dtype, block_bytes=1 << 20)


FORMATS = {
    "csv": (200_000, write_csv, expert(tf.data.TextLineDataset, expert_csv),
            chunked(blocks.text_lines, csv_fragment)),
    "tfrecord": (30_000, write_tfrecord, expert(tf.data.TFRecordDataset, expert_tfrecord),
                 chunked(blocks.tf_records, tfrecord_fragment)),
    "fixed": (15_000, write_fixed,
              expert(lambda f: tf.data.FixedLengthRecordDataset(f, 3073), expert_fixed),
              chunked(fixed_blocks, fixed_fragment)),
}  # fmt: skip


def consume(data: tf.data.Dataset) -> tuple[float, float]:
    """Seconds of wall time and of processor time to run through `data` in C++."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    for _ in data.skip(1 << 30):
        raise AssertionError("nothing is left after skipping all")
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    return wall, after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime


def measure(
    contenders: dict[str, tf.data.Dataset], rows: int, rounds: int
) -> Iterator[tuple[str, float, float]]:
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
    for number in range(rounds + 1):
        for name, data in contenders.items():
            sample = consume(data)
            if number:
                times[name].append(sample)
    for name, samples in times.items():
        wall = statistics.median(s[0] for s in samples)
        cpu = statistics.median(s[1] for s in samples)
        yield name, rows / wall, cpu / rows * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, nargs="+", default=[128, 1024])
    parser.add_argument("--pool", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=4, help="epochs per round")
    parser.add_argument("--formats", nargs="+", default=list(FORMATS), choices=list(FORMATS))
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        for name in args.formats:
            rows, write, by_expert, by_chunks = FORMATS[name]
            path = Path(folder) / name
            write(path, rows, rng)
            files = [str(path)] * args.repeat
            for batch in args.batch:
                made = {
                    "expert": by_expert(files, batch, args.pool),
                    "chunks": by_chunks(files, batch, args.pool),
                }
                speeds = {}
                for who, speed, cpu in measure(made, rows * args.repeat, args.rounds):
                    speeds[who] = speed
                    print(f"{name:9} {batch:5} {who:7} {speed:10,.0f}/s {cpu:7.2f} us cpu")
                print(f"{name:9} {batch:5} ratio   {speeds['chunks'] / speeds['expert']:.2f}")


if __name__ == "__main__":
    main()
