"""Batches of things that differ in length: `dynamic_pad` fills each batch up to its longest.

The things are the digits of the test file, each as the list of the pixels that carry ink. Without
padding, `batch` refuses them when the graph is built, for it could not stack them. With it, each
batch is as wide as its own longest list; the rest of the row is noughts.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import queueio.v1 as tf

FILE = Path(__file__).resolve().parent / "data" / "digits-test-0-of-1.bin"
BATCH_SIZE = 50


def inked_pixels() -> tf.Tensor:
    """Where the ink of one digit is: numbers from 1 to 64 (0 is left for the padding)."""
    filename_queue = tf.train.string_input_producer([str(FILE)], num_epochs=1)
    _, record = tf.FixedLengthRecordReader(record_bytes=65).read(filename_queue)
    pixels = tf.decode_raw(record, tf.uint8)[1:]
    places = tf.where(pixels > 0)  # As many rows as there are inked pixels; one column.
    return tf.reshape(places, [-1]) + 1


def refusal_without_padding() -> str:
    with tf.Graph().as_default():
        try:
            tf.train.batch([inked_pixels()], BATCH_SIZE)
        except ValueError as error:
            return f"{type(error).__name__}: {error}"
    return "none"


def batches_with_padding() -> list[np.ndarray]:
    batches = []
    with tf.Graph().as_default(), tf.Session() as sess:
        batch = tf.train.batch(
            [inked_pixels()], BATCH_SIZE, dynamic_pad=True, allow_smaller_final_batch=True
        )
        print(f"static shape of a padded batch: {batch.shape}")
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
    return batches


def main() -> None:
    print(f"without padding, refused: {refusal_without_padding()}")
    batches = batches_with_padding()
    for batch in batches:
        lengths = (batch > 0).sum(axis=1)
        print(f"    batch of shape {batch.shape}: lengths {lengths.min()} to {lengths.max()}")
    rows = [row for batch in batches for row in batch]
    found = [row[row > 0].tolist() for row in rows]
    pixels = np.fromfile(FILE, np.uint8).reshape(-1, 65)[:, 1:]
    expected = [(np.flatnonzero(image) + 1).tolist() for image in pixels]
    widest = all(batch.shape[1] == (batch > 0).sum(axis=1).max() for batch in batches)
    at_the_end = all(
        (row[len(places) :] == 0).all() for row, places in zip(rows, found, strict=True)
    )
    cells = sum(batch.size for batch in batches)
    print(f"each batch as wide as its longest: {widest}")
    print(f"padding only at the end of rows: {at_the_end}")
    print(f"padding: {1 - sum(map(len, found)) / cells:.0%} of {cells:,} cells")
    print(f"same lists, same order, as in the file: {found == expected}")


if __name__ == "__main__":
    main()
