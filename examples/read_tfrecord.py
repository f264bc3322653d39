"""Reads the digits from TFRecords: a tf.Example a record, parsed into an image and a label.

    filenames ─▶ filename queue ─▶ TFRecordReader ─▶ parse_single_example ─▶ decode_raw ─▶ batch

The newer style: `queueio.train` and `queueio.io` inside a `tf.Graph`, beside today's TensorFlow.
A TFRecord reader's keys are `file:offset`, the byte at which the record begins. At the end the
images are held against the same digits in the fixed-length files, read without TensorFlow.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tensorflow as tf

import queueio
from queueio import io, train

DATA = Path(__file__).resolve().parent / "data"
FILES = sorted(str(path) for path in DATA.glob("digits-train-*.tfrecord"))
FEATURES = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
}


def build() -> dict[str, tf.Tensor]:
    """One epoch of key, label and image (string, int64, uint8 of 64), in batches of 100."""
    filename_queue = train.string_input_producer(FILES, num_epochs=1, shuffle=False)
    key, record = io.TFRecordReader().read(filename_queue)
    example = io.parse_single_example(record, FEATURES)
    image = io.decode_raw(example["image"], tf.uint8)
    # The op cannot know how long the string is; a batch needs to.
    image.set_shape([64])
    return train.batch(
        {"key": key, "label": example["label"], "image": image},
        batch_size=100,
        allow_smaller_final_batch=True,
    )


def read() -> dict[str, np.ndarray]:
    """Returns the whole epoch, one array for each of key, label and image."""
    batches = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        batch = build()
        sess.run(tf.compat.v1.local_variables_initializer())
        with queueio.running(sess):
            try:
                while True:
                    batches.append(sess.run(batch))
            except tf.errors.OutOfRangeError:
                pass  # The end of the epoch.
    return {name: np.concatenate([b[name] for b in batches]) for name in batches[0]}


def main() -> None:
    digits = read()
    keys = [key.decode() for key in digits["key"]]
    binary = b"".join(Path(name).with_suffix(".bin").read_bytes() for name in FILES)
    expected = np.frombuffer(binary, np.uint8).reshape(-1, 65)
    print(f"records read: {len(keys)} from {len(FILES)} files")
    print(f"first keys: {', '.join(Path(key).name for key in keys[:2])}")
    print(f"different keys: {len(set(keys))}")
    print(f"one image, label {digits['label'][2]}:")
    for row in digits["image"][2].reshape(8, 8):
        print("    " + "".join(" .:-=+*#@"[pixel // 2] * 2 for pixel in row))
    same = np.array_equal(np.column_stack([digits["label"], digits["image"]]), expected)
    print(f"same images and labels, same order, as in the fixed-length files: {same}")


if __name__ == "__main__":
    main()
