"""Joins: several readers fill one queue, so a batch holds examples of several files.

`batch` has one reader, which finishes a file before it opens the next: a batch comes from one file
or two. `batch_join` takes a list of tensors for each reader, and gives each a thread of its own.
`shuffle_batch_join` mixes on top of that. Every record still comes exactly once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import queueio.v1 as tf

DATA = Path(__file__).resolve().parent / "data"
FILES = sorted(str(path) for path in DATA.glob("digits-train-*.bin"))
BATCH_SIZE = 30
READERS = 3


def read_one(filename_queue: tf.QueueBase) -> list[tf.Tensor]:
    """One reader, of its own, on a filename queue that the readers share."""
    key, record = tf.FixedLengthRecordReader(record_bytes=65).read(filename_queue)
    return [key, tf.decode_raw(record, tf.uint8)[0]]


def batch(filename_queue: tf.QueueBase) -> list[tf.Tensor]:
    return tf.train.batch(read_one(filename_queue), BATCH_SIZE, allow_smaller_final_batch=True)


def batch_join(filename_queue: tf.QueueBase) -> list[tf.Tensor]:
    readers = [read_one(filename_queue) for _ in range(READERS)]
    return tf.train.batch_join(readers, BATCH_SIZE, allow_smaller_final_batch=True)


def shuffle_batch_join(filename_queue: tf.QueueBase) -> list[tf.Tensor]:
    readers = [read_one(filename_queue) for _ in range(READERS)]
    return tf.train.shuffle_batch_join(
        readers, BATCH_SIZE, capacity=600, min_after_dequeue=500, allow_smaller_final_batch=True
    )


def keys_by_batch(build: Callable[[tf.QueueBase], list[tf.Tensor]]) -> list[list[str]]:
    batches = []
    with tf.Graph().as_default(), tf.Session() as sess:
        keys, _ = build(tf.train.string_input_producer(FILES, num_epochs=1))
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                batches.append([key.decode() for key in sess.run(keys)])
        except tf.errors.OutOfRangeError:
            pass  # The end of the epoch.
        finally:
            coord.request_stop()
            coord.join(threads)
    return batches


def show(name: str, batches: list[list[str]]) -> None:
    counts = Counter(key for keys in batches for key in keys)
    files = [len({key.rpartition(":")[0] for key in keys}) for keys in batches]
    print(f"{name}:")
    print(f"    records: {len(counts)}, each exactly once: {set(counts.values()) == {1}}")
    print(f"    files in a batch: {sum(files) / len(files):.2f} on average, {max(files)} at most")


def refusal_of_unlike_shapes() -> str:
    with tf.Graph().as_default():
        try:
            tf.train.batch_join([[tf.constant([1, 2])], [tf.constant([1, 2, 3])]], BATCH_SIZE)
        except ValueError as error:
            return f"{type(error).__name__}: {error}"
    return "none"


def main() -> None:
    for build in (batch, batch_join, shuffle_batch_join):
        show(build.__name__, keys_by_batch(build))
    print(f"readers of unlike shapes, refused: {refusal_of_unlike_shapes()}")


if __name__ == "__main__":
    main()
