"""Reads the digits from fixed-length binary: 65 bytes a record, a label and 64 pixels.

    filenames ─▶ filename queue ─▶ FixedLengthRecordReader ─▶ decode_raw ─▶ slice ─▶ batch

A fixed-length reader's keys are `file:n`, the number of the record in its file, from 0. At the end
the records are held against the bytes of the files, cut up without TensorFlow.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import queueio.v1 as tf

DATA = Path(__file__).resolve().parent / "data"
FILES = sorted(str(path) for path in DATA.glob("digits-train-*.bin"))
LABEL_BYTES = 1
IMAGE_BYTES = 8 * 8


def build() -> list[tf.Tensor]:
    """One epoch of (key, label, image): string, int32, uint8 of 8 × 8; batches of 100."""
    filename_queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
    reader = tf.FixedLengthRecordReader(record_bytes=LABEL_BYTES + IMAGE_BYTES)
    key, record = reader.read(filename_queue)
    values = tf.decode_raw(record, tf.uint8)
    label = tf.cast(values[0], tf.int32)
    image = tf.reshape(values[LABEL_BYTES : LABEL_BYTES + IMAGE_BYTES], [8, 8])
    return tf.train.batch([key, label, image], batch_size=100, allow_smaller_final_batch=True)


def read(batch: list[tf.Tensor]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns all keys, labels and images, in the order in which they came."""
    batches = []
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                batches.append(sess.run(batch))
        except tf.errors.OutOfRangeError:
            pass  # The end of the epoch.
        finally:
            coord.request_stop()
            coord.join(threads)
    keys, labels, images = (np.concatenate(parts) for parts in zip(*batches, strict=True))
    return keys, labels, images


def main() -> None:
    keys, labels, images = read(build())
    records = np.concatenate([np.fromfile(name, np.uint8) for name in FILES]).reshape(-1, 65)
    print(f"records read: {len(keys)} from {len(FILES)} files")
    first, *_, last = (Path(key.decode()).name for key in keys.tolist())
    print(f"first key: {first}")
    print(f"last key: {last}")
    print(f"images: {images.dtype} of shape {images.shape}, from {images.min()} to {images.max()}")
    same = np.array_equal(labels, records[:, 0]) and np.array_equal(
        images.reshape(-1, IMAGE_BYTES), records[:, 1:]
    )
    print(f"same labels and images, same order, as the bytes of the files: {same}")


if __name__ == "__main__":
    main()
