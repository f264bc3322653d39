"""Generates the benchmark's files: the same bytes in every run."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from benchmarks.pipelines import COLUMNS, RECORD_BYTES, SIDE

RECORDS = {"csv": 200_000, "tfrecord": 40_000, "fixed": 20_000}
FILES = 4


def generate(folder: Path, kind: str, records: int) -> list[str]:
    """Writes `records` records of a format over four files; gives their names."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [str(folder / f"{kind}-{records}-{i}.data") for i in range(FILES)]
    if not all(Path(name).exists() for name in names):
        rng = np.random.default_rng(7)
        for name in names:
            _WRITERS[kind](name, records // FILES, rng)
    return names


def _csv(name: str, count: int, rng: np.random.Generator) -> None:
    numbers = rng.random((count, COLUMNS - 1))
    labels = rng.integers(0, 10, count)
    with open(name, "w") as f:
        for row, label in zip(numbers, labels, strict=True):
            f.write(",".join(f"{x:.4f}" for x in row) + f",{label}\n")


def _tfrecord(name: str, count: int, rng: np.random.Generator) -> None:
    import tensorflow as tf

    with tf.io.TFRecordWriter(name) as writer:
        for _ in range(count):
            image = rng.integers(0, 256, SIDE * SIDE, dtype=np.uint8).tobytes()
            feature = {
                "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image])),
                "label": tf.train.Feature(
                    int64_list=tf.train.Int64List(value=[int(rng.integers(10))])
                ),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())


def _fixed(name: str, count: int, rng: np.random.Generator) -> None:
    with open(name, "wb") as f:
        for _ in range(count):
            f.write(struct.pack("B", int(rng.integers(10))))
            f.write(rng.integers(0, 256, RECORD_BYTES - 1, dtype=np.uint8).tobytes())


_WRITERS = {"csv": _csv, "tfrecord": _tfrecord, "fixed": _fixed}
