"""Parts of chunks made in few ops, and a cond without gradients, are what Python's are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from queueio.compile.kernels.as_written import mapped, rebatched, unbatched
from queueio.compile.kernels.rows import as_row, between, in_batches, rows_in
from queueio.compile.kernels.tracing import chosen
from tests.turns import by_turns

DTYPES = (tf.float32, tf.int64, tf.string)


def tensor(shape: Any, dtype: tf.DType) -> tf.Tensor:
    numbers = tf.reshape(tf.range(int(np.prod(shape))), shape)
    return tf.strings.as_string(numbers) if dtype == tf.string else tf.cast(numbers, dtype)


def chunk(rng: np.random.Generator, rows: int) -> tuple[tf.Tensor, ...]:
    """Tensors of as many rows, of any ranks; some of no values."""
    shapes = [[rows, *rng.integers(0, 4, rng.integers(0, 3))] for _ in range(rng.integers(1, 4))]
    return tuple(tensor(shape, DTYPES[rng.integers(len(DTYPES))]) for shape in shapes)


def in_a_dataset(
    rows: tuple[tf.Tensor, ...], function: Callable[..., Any]
) -> list[tuple[np.ndarray[Any, Any], ...]]:
    """What a function makes of a chunk of whose length it knows nothing."""
    chunks = tf.data.Dataset.from_tensor_slices(rows).batch(max(len(rows[0]), 1))
    if not len(rows[0]):
        chunks = tf.data.Dataset.from_tensors(rows)
    return list(mapped(chunks, function).as_numpy_iterator())


def same(made: Any, wanted: Any) -> None:
    assert len(made) == len(wanted)
    for one, other in zip(made, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
        assert np.shape(one) == np.shape(other)


@pytest.mark.parametrize("seed", by_turns(range(12)))
def test_parts_of_a_chunk_are_those_of_its_tensors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = chunk(rng, int(rng.integers(0, 7)))
    ends = [None, *(int(n) for n in rng.integers(-3, 9, 2))]
    pairs = [(a, b) for a in ends for b in ends if not a is b is None]
    for begin, end in pairs:
        known = in_a_dataset(rows, lambda *r, a=begin, b=end: between(r, a, b))
        asked = in_a_dataset(rows, lambda *r, a=begin, b=end: between(r, *map(_tensor, (a, b))))
        same(known[0], [part.numpy()[begin:end] for part in rows])
        same(asked[0], known[0])


def _tensor(place: int | None) -> tf.Tensor | None:
    return None if place is None else tf.constant(place, tf.int64)


@pytest.mark.parametrize("seed", range(6))
def test_a_chunk_tells_its_rows_and_comes_in_batches(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [int(n) for n in rng.integers(1, 4, rng.integers(1, 3))]
    rows = chunk(rng, int(np.prod(sizes)) * int(rng.integers(0, 3)))
    count = in_a_dataset(rows, lambda *r: (rows_in(r), rows_in(r, tf.int64), rows_in(r[:1])))
    assert count == [(len(rows[0]),) * 3]
    (made,) = in_a_dataset(rows, lambda *r: in_batches(r, *sizes))
    number = len(rows[0]) // int(np.prod(sizes))
    same(made, [part.numpy().reshape(number, *sizes, *part.shape[1:]) for part in rows])


def test_a_row_of_cells_is_made_where_tensorflow_has_no_expand_dims() -> None:
    cell = tf.raw_ops.RaggedTensorToVariant(
        rt_nested_splits=[], rt_dense_values=tf.range(3), batched_input=False
    )
    assert as_row(cell).shape == [1]
    same([as_row(tf.range(3))], [[[0, 1, 2]]])


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("size", [1, 2, 5, 40])
def test_rows_are_put_together_and_taken_apart_as_tf_data_does(size: int, drop: bool) -> None:
    chunks = tf.data.Dataset.from_tensor_slices((tf.range(11), tensor([11, 2], tf.string))).batch(4)
    ours, theirs = rebatched(chunks, size, drop), chunks.rebatch(size, drop_remainder=drop)
    assert ours.element_spec == theirs.element_spec
    singles = unbatched(ours), theirs.unbatch()
    assert singles[0].element_spec == singles[1].element_spec
    for one, other in ((ours, theirs), singles):
        made, wanted = list(one.as_numpy_iterator()), list(other.as_numpy_iterator())
        assert len(made) == len(wanted)
        for pair in zip(made, wanted, strict=True):
            same(*pair)


def test_only_the_side_that_is_wanted_runs_and_both_may_use_what_is_around_them() -> None:
    ran: list[int] = []

    def note(number: Any) -> Any:
        ran.append(int(number))
        return number

    two = tf.constant(2, tf.int64)

    def sides(number: tf.Tensor) -> Any:
        twice, odd = number * 2, tf.equal(number % 2, 1)

        def noted() -> Any:
            (told,) = tf.py_function(note, [number], [tf.int64])
            return {"a": (tf.ensure_shape(told, []) + twice, True)}

        return chosen(odd, noted, lambda: {"a": (number * two, odd)})

    made = list(mapped(tf.data.Dataset.range(5), sides).as_numpy_iterator())
    assert [each["a"] for each in made] == [(0, False), (3, True), (4, False), (9, True),
                                            (8, False)]  # fmt: skip
    assert ran == [1, 3]
