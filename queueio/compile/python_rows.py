"""A Python function called for rows of chunks, and not by one op for each example.

    chunks ─▶ few rows ─▶ scan: callers, and rows that they are not done with ─▶ results

The threads that call (kernels/callers.py) are Python's. Which rows they are not done with is the
scan's state, so a saved iterator goes on with them.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import types_pb2
from tensorflow.python.ops import script_ops

from queueio.compile.ends import once
from queueio.compile.kernels.as_written import flat_mapped, lasting, mapped, scanned, unbatched
from queueio.compile.kernels.callers import MOST_ROWS, Callers, HandedOn, Iterators, Pace
from queueio.compile.kernels.rows import between, none_of, rows_in
from queueio.compile.kernels.together import no_rows
from queueio.compile.kernels.tracing import chosen
from queueio.compile.placement import stackable

Rows = tuple[tf.Tensor, ...]
_KEPT = 64
_PLAIN = (
    tf.bool, tf.bfloat16, tf.half, tf.float32, tf.float64, tf.complex64, tf.complex128, tf.uint8,
    tf.uint16, tf.int8, tf.int16, tf.int32, tf.int64,
)  # fmt: skip
"""What `decode_raw` makes numbers of."""
_raised: OrderedDict[int, BaseException] = OrderedDict()
_numbers = itertools.count(1)


def can_call(op: tf.Operation) -> bool:
    """Whether its inputs and results can be passed on by Python, as those of one row of many."""
    known = all(t.dtype not in (tf.resource, tf.variant) for t in (*op.inputs, *op.outputs))
    return known and all(stackable(t) or _as_bytes(t) for t in op.outputs)


def _as_bytes(result: tf.Tensor | tf.TensorSpec) -> bool:
    """Whether a result, which may have another shape for each row, goes as the bytes of both."""
    return not result.shape.is_fully_defined() and result.dtype in _PLAIN


def called(
    chunks: tf.data.Dataset, op: tf.Operation, threads: int, most: int = MOST_ROWS
) -> tf.data.Dataset:
    """The results of a Python function for each row, in order, until `threads` calls have ended.

    Args:
      chunks: a dataset of flat tuples, shape [C, ...]: the op's inputs, then what passes beside it.
      op: the op of the function, see `can_call`.
      threads: calls at a time, each of which ends with StopIteration.
      most: how many rows are asked for before they are needed.

    Returns:
      A dataset of single examples: the op's outputs, as `results_of` takes them, then what passes.
    """
    pace = Pace(most)
    function = _Function(op, threads, pace)
    few = _few_rows(chunks, pace)
    none = no_rows(chunks.element_spec)
    more = mapped(few, lambda *rows: (False, *rows))
    at_end = tf.data.Dataset.from_tensors((True, *none)).repeat()
    # number of the last step; ended; the rows that were handed over and not handed on yet
    start = (tf.constant(0, tf.int64), tf.constant(0), none)
    stepped = scanned(more.concatenate(at_end), start, function.step)
    going = lasting(stepped, lambda over, *_: tf.logical_not(over))
    return once(unbatched(mapped(going, function.checked)))


def function_of(op: tf.Operation) -> Callable[..., list[Any]]:
    """The function of a `tf.py_func` or `tf.py_function`, for arrays, giving a list of arrays."""
    token, kinds = op.get_attr("token").decode(), [t.dtype for t in op.inputs]

    def with_arrays(*values: Any) -> list[Any]:
        made = script_ops._py_funcs(token, None, values)
        if isinstance(made, list):
            return made
        return [] if made.shape == () and made[()] is None else [made]

    def with_tensors(*values: Any) -> list[Any]:
        with tf.__internal__.eager_context.eager_mode():
            given = [tf.constant(v, kind) for v, kind in zip(values, kinds, strict=True)]
            made = script_ops._py_funcs(token, None, given)
            results = made if isinstance(made, list) else [made]
            return [np.asarray(t) for t in results if t is not None]

    function, expected = with_tensors if op.type == "EagerPyFunc" else with_arrays, len(op.outputs)

    def counted(*values: Any) -> list[Any]:
        results = function(*values)
        if len(results) != expected:
            told = f"{len(results)} values, but expects to see {expected} values."
            raise ValueError(f"{token} returns {told}")
        return results

    return counted


def results_of(op: tf.Operation, values: Rows) -> Rows:
    """The op's outputs for one example, and what passes beside them."""
    left, results = list(values), []
    for output in op.outputs:
        result = left.pop(0)
        if _as_bytes(output):
            shape = tf.io.decode_raw(left.pop(0), tf.int64)
            result = tf.reshape(tf.io.decode_raw(result, output.dtype), shape)
            result.set_shape(output.shape)
        results.append(result)
    return (*results, *left)


def _few_rows(chunks: tf.data.Dataset, pace: Pace) -> tf.data.Dataset:
    """The same rows, as many at a time as are called for; none of them at the end of a chunk, so
    that nobody waits for the next chunk to learn that this one was the last."""

    def cut(*chunk: tf.Tensor) -> tf.data.Dataset:
        count = rows_in(chunk, tf.int64)

        def next_rows(at: tf.Tensor, _: tf.Tensor) -> Any:
            rows = tf.ensure_shape(tf.numpy_function(lambda: np.int64(pace.rows), [], tf.int64), [])
            end = tf.minimum(at + rows, count)
            return tf.where(at < count, end, count + 1), (at <= count, between(chunk, at, end))

        steps = tf.data.Dataset.range(tf.int64.max)
        parts = scanned(steps, tf.constant(0, tf.int64), next_rows)
        return mapped(lasting(parts, lambda there, _: there), lambda _, rows: rows)

    return flat_mapped(chunks, cut)


class _Function:
    """The function of an op, with the calls that are under way."""

    def __init__(self, op: tf.Operation, threads: int, pace: Pace) -> None:
        self._function, self._token = function_of(op), op.get_attr("token").decode()
        self._name = f"called/{op.name}"  # in a scope, as copies of the user's ops have it
        self._made = [tf.TensorSpec(t.shape, t.dtype) for t in op.outputs]
        self._asked, self._threads = len(op.inputs), threads
        self._iterators = Iterators(lambda ended: Callers(self._call, threads, pace, ended))

    def step(self, state: Any, element: Any) -> Any:
        """Hands rows over and hands results on: (over, error, results …, what passes …)."""
        (number, ended, held), (last, *new) = state, element
        rows = tuple(tf.concat(pair, 0) for pair in zip(held, new, strict=True))
        over = tf.logical_or(
            ended >= self._threads, tf.logical_and(last, tf.equal(rows_in(rows), 0))
        )
        dtypes = [tf.int64, tf.int32, tf.int32, tf.int32, tf.int64]
        passed = [each for spec in self._made for each in _passed(spec)]
        dtypes += [spec.dtype for spec in passed]
        counts = tf.stack([rows_in(rows), rows_in(new)])
        given = (number, ended, last, over, counts, *rows[: self._asked])
        now, met, taken, places, error, *results = tf.numpy_function(self._stepped, given, dtypes)
        for result, spec in zip(results, passed, strict=True):
            result.set_shape([None, *spec.shape])
        places.set_shape([None])
        for scalar in (now, met, taken, error):
            scalar.set_shape([])
        passing = (tf.gather(part, places) for part in rows[self._asked :])
        left = between(rows, taken)
        return (now, met, left), (over, error, (*results, *passing))

    def _stepped(
        self, number: Any, ended: Any, last: Any, over: Any, counts: Any, *rows: Any
    ) -> list[Any]:
        if over:
            return self._answer(int(number), HandedOn(0, [], [], None, int(ended)))
        now, callers, fresh = self._iterators.of(int(number), int(ended))
        count, new = map(int, counts)
        begin = 0 if fresh else count - new
        done = callers.step(
            [tuple(part[i] for part in rows) for i in range(begin, count)], bool(last)
        )
        return self._answer(now, done)

    def _answer(self, number: int, done: HandedOn) -> list[Any]:
        error = 0
        if done.error is not None:
            error = next(_numbers)
            _raised[error] = done.error
            if len(_raised) > _KEPT:
                _raised.popitem(last=False)
        return [
            np.int64(number), np.int32(done.ended), np.int32(done.taken),
            np.array(done.places, np.int32), np.int64(error),
            *self._stacked(done.results),
        ]  # fmt: skip

    def _stacked(self, results: list[Any]) -> list[Any]:
        """Each result of all rows in one array."""
        arrays = []
        for place, spec in enumerate(self._made):
            values = [row[place] for row in results]
            if _as_bytes(spec):
                arrays.append(_strings([value.tobytes() for value in values]))
                arrays.append(_strings([np.array(v.shape, np.int64).tobytes() for v in values]))
                continue
            array = np.empty([len(values), *spec.shape], spec.dtype.as_numpy_dtype)
            for row, value in enumerate(values):
                array[row] = value[()]  # of no axis: the string itself
            arrays.append(array)
        return arrays

    def _call(self, *row: Any) -> list[Any]:
        results = self._function(*row)
        for place, (array, spec) in enumerate(zip(results, self._made, strict=True)):
            self._check(place, array, spec)
        # Copies: the next call may write into what this one has returned.
        return [np.array(array) for array in results]

    def _check(self, place: int, array: Any, spec: tf.TensorSpec) -> None:
        """Raises what TensorFlow would say of a result, before others lie beside it."""
        kind = spec.dtype.as_numpy_dtype
        if not array.dtype.isnative:
            told = f"{place}-th value returned by {self._token} is {array.dtype!r}"
            why = "whose bytes are in another order than TensorFlow takes them"
            raise ValueError(f"{told}, {why}: return array.astype(np.{kind.__name__})")
        if not _taken(array):
            raise _NoTensor(array)
        if array.dtype != kind and not (kind is object and array.dtype.kind in "SU"):
            given, expected = _name(tf.as_dtype(array.dtype)), _name(spec.dtype)
            told = f"{place}-th value returned by {self._token} is {given}"
            raise ValueError(f"{told}, but expects {expected}")
        if not spec.shape.is_compatible_with(array.shape):
            told = f"{place}-th value returned by {self._token} has the shape {[*array.shape]}"
            raise ValueError(f"{told}, but set_shape said {spec.shape}")

    def checked(self, _: tf.Tensor, error: tf.Tensor, rows: Rows) -> Rows:
        """The rows, unless there is an error to be raised."""

        def fails() -> Rows:
            raised = tf.numpy_function(_raise, [error], tf.bool, name=self._name)
            with tf.control_dependencies([raised]):
                return none_of(rows)

        return tuple(chosen(tf.equal(error, 0), lambda: rows, fails))


def _passed(spec: tf.TensorSpec) -> list[tf.TensorSpec]:
    """What stands for a result of a row."""
    if _as_bytes(spec):
        return 2 * [tf.TensorSpec([], tf.string)]
    return [spec]


def _strings(values: list[bytes]) -> Any:
    array = np.empty([len(values)], object)
    array[:] = values
    return array


def _name(dtype: tf.DType) -> str:
    """As TensorFlow's errors name it: "float", not "float32"."""
    return str(types_pb2.DataType.Name(dtype.as_datatype_enum)).removeprefix("DT_").lower()


def _taken(array: Any) -> bool:
    """Whether TensorFlow makes a tensor of such an array."""
    if array.dtype != object:
        try:
            return tf.as_dtype(array.dtype) is not None
        except TypeError:
            return False
    try:
        return all(isinstance(v, bytes) or v.encode() is not None for v in array.flat)
    except (AttributeError, UnicodeEncodeError):
        return False


class _NoTensor(Exception):
    """Of the array that this has, TensorFlow makes no tensor."""


def _raise(error: Any) -> Any:
    raised = _raised.pop(int(error))
    if isinstance(raised, _NoTensor):
        return raised.args[0]  # so that TensorFlow says why
    raise raised
