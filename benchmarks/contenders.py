"""What is measured: every way to feed the same batches, each in a process of its own.

`python -m benchmarks.contenders CONTENDER KIND THREADS BATCH SECONDS FILE…` prints one line of
JSON: examples per second after a warm-up, microseconds of processor time per example, seconds to
the first batch, peak resident bytes. The batches stay inside TensorFlow: nothing is copied to
Python on either side.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.pipelines import COLUMNS, RECORD_BYTES, SIDE, queue_input

POOL = 1000


def _session(tf: Any, kind: str, files: list[str], threads: int, batch: int) -> Iterator[int]:
    """Steps of a TF1 session fed by queues; works on TF 1.15 as well."""
    with tf.Graph().as_default():
        step = tf.group(*queue_input(tf, kind, files, threads, batch))
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            tf.train.start_queue_runners(sess, coord)
            run = sess.run
            while True:
                run(step)
                yield batch


def stock(kind: str, files: list[str], threads: int, batch: int) -> Iterator[int]:
    """Stock compat.v1 queues on today's TensorFlow."""
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()
    tf.logging.set_verbosity("ERROR")
    return _session(tf, kind, files, threads, batch)


def queue(kind: str, files: list[str], threads: int, batch: int) -> Iterator[int]:
    """queueio's queue engine, diagnosis switched on."""
    import queueio.v1 as tf

    return _session(tf, kind, files, threads, batch)


def data(kind: str, files: list[str], threads: int, batch: int) -> Iterator[int]:
    """The same unchanged TF1 code under the data engine."""
    os.environ["QUEUEIO_ENGINE"] = "data"
    return queue(kind, files, threads, batch)


def watched(kind: str, files: list[str], threads: int, batch: int) -> Iterator[int]:
    """The queue engine, with an observer as `queueio watch` has it."""
    steps = queue(kind, files, threads, batch)
    from queueio.schedule.observe import FreeRun

    with FreeRun(keeps=False).watching():
        yield from steps


def traced(kind: str, files: list[str], threads: int, batch: int) -> Iterator[int]:
    """The queue engine, each call noted, as `queueio run --trace` has it."""
    steps = queue(kind, files, threads, batch)
    from queueio.schedule.observe import FreeRun

    with FreeRun().watching():
        yield from steps


class Legacy:
    """TF1's names, mixed into newer code."""

    def __getattr__(self, name: str) -> Any:
        import tensorflow as tf

        from queueio import io, train

        found = train if name == "train" else getattr(io, name, None)
        return found or getattr(tf.compat.v1, name)


def plan(kind: str, files: list[str], threads: int, batch: int) -> Iterator[int]:
    """The lifted plan as a dataset, iterated in TF2."""
    import queueio

    lifted = queueio.lift(lambda: queue_input(Legacy(), kind, files, threads, batch))
    return _iterate(lifted.to_dataset(), batch)


def _iterate(dataset: Any, batch: int) -> Iterator[int]:
    for _ in dataset:
        yield batch


def _records(kind: str, files: list[str], epochs: int | None = None) -> Any:
    import tensorflow as tf

    names = tf.data.Dataset.from_tensor_slices(files).shuffle(len(files)).repeat(epochs)
    if kind == "csv":
        return names.flat_map(tf.data.TextLineDataset)
    if kind == "tfrecord":
        return names.flat_map(tf.data.TFRecordDataset)
    return names.flat_map(lambda name: tf.data.FixedLengthRecordDataset(name, RECORD_BYTES))


def _parse(kind: str, records: Any) -> tuple[Any, Any]:
    """Decodes one record or a vector of them; the idiom of tf.data's own guide."""
    import tensorflow as tf

    if kind == "csv":
        columns = tf.io.decode_csv(records, [[0.0]] * (COLUMNS - 1) + [[0]])
        return tf.stack(columns[:-1], axis=-1), columns[-1]
    rows = [-1] if records.shape.rank else []
    if kind == "tfrecord":
        spec = {
            "image": tf.io.FixedLenFeature([], tf.string),
            "label": tf.io.FixedLenFeature([], tf.int64),
        }
        parse = tf.io.parse_example if rows else tf.io.parse_single_example
        features = parse(records, spec)
        image = tf.reshape(tf.io.decode_raw(features["image"], tf.uint8), [*rows, SIDE * SIDE])
        return tf.cast(image, tf.float32) * (1.0 / 255), features["label"]
    numbers = tf.reshape(tf.io.decode_raw(records, tf.uint8), [*rows, RECORD_BYTES])
    image = tf.reshape(numbers[..., 1:], [*rows, 3, 32, 32])
    image = tf.transpose(image, [0, 2, 3, 1] if rows else [1, 2, 0])
    return tf.cast(image, tf.float32) * (1.0 / 255), tf.cast(numbers[..., :1], tf.int32)


def mapped(kind: str, files: list[str], threads: int, batch: int) -> Iterator[int]:
    """tf.data as most write it: one map per example, AUTOTUNE."""
    import tensorflow as tf

    auto = tf.data.AUTOTUNE
    examples = _records(kind, files).map(lambda r: _parse(kind, r), num_parallel_calls=auto)
    return _iterate(examples.shuffle(POOL).batch(batch, drop_remainder=True).prefetch(auto), batch)


def expert(kind: str, files: list[str], threads: int, batch: int) -> Iterator[int]:
    """tf.data written by an expert: shuffle, batch, then one vectorised parse per batch."""
    return _iterate(expert_dataset(kind, files, batch), batch)


def expert_dataset(kind: str, files: list[str], batch: int, epochs: int | None = None) -> Any:
    """The expert's batches."""
    import tensorflow as tf

    auto = tf.data.AUTOTUNE
    batches = _records(kind, files, epochs).shuffle(POOL).batch(batch, drop_remainder=True)
    return batches.map(lambda r: _parse(kind, r), num_parallel_calls=auto).prefetch(auto)


def raw(kind: str, files: list[str], threads: int, batch: int) -> Iterator[int]:
    """A limit: reading and batching records, with no shuffling and no decoding."""
    import tensorflow as tf

    batches = _records(kind, files).batch(batch, drop_remainder=True)
    return _iterate(batches.prefetch(tf.data.AUTOTUNE), batch)


def no_tensorflow(kind: str, files: list[str], threads: int, batch: int) -> Iterator[int]:
    """Another limit: the bytes of every file, split into records, with no TensorFlow at all."""
    import numpy as np

    while True:
        for name in files:
            with open(name, "rb") as f:
                content = f.read()
            if kind == "csv":
                yield len(content.splitlines())
            elif kind == "fixed":
                rows = np.frombuffer(content, np.uint8).reshape(-1, RECORD_BYTES)
                yield len(rows[np.random.permutation(len(rows))])
            else:
                yield _count_tfrecords(content)


def _count_tfrecords(content: bytes) -> int:
    position = count = 0
    while position < len(content):
        position += 16 + int.from_bytes(content[position : position + 8], "little")
        count += 1
    return count


CONTENDERS: dict[str, Callable[..., Iterator[int]]] = {
    f.__name__: f
    for f in (stock, queue, watched, traced, data, plan, mapped, expert, raw, no_tensorflow)
}


def _processor_seconds() -> float:
    """Of user and system; other programs on the machine disturb it less than the clock."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure(steps: Iterator[int], seconds: float, start: float) -> dict[str, float]:
    """Takes steps for a warm-up of a quarter of `seconds`, then counts for `seconds`."""
    next(steps)
    first = time.perf_counter() - start
    warm = time.perf_counter() + seconds / 4
    while time.perf_counter() < warm:
        next(steps)
    begin, used, examples = time.perf_counter(), _processor_seconds(), 0
    while time.perf_counter() - begin < seconds:
        examples += next(steps)
    return {
        "rate": examples / (time.perf_counter() - begin),
        "cpu": (_processor_seconds() - used) / examples * 1e6,
        "first": first,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def main() -> None:
    """One measurement, as this process's only job."""
    name, kind, threads, batch, seconds, *files = sys.argv[1:]
    start = time.perf_counter()
    if name == "tf1":
        import tensorflow as tf  # TF 1.15, in its own environment

        tf.logging.set_verbosity("ERROR")
        steps = _session(tf, kind, files, int(threads), int(batch))
    else:
        steps = CONTENDERS[name](kind, files, int(threads), int(batch))
    print(json.dumps(measure(steps, float(seconds), start)), flush=True)
    os._exit(0)  # an endless pipeline has threads that nobody waits for


if __name__ == "__main__":
    main()
