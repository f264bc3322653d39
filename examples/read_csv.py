"""Reads the digits from CSV: skips the header lines, splits each line into columns.

    filenames ─▶ filename queue ─▶ TextLineReader ─▶ decode_csv ─▶ batch

A text reader's keys are `file:line`; lines count from 1 and the header counts too, so the first
record of a file is `:2`. At the end the rows are held against Python's own csv module.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import queueio.v1 as tf

DATA = Path(__file__).resolve().parent / "data"
FILES = sorted(str(path) for path in DATA.glob("digits-train-*.csv"))
PIXELS = 64


def build() -> list[tf.Tensor]:
    """One epoch of (key, label, pixels): string, int32, int32 of 64; batches of 100."""
    filename_queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
    key, line = tf.TextLineReader(skip_header_lines=1).read(filename_queue)
    # A default of a type, not of a value: an empty field is then an error, not a nought.
    columns = tf.decode_csv(line, record_defaults=[tf.constant([], tf.int32)] * (1 + PIXELS))
    return tf.train.batch(
        [key, columns[0], tf.stack(columns[1:])], batch_size=100, allow_smaller_final_batch=True
    )


def read(batch: list[tf.Tensor]) -> tuple[list[str], list[tuple[int, ...]]]:
    """Returns the keys and the rows, in the order in which they came."""
    keys: list[str] = []
    rows: list[tuple[int, ...]] = []
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())  # The epochs are counted in a local variable.
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                some_keys, labels, pixels = sess.run(batch)
                keys += [key.decode() for key in some_keys]
                rows += [
                    (int(n), *map(int, image)) for n, image in zip(labels, pixels, strict=True)
                ]
        except tf.errors.OutOfRangeError:
            pass  # The end of the epoch.
        finally:
            coord.request_stop()
            coord.join(threads)
    return keys, rows


def rows_of_csv_module() -> list[tuple[int, ...]]:
    rows: list[tuple[int, ...]] = []
    for name in FILES:
        with open(name, newline="") as file:
            rows += [tuple(map(int, row)) for row in list(csv.reader(file))[1:]]
    return rows


def main() -> None:
    keys, rows = read(build())
    labels = Counter(row[0] for row in rows)
    print(f"rows read: {len(rows)} from {len(FILES)} files")
    print(f"first key: {Path(keys[0]).name}")
    print(f"last key: {Path(keys[-1]).name}")
    print(f"different keys: {len(set(keys))}")
    print("labels: " + ", ".join(f"{label}: {labels[label]}" for label in sorted(labels)))
    same = rows == rows_of_csv_module()
    print(f"same rows, same order, as Python's csv module reads: {same}")


if __name__ == "__main__":
    main()
