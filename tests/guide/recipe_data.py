"""Tiny files under the names that the guide's recipes read: `write(folder)`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tensorflow as tf


def write(folder: Path) -> None:
    """Files whose number of examples fills the recipes' batches, from fixed random numbers."""
    draw = np.random.default_rng(0)
    _csv(folder, draw)
    _records(folder, draw)
    _images(folder, draw)
    _cifar(folder, draw)
    _clips(folder, draw)


def _csv(folder: Path, draw: np.random.Generator) -> None:
    for number, count in enumerate((40, 24)):
        rows = [",".join([*map(str, draw.random(3)), str(draw.integers(2))]) for _ in range(count)]
        (folder / f"train-{number}.csv").write_text("\n".join(["a,b,c,label", *rows]) + "\n")


def _records(folder: Path, draw: np.random.Generator) -> None:
    def example() -> bytes:
        image = tf.train.BytesList(value=[draw.integers(256, size=784, dtype=np.uint8).tobytes()])
        label = tf.train.Int64List(value=[draw.integers(10)])
        parts = {
            "image_raw": tf.train.Feature(bytes_list=image),
            "label": tf.train.Feature(int64_list=label),
        }
        whole = tf.train.Example(features=tf.train.Features(feature=parts))
        text: bytes = whole.SerializeToString()
        return text

    for number, count in enumerate((13, 9)):  # twice 22: the last batch is not full
        with tf.io.TFRecordWriter(str(folder / f"train-{number}.tfrecord")) as writer:
            for _ in range(count):
                writer.write(example())


def _images(folder: Path, draw: np.random.Generator) -> None:
    (folder / "images").mkdir()
    lines = []
    for number in range(20):
        size = (*draw.integers(17, 40, 2), 3)  # of unequal size, as pictures are
        pixels = draw.integers(256, size=size, dtype=np.uint8)
        path = f"images/{number}.jpg"
        (folder / path).write_bytes(tf.io.encode_jpeg(pixels).numpy())
        lines.append(f"{path} {number % 5}")
    (folder / "images.txt").write_text("\n".join(lines) + "\n")


def _cifar(folder: Path, draw: np.random.Generator) -> None:
    (folder / "cifar-10-batches-bin").mkdir()
    for number in (1, 2):
        records = draw.integers(256, size=(16, 3073), dtype=np.uint8)
        records[:, 0] %= 10
        records.tofile(folder / f"cifar-10-batches-bin/data_batch_{number}.bin")


def _clips(folder: Path, draw: np.random.Generator) -> None:
    (folder / "clips").mkdir()
    for number in range(16):
        clip = draw.normal(size=8).astype(np.float32)
        np.save(folder / f"clips/clip-{number}-{number % 3}.npy", clip)
