"""Ops of this package's own, in C, where an installation could build them (native/).

A Python function that reads a file would do as well, but for the interpreter's lock: where the
program computes in Python, each call waits for it, five milliseconds. An op waits for nobody, and
puts each record where TensorFlow has it, without a copy in between.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from queueio.compile.kernels.as_written import lasting, scanned
from queueio.compile.kernels.budget import Rows
from queueio.compile.kernels.rows import rows_in
from queueio.compile.kernels.tracing import chosen

STEPS = (None, "multiply", "divide", "add", "subtract")
"""Of arithmetic, at their places in native/move_op.c."""
_MANY = tf.int64.max
_left_out = contextvars.ContextVar("left_out", default=False)


def reads_tf_records() -> bool:
    """Whether an op reads TFRecord files. TensorFlow knows it from then on, in graphs as well."""
    return _tf_records() is not None


def parses_examples() -> bool:
    """The same of the op that parses Examples."""
    return not _left_out.get() and _examples() is not None


def reads_examples() -> bool:
    """The same of the op that parses Examples as it reads them."""
    return not _left_out.get() and _tf_examples() is not None


def moves() -> bool:
    """The same of the op that transposes and scales."""
    return not _left_out.get() and _moved() is not None


def has_a_pool() -> bool:
    """The same of the op that shuffles records as it reads them."""
    return not _left_out.get() and _pool() is not None


@contextlib.contextmanager
def left_out() -> Iterator[None]:
    """What is made inside shall hold no op that parses, moves or shuffles, but TensorFlow's."""
    before = _left_out.set(True)
    try:
        yield
    finally:
        _left_out.reset(before)


def _tf_records() -> Any:
    """The op; None where it was not built, or this TensorFlow has not what it needs."""
    return getattr(_library(), "queueio_tf_records", None)


def _examples() -> Any:
    return getattr(_library(), "queueio_examples", None)


def _tf_examples() -> Any:
    return getattr(_library(), "queueio_tf_examples", None)


def _moved() -> Any:
    return getattr(_library(), "queueio_moved_parts", None)


def _pool() -> Any:
    return getattr(_library(), "queueio_pool", None)


@functools.cache
def _library() -> Any:
    found = importlib.util.find_spec(f"{__package__}._tf_records")
    if found is None or found.origin is None:
        return None
    try:
        return tf.load_op_library(found.origin)
    except tf.errors.OpError:
        return None


@dataclass(frozen=True)
class Dense:
    """A feature of one shape.

    Attributes:
      key: of the feature.
      shape: of its values in one Example.
      standard: the values where an Example has none; empty where it must have them.
      content: whether bytes are wanted, [C, length], instead of a string.
      length: how many of these; 0 where the first Example tells.
    """

    key: bytes
    shape: tf.TensorShape
    standard: tf.Tensor
    content: bool = False
    length: int = 0

    @property
    def dtype(self) -> tf.DType:
        """Of what is given for it."""
        return tf.uint8 if self.content else self.standard.dtype


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


def examples(
    records: tf.Tensor, features: Sequence[Dense], plainly: Callable[[], Sequence[tf.Tensor]]
) -> list[tf.Tensor]:
    """The values of dense features of serialized Examples, string [C].

    Args:
      records: the Examples.
      features: what is asked for.
      plainly: makes the same by TensorFlow's own op, for records that are of an uncommon form, or
        lack something.
    """
    good, values = _examples()(records, **_asked(features))
    good.set_shape([])
    shaped = list(map(_shaped, values, features))

    def all_the_same() -> list[tf.Tensor]:
        made = zip(plainly(), features, strict=True)
        return [tf.io.decode_raw(v, tf.uint8) if feature.content else v for v, feature in made]

    return list(chosen(good, lambda: shaped, all_the_same))


@dataclass(frozen=True)
class Parsed:
    """What is made of Examples as they are read.

    Attributes:
      features: what is parsed out of them.
      made: makes of their values, [C, ...] each, what is wanted.
      plainly: makes the same of a dataset of chunks of records, by TensorFlow's own ops.
    """

    features: tuple[Dense, ...]
    made: Callable[[Sequence[tf.Tensor]], Rows]
    plainly: Callable[[tf.data.Dataset], tf.data.Dataset]

    def none(self) -> Rows:
        """The values of no Examples."""
        shapes = [[f.length] if f.content else f.shape.as_list() for f in self.features]
        types = [f.dtype for f in self.features]
        return tuple(tf.zeros([0, *s], dtype) for s, dtype in zip(shapes, types, strict=True))

    def chunks(self, name: tf.Tensor, rows: tf.Tensor) -> tf.data.Dataset:
        """What `rows` records of a file hold at a time, fewer at its end.

        Tuples (offset, whether TensorFlow's own reader is to go on there, whether values follow,
        records, values...): records where there are no values.
        """

        def step(place: Any, _: tf.Tensor) -> Any:
            records, *after, rest, good, values = self._read(name[tf.newaxis], place, rows)
            return tuple(after), (place[0], rest > 0, good, records, *values)

        def some(_: Any, rest: tf.Tensor, good: tf.Tensor, records: Any, *values: Any) -> tf.Tensor:
            count = tf.where(good, rows_in(values), tf.size(records))
            return tf.logical_or(rest, count > 0)

        begin = (tf.constant(0, tf.int64), tf.constant(0, tf.int64))
        return lasting(scanned(tf.data.Dataset.range(_MANY), begin, step), some)

    def small(self, names: tf.Tensor, most: int) -> tuple[tf.Tensor, Rows]:
        """What `small_tf_records` would give, parsed."""
        _, at, _, rest, good, values = self._read(names, (0, 0), most + 1)
        whole = tf.logical_and(at < 0, tf.equal(rest, 0))
        return tf.logical_and(whole, good), self.made(values)

    def _read(self, names: tf.Tensor, place: Any, rows: Any) -> tuple[Any, ...]:
        read = _tf_examples()(names, *place, rows, **_asked(self.features))
        records, *told, values = read
        shaped = list(map(_shaped, values, self.features))
        return tf.ensure_shape(records, [None]), *(tf.ensure_shape(t, []) for t in told), shaped


def _asked(features: Sequence[Dense]) -> dict[str, Any]:
    """What both ops that parse take besides records."""
    return {
        "keys": [feature.key for feature in features],
        "sizes": tf.constant(list(map(_size, features)), tf.int64),
        "standard": [feature.standard for feature in features],
        "Tvalues": [feature.dtype for feature in features],
    }


def _size(feature: Dense) -> int:
    """How many values it has, 0 where one without an axis; of bytes, how many there must be."""
    if feature.content:
        return feature.length
    return int(feature.shape.num_elements()) if feature.shape.rank else 0


def _shaped(values: tf.Tensor, feature: Dense) -> tf.Tensor:
    if feature.content:
        values.set_shape([None, feature.length or None])
    elif feature.shape.rank > 1:
        return tf.reshape(values, [-1, *feature.shape])
    else:
        values.set_shape([None, *feature.shape])
    return values


def moved(
    values: tf.Tensor,
    shape: tf.Tensor,
    part: tuple[int, int],
    sides: tuple[int, int, int],
    steps: Sequence[tuple[str, Any]],
    dtype: tf.DType,
) -> tf.Tensor:
    """Numbers transposed, made floats and scaled.

    Args:
      values: numbers [C, ...].
      shape: of the result, int64.
      part: where in a row of how many numbers the example begins; (0, 0) where all of them are it.
      sides: an example is so many [rows, columns, run], and becomes [columns, rows, run].
      steps: of arithmetic on floats, each with its number; in order.
      dtype: that of `values`; or float32, of uint8.
    """
    kinds = [STEPS.index(kind) for kind, _ in steps]
    factors = [factor for _, factor in steps]
    return _moved()(
        values,
        shape,
        tf.constant(part, tf.int64),
        tf.constant(sides, tf.int64),
        tf.constant(kinds, tf.int64, [len(kinds)]),
        tf.stack(factors) if factors else tf.constant([], tf.float32),
        D=dtype,
    )


def empty_pool(record: int) -> Rows:
    """The state in which a pool of records of so many bytes begins."""
    none = tf.zeros([0, record], tf.uint8)
    return tf.zeros([0, 3], tf.int64), tf.zeros([0], tf.string), none, tf.zeros([3], tf.int64)


def pooled(
    state: Rows, name: tf.Tensor, come: tf.Tensor, data: tf.Tensor, seed: tf.Tensor, sizes: Any
) -> tuple[Rows, Rows]:
    """One call of the pool's op; see native/pool_op.c for what it takes and gives.

    Returns the state after it, and of the records that leave: uint8 [n, record], and the files and
    offsets, if asked for.
    """
    given = tuple(_pool()(*state, name, come, data, seed, sizes))
    rows = state[2].shape
    for tensor, shape in zip(
        given, ([None, 3], [None], rows, [3], rows, [None], [None]), strict=True
    ):
        tensor.set_shape(shape)
    return given[:4], given[4:]
