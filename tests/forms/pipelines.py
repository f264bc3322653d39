"""Random queue pipelines: what one is made of, and the TF1 code that builds it.

The code needs `tensorflow.compat.v1` and a `train` module only, so that TensorFlow 1.15.5 can build
the same pipelines (record_tf1.py).
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
FILES = ("lines", "records", "fixed")
READERS = {
    "lines": lambda: v1.TextLineReader(),
    "records": lambda: v1.TFRecordReader(),
    "fixed": lambda: v1.FixedLengthRecordReader(record_bytes=4, header_bytes=2),
}


@dataclass(frozen=True)
class Pipe:
    """What a random pipeline is made of; all in plain values, so that it can be kept as JSON."""

    source: str  # range, slices, lines, records, fixed, generator, count, constant
    rows: int  # of one epoch, over all files
    files: int  # of lines and records
    epochs: int
    width: int  # producers joined
    share: str  # what joined producers share: nothing, value, queue, reader, counter, written
    threads: int  # enqueue threads, where nothing is joined
    resource: bool  # whether counters are resource variables
    work: str  # none, arithmetic, python, stop (by StopIteration), limit (by a counter)
    stop: int  # examples until work ends the input
    keep: str  # all, some (keep_input), rows (keep_input of a vector)
    many: bool  # enqueue_many
    kind: str  # dense, sparse, padded
    shuffle: bool
    batch_size: int
    room: int  # capacity beyond what a batch needs
    minimum: int  # min_after_dequeue
    remainder: bool  # allow_smaller_final_batch
    again: bool  # a second queue behind the batch
    own: bool  # a queue and runner of the program's own instead of a batch function

    @property
    def each(self) -> int:
        """Elements that the source of one producer gives before anything ends it early."""
        return self.rows * self.epochs

    @property
    def limited(self) -> bool:
        """Whether the work ends the input before its source does."""
        return self.work in ("stop", "limit") and self.stop < self.each

    @property
    def counted_only(self) -> bool:
        """Whether only the number of examples is certain: a race decides which they are."""
        mixed = (
            self.threads > 1 or self.shuffles_files or (self.width > 1 and self.share == "value")
        )
        raced = self.share in ("counter", "written") and self.width > 1
        return raced or (self.limited and mixed)

    @property
    def shuffles_files(self) -> bool:
        """Whether the order of the source itself is random."""
        return self.shuffle and self.source in FILES

    @property
    def ordered(self) -> bool:
        """Whether the queues keep the order of the source."""
        return self.width == 1 and self.threads == 1 and not self.shuffle


def write(pipe: Pipe, folder: str) -> list[str]:
    """The files that the pipeline reads: rows numbered from 0, spread over the files."""
    names = []
    for file in range(pipe.files):
        rows = [b"%d" % row for row in range(file, pipe.rows, pipe.files)]
        names.append(os.path.join(folder, "%d.%s" % (file, pipe.source)))
        if pipe.source == "records":
            with v1.python_io.TFRecordWriter(names[-1]) as writer:
                for row in rows:
                    writer.write(row)
        else:
            fixed = pipe.source == "fixed"
            with open(names[-1], "wb") as f:
                f.write(b"hd" * fixed)
                f.write(b"".join(row.rjust(4) if fixed else row + b"\n" for row in rows))
    return names


class Builder:
    """Builds one pipeline in the default graph."""

    def __init__(self, pipe: Pipe, train: Any, folder: str) -> None:
        self.pipe, self.train, self.folder = pipe, train, folder

    def batch(self) -> Any:
        """The dict of the batch's tensors."""
        pipe = self.pipe
        examples = self._examples()
        options: dict[str, Any] = {
            "batch_size": pipe.batch_size,
            "capacity": pipe.minimum + pipe.batch_size + pipe.room,
            "enqueue_many": pipe.many,
            "allow_smaller_final_batch": pipe.remainder,
        }
        if pipe.shuffle:
            options["min_after_dequeue"] = pipe.minimum
        else:
            options["dynamic_pad"] = pipe.kind == "padded"
        if pipe.width == 1:
            options["num_threads"] = pipe.threads
        tensors = [self._tensors(value) for value in examples]
        if pipe.own:
            return self._own(tensors)
        name = ("shuffle_" * pipe.shuffle) + "batch" + ("_join" * (pipe.width > 1))
        given = tensors if pipe.width > 1 else tensors[0]
        if pipe.keep == "all":
            made = getattr(self.train, name)(given, **options)
        else:
            keep = tf.not_equal(examples[0] % 3, 0)
            made = getattr(self.train, "maybe_" + name)(given, keep_input=keep, **options)
        if not pipe.again:
            return made
        return self.train.batch(
            made, pipe.batch_size + 1, capacity=2 * pipe.batch_size + 2, enqueue_many=True,
            allow_smaller_final_batch=pipe.remainder,
        )  # fmt: skip

    def _own(self, tensors: list[dict[str, Any]]) -> dict[str, Any]:
        """What a program that makes its queue and runner by hand takes from it."""
        pipe = self.pipe
        names = sorted(tensors[0])
        shape = [1] if pipe.many else [0]
        options: dict[str, Any] = {
            "capacity": pipe.minimum + pipe.batch_size + pipe.room,
            "dtypes": [tensors[0][name].dtype for name in names],
            "shapes": [tensors[0][name].shape[shape[0] :] for name in names],
        }
        queue = (
            v1.RandomShuffleQueue(min_after_dequeue=pipe.minimum, **options)
            if pipe.shuffle
            else v1.FIFOQueue(**options)
        )
        put = queue.enqueue_many if pipe.many else queue.enqueue
        ops = [put([each[name] for name in names]) for each in tensors]
        runner = self.train.QueueRunner(queue, ops * pipe.threads)
        self.train.add_queue_runner(runner)
        take = queue.dequeue_up_to if pipe.remainder else queue.dequeue_many
        return dict(zip(names, take(pipe.batch_size)))

    def _examples(self) -> list[Any]:
        """The value of each producer."""
        pipe = self.pipe
        if pipe.share == "value":
            values = [self._worked(self._value(self._made(0)))] * pipe.width
        elif pipe.share == "queue":
            queue = self._made(0)
            values = [self._worked(self._value(queue)) for _ in range(pipe.width)]
        elif pipe.share == "reader":
            queue, reader = self._made(0), READERS[pipe.source]()
            texts = [reader.read(queue)[1] for _ in range(pipe.width)]
            values = [self._worked(v1.string_to_number(text, tf.int64)) for text in texts]
        else:
            values = [self._worked(self._value(self._made(i))) for i in range(pipe.width)]
        if pipe.share == "counter":
            limit = self._counted("shared", pipe.stop)
            values = [value + 0 * limit for value in values]
        elif pipe.share == "written":
            total = self._variable("total")
            values = [value + v1.assign_add(total, 1) for value in values]
        return values

    def _made(self, producer: int) -> Any:
        """What a value is taken from: a queue, or something that is evaluated."""
        pipe = self.pipe
        epochs = None if pipe.share == "counter" else pipe.epochs
        if pipe.source == "range":
            return self.train.range_input_producer(pipe.rows, num_epochs=epochs, shuffle=False)
        if pipe.source in FILES:
            return self.train.string_input_producer(
                write(pipe, self.folder), num_epochs=epochs, shuffle=pipe.shuffle
            )
        return epochs, producer

    def _value(self, made: Any) -> Any:
        """An int64 scalar: a row's number."""
        pipe = self.pipe
        if pipe.source == "range":
            return tf.cast(made.dequeue(), tf.int64)
        if pipe.source in FILES:
            return v1.string_to_number(READERS[pipe.source]().read(made)[1], tf.int64)
        epochs, _ = made
        if pipe.source == "slices":
            data = [np.arange(pipe.rows), [str(i) for i in range(pipe.rows)]]
            number, text = self.train.slice_input_producer(data, num_epochs=epochs, shuffle=False)
            return tf.cast(number, tf.int64) + 0 * tf.cast(v1.string_to_number(text), tf.int64)
        total = None if epochs is None else pipe.rows * epochs
        if pipe.source == "generator":
            rest = iter(range(total if total is not None else 1 << 40))
            value = v1.py_func(lambda: np.int64(next(rest)), [], tf.int64)
            value.set_shape([])
            return value % pipe.rows
        if pipe.source == "count":
            return self._counted("counter", total if total is not None else 1 << 40) % pipe.rows
        return self.train.limit_epochs(tf.constant(7, tf.int64), num_epochs=total)

    def _counted(self, name: str, limit: int) -> Any:
        return self._variable(name).count_up_to(limit)

    def _variable(self, name: str) -> Any:
        return v1.Variable(
            np.int64(0), trainable=False, name=name, use_resource=self.pipe.resource,
            collections=[v1.GraphKeys.LOCAL_VARIABLES],
        )  # fmt: skip

    def _worked(self, value: Any) -> Any:
        pipe = self.pipe
        if pipe.work == "arithmetic":
            value = value * 2 + 1
        elif pipe.work in ("python", "stop"):
            left = iter(range(pipe.stop if pipe.work == "stop" else 1 << 40))

            def double(x: Any) -> Any:
                next(left)
                return np.int64(2 * x)

            value = v1.py_func(double, [value], tf.int64)
            value.set_shape([])
        elif pipe.work == "limit":
            value = value + 0 * self._counted("limit", pipe.stop)
        return tf.stack([value, value + 100]) if pipe.many else value

    def _tensors(self, value: Any) -> dict[str, Any]:
        pipe = self.pipe
        tensors = {"value": value, "text": v1.as_string(value * 3)}
        if pipe.kind == "padded":
            tensors["mark"] = (
                tf.tile(value[:, None], [1, 1 + tf.cast(value[0] % 4, tf.int32)])
                if pipe.many
                else tf.fill([1 + tf.cast(value % 4, tf.int32)], value)
            )
        if pipe.kind == "sparse":
            dense = tf.stack([value, value % 2, value % 3], -1)
            tensors["mark"] = v1.sparse.from_dense(dense)
        return tensors


def rows_of(step: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The examples of a fetched batch, in a form that can be counted; padding is taken off."""
    count = len(step["value"])
    assert len(step["text"]) == count
    rows = list(zip(step["value"].tolist(), step["text"].tolist()))
    if "mark" not in step:
        return rows
    mark = step["mark"]
    if hasattr(mark, "dense_shape"):
        indices, values, shape = (np.asarray(x) for x in mark)
        assert shape.tolist() == [count, 3], shape
        found: list[list[Any]] = [[] for _ in range(count)]
        for (row, column), value in zip(indices.tolist(), values.tolist()):
            found[row].append((column, value))
        return [(*row, tuple(more)) for row, more in zip(rows, found)]
    width = max(1 + row[0] % 4 for row in rows) if rows else 0
    assert mark.shape[0] == count and mark.shape[1] <= max(width, 4), mark.shape
    return [(*row, tuple(x for x in more if x)) for row, more in zip(rows, mark.tolist())]


def simpler(pipe: Pipe, **changes: Any) -> Pipe:
    """The same pipeline with some fields changed."""
    return dataclasses.replace(pipe, **changes)


def drawn(one: Callable[..., Any]) -> Pipe:
    """A pipeline whose number of examples is certain, whatever the threads do.

    Args:
      one: gives one of its arguments, by chance.
    """
    source = one("range", "slices", "lines", "records", "fixed", "generator", "count", "constant")
    width = one(1, 1, 2, 3)
    shared = ["nothing", "value", "counter", "written"]
    shared += ["queue"] * (source == "range") + ["queue", "reader"] * (source in FILES)
    share = one(*shared) if width > 1 else "nothing"
    ends = share in ("nothing", "value")
    pipe = Pipe(
        source=source,
        rows=one(*range(1, 12 + 1)),
        files=one(*range(1, 3 + 1)),
        epochs=one(*range(1, 3 + 1)),
        width=width,
        share=share,
        threads=one(1, 2, 4) if width == 1 else 1,
        resource=one(True, False),
        work=one("none", "arithmetic", "python", *(["stop", "limit"] if ends else [])),
        stop=one(*range(1, 20 + 1)),
        keep=one("all", "some") if width == 1 or share == "value" else "all",
        many=one(False, True),
        kind=one("dense", "sparse", "padded"),
        shuffle=one(False, True),
        batch_size=one(*range(1, 6 + 1)),
        room=one(*range(1, 6 + 1)),
        minimum=one(*range(0, 8 + 1)),
        remainder=one(False, True),
        again=one(False, False, True),
        own=one(False, False, False, True),
    )
    if pipe.own:
        pipe = simpler(pipe, keep="all", kind="dense", again=False)
    if pipe.counted_only:
        pipe = simpler(pipe, keep="all")
    if (
        pipe.source == "constant"
    ):  # one that is never kept is never evaluated: without end, as in TF1
        pipe = simpler(pipe, keep="all")
    if pipe.kind == "padded":
        pipe = simpler(pipe, shuffle=False)
    if pipe.kind != "dense":
        pipe = simpler(pipe, again=False)
    return pipe
