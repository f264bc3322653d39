"""Large records in a shuffling queue: what each engine holds, and when its first batch comes.

    python -m benchmarks.large_records            the whole table
    python -m benchmarks.large_records 1000 30    records of 1,000 kB, 30 of them

A queue of 50 serialized examples, min_after_dequeue 20, batches of 8, in several forms: the
strings themselves, by one reader or by three; a queue of strings that is decoded behind it, as
im2txt and Inception do it; decoded first, to ten numbers, to an image of 1 MB, to bytes that are
padded, or to a sparse tensor of strings.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = {1: 2000, 100: 1000, 1000: 100, 10_000: 40}
"""Kilobytes of a record, and how many records there are."""
MODES = ("strings", "readers", "queue", "decoded", "images", "padded", "sparse")

PROGRAM = """
import resource, sys, time
import queueio.v1 as tf
mode, path = sys.argv[1:]
names = tf.train.string_input_producer([path] * 3)
_, record = tf.TFRecordReader().read(names)

def parse(record):
    if mode == "sparse":
        return tf.parse_single_example(record, {"x": tf.VarLenFeature(tf.string)})["x"]
    x = tf.parse_single_example(record, {"x": tf.FixedLenFeature([], tf.string)})["x"]
    if mode == "padded":
        return tf.decode_raw(x, tf.uint8)
    numbers = tf.reshape(tf.decode_raw(x, tf.uint8)[:10], [10])
    if mode == "images":
        return tf.fill([256, 1024], tf.cast(numbers[0], tf.float32))
    return numbers

if mode == "strings":
    batch = tf.train.shuffle_batch([record], 8, 50, 20)
elif mode == "readers":
    records = [[record]] + [[tf.TFRecordReader().read(names)[1]] for _ in range(2)]
    batch = tf.train.shuffle_batch_join(records, 8, 50, 20)
elif mode == "padded":
    batch = tf.train.batch([parse(record)], 8, capacity=50, dynamic_pad=True)
elif mode == "queue":
    queue = tf.RandomShuffleQueue(50, 20, [tf.string], shapes=[[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([record])]))
    batch = tf.train.batch([parse(queue.dequeue())], 8)
else:
    batch = tf.train.shuffle_batch([parse(record)], 8, 50, 20)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    begin = time.time()
    sess.run(batch)
    first = time.time() - begin
    for _ in range(29):
        sess.run(batch)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, first, flush=True)
    coord.request_stop()
    coord.join(threads)
"""


def write(folder: Path, kilobytes: int, count: int) -> Path:
    """A file of `count` examples with `kilobytes` in them."""
    import tensorflow as tf

    path = folder / f"{kilobytes}.tfrecord"
    with tf.io.TFRecordWriter(str(path)) as writer:
        for number in range(count):
            content = tf.train.BytesList(value=[bytes([number % 251]) * (kilobytes << 10)])
            feature = {"x": tf.train.Feature(bytes_list=content)}
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())
    return path


def measure(mode: str, path: Path, engine: str) -> tuple[int, float]:
    """Peak memory of a process in MB, and seconds until its first batch."""
    environment = {**os.environ, "QUEUEIO_ENGINE": engine, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, mode, str(path)],
        env=environment, check=True, stdout=subprocess.PIPE, timeout=600,
    )  # fmt: skip
    peak, first = done.stdout.split()[-2:]
    return int(peak), float(first)


def main(sizes: dict[int, int]) -> None:
    """Prints the table."""
    print("| record | mode | queues: peak, first batch | data engine: peak, first batch |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kilobytes, count in sizes.items():
            path = write(Path(folder), kilobytes, count)
            for mode in MODES:
                sides = [measure(mode, path, engine) for engine in ("queue", "data")]
                cells = " | ".join(f"{peak:,} MB, {first:.2f} s" for peak, first in sides)
                print(f"| {kilobytes:,} kB | {mode} | {cells} |", flush=True)
            path.unlink()


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    main({given[0]: given[1]} if given else SIZES)
