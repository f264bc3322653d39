"""Ops of this package's own, in C, where an installation could build them (`_tf_records.c`).

A Python function that reads a file would do as well, but for the interpreter's lock: where the
program computes in Python, each call waits for it, five milliseconds. An op waits for nobody, and
puts each record where TensorFlow has it, without a copy in between.
"""

from __future__ import annotations

import functools
import importlib.util
from typing import Any

import tensorflow as tf

from queueio.compile.kernels.as_written import lasting, scanned
from queueio.compile.kernels.budget import Rows

_MANY = tf.int64.max


def reads_tf_records() -> bool:
    """Whether an op reads TFRecord files. TensorFlow knows it from then on, in graphs as well."""
    return _tf_records() is not None


@functools.cache
def _tf_records() -> Any:
    """The op; None where it was not built, or this TensorFlow has not what it needs."""
    found = importlib.util.find_spec(f"{__package__}._tf_records")
    if found is None or found.origin is None:
        return None
    try:
        return getattr(tf.load_op_library(found.origin), "queueio_tf_records", None)
    except tf.errors.OpError:
        return None


def chunks_of_tf_records(name: tf.Tensor, rows: tf.Tensor) -> tf.data.Dataset:
    """Pairs (values, False) of `rows` records of a file, fewer at its end.

    Where TensorFlow's own reader is to go on, the last pair is (none, True). Where in the file it
    stands is the state; with it goes the number of the file, which stays open.
    """

    def step(place: Any, _: tf.Tensor) -> tuple[Any, tuple[tf.Tensor, tf.Tensor]]:
        values, *place, rest = _tf_records()(name[tf.newaxis], *place, rows)
        values, rest = tf.ensure_shape(values, [None]), tf.ensure_shape(rest, [])
        return tuple(tf.ensure_shape(part, []) for part in place), (values, rest > 0)

    begin = (tf.constant(0, tf.int64), tf.constant(0, tf.int64))
    read = scanned(tf.data.Dataset.range(_MANY), begin, step)
    return lasting(read, lambda values, rest: tf.logical_or(rest, tf.size(values) > 0))


def small_tf_records(names: tf.Tensor, most: int) -> tuple[tf.Tensor, Rows]:
    """Whether all that is in these files is good records, no more than `most`; and them."""
    values, at, _, rest = _tf_records()(names, 0, 0, most + 1)
    good = tf.logical_and(at < 0, tf.equal(rest, 0))
    return tf.ensure_shape(good, []), (tf.ensure_shape(values, [None]),)
