"""Writes the digits of this folder: TFRecord, CSV and fixed-length binary, train and test.

This ran once; its output is committed and nobody needs to run it again. To repeat it, in a
throw-away environment:

    pip install scikit-learn tensorflow
    python examples/data/make_data.py

The output is the same, byte for byte, each time. Every fifth image, starting with the first, is
for testing (360 of 1,797): the list is not in random order, so the last fifth of it would be
a different, harder test than a spread of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

HERE = Path(__file__).parent
TRAIN_SHARDS = 3
PIXELS = 64


def shards(images: np.ndarray, labels: np.ndarray) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yields (file stem, images, labels): three parts to train on, one to test on."""
    test = np.arange(len(labels)) % 5 == 0
    train_images = np.array_split(images[~test], TRAIN_SHARDS)
    train_labels = np.array_split(labels[~test], TRAIN_SHARDS)
    for n, (image, label) in enumerate(zip(train_images, train_labels, strict=True)):
        yield f"digits-train-{n}-of-{TRAIN_SHARDS}", image, label
    yield "digits-test-0-of-1", images[test], labels[test]


def write_tfrecord(path: Path, images: np.ndarray, labels: np.ndarray) -> None:
    """One tf.Example a record: `image`, 64 bytes; `label`, an integer."""
    with tf.io.TFRecordWriter(str(path)) as writer:
        for image, label in zip(images, labels, strict=True):
            feature = {
                "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tobytes()])),
                "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[int(label)])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            # A map has no order on the wire unless it is asked for.
            writer.write(example.SerializeToString(deterministic=True))


def write_csv(path: Path, images: np.ndarray, labels: np.ndarray) -> None:
    """A header line, then `label,p0,…,p63`."""
    header = ",".join(["label", *(f"p{n}" for n in range(PIXELS))])
    rows = np.column_stack([labels, images])
    np.savetxt(path, rows, fmt="%d", delimiter=",", header=header, comments="")


def write_fixed_length(path: Path, images: np.ndarray, labels: np.ndarray) -> None:
    """65 bytes a record: the label, then the pixels row by row; no header, no footer."""
    path.write_bytes(np.column_stack([labels, images]).astype(np.uint8).tobytes())


def main() -> None:
    digits = load_digits()
    images = digits.data.astype(np.uint8)
    labels = digits.target.astype(np.uint8)
    for stem, image, label in shards(images, labels):
        write_tfrecord(HERE / f"{stem}.tfrecord", image, label)
        write_csv(HERE / f"{stem}.csv", image, label)
        write_fixed_length(HERE / f"{stem}.bin", image, label)
        print(f"{stem}: {len(label)} images")


if __name__ == "__main__":
    main()
