"""Rows of sparse tensors, which a batch makes sparse tensors again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import train
from tests.lift.conftest import steps_of
from tests.turns import by_turns

v1 = tf.compat.v1
LOTS = 20
SHAPES = {"rows of one axis": [5], "rows of two axes": [2, 3], "rows of no value": [0]}
DTYPES = [tf.int64, tf.float32, tf.string, tf.bool]


def lot(number: Any, shape: list[int], dtype: Any, salt: int) -> Any:
    """A sparse tensor of some rows, often none, some of which have no values."""
    seed = tf.stack([number, salt])
    size = tf.concat([[number % 4], shape], 0)
    there = tf.random.stateless_uniform(size, seed) < 0.4
    values = tf.random.stateless_uniform(size, seed + 1, 1, 100, tf.int32)
    places = tf.where(there)
    numbers = tf.gather_nd(values, places)
    made = tf.as_string(numbers) if dtype == tf.string else tf.cast(numbers, dtype)
    return tf.SparseTensor(places, made, tf.cast(size, tf.int64))


def lots(shape: list[int], low: int = 0) -> list[Any]:
    """What one enqueue puts in: sparse tensors, and a number for each row."""
    number = low + train.range_input_producer(LOTS, num_epochs=1, shuffle=False).dequeue()
    sparse = [lot(number, shape, dtype, salt) for salt, dtype in enumerate(DTYPES)]
    return [*sparse, 10 * number + tf.range(number % 4)]


def batched(shape: list[int]) -> Any:
    return train.batch(lots(shape), 4, enqueue_many=True, allow_smaller_final_batch=True)


def whole(shape: list[int]) -> Any:
    return train.batch(lots(shape), 3, enqueue_many=True)


def kept(shape: list[int]) -> Any:
    rows = lots(shape)
    some = tf.equal(rows[-1] % 10, 1)
    return train.maybe_batch(rows, some, 2, enqueue_many=True, allow_smaller_final_batch=True)


def shuffled(shape: list[int]) -> Any:
    return train.shuffle_batch(
        lots(shape), 2, 9, 3, enqueue_many=True, allow_smaller_final_batch=True
    )


def joined(shape: list[int]) -> Any:
    both = [lots(shape), lots(shape, 100)]
    return train.batch_join(both, 3, enqueue_many=True, allow_smaller_final_batch=True)


def rows_of(batch: Any) -> list[Any]:
    """The number of each example, and the places and values of its sparse tensors."""
    *parts, numbers = batch
    found = []
    for row, number in enumerate(np.asarray(numbers)):
        values: list[Any] = [int(number)]
        for part in parts:
            if not hasattr(part, "indices"):
                values.append(np.asarray(part)[row].tolist())
                continue
            own = np.asarray(part.indices)[:, 0] == row
            values.append(np.asarray(part.indices)[own, 1:].tolist())
            values.append(np.asarray(part.values)[own].tolist())
        found.append(values)
    return found


def by_queues(build: Callable[[], Any]) -> list[Any]:
    """The batches that the queues give."""
    return list(steps_of(build, 100))


@pytest.mark.long
@pytest.mark.parametrize("shape", by_turns(SHAPES.values()), ids=by_turns(SHAPES))
@pytest.mark.parametrize("build", [batched, whole, kept])
def test_batches_are_those_of_the_queues_in_their_order(
    build: Callable[[list[int]], Any], shape: list[int]
) -> None:
    expected = by_queues(lambda: build(shape))
    found = list(queueio.lift(lambda: build(shape)).to_dataset())
    assert len(found) == len(expected) > 2
    for batch, other in zip(found, expected, strict=True):
        assert rows_of(batch) == rows_of(other)
        for part, own in zip(batch[:-1], other[:-1], strict=True):
            assert np.asarray(part.dense_shape).tolist() == np.asarray(own.dense_shape).tolist()
            assert np.asarray(part.indices).tolist() == np.asarray(own.indices).tolist()


@pytest.mark.long
@pytest.mark.parametrize("shape", by_turns(SHAPES.values()), ids=by_turns(SHAPES))
@pytest.mark.parametrize("build", [shuffled, joined])
def test_rows_are_those_of_the_queues_in_batches_of_the_same_sizes(
    build: Callable[[list[int]], Any], shape: list[int]
) -> None:
    expected = by_queues(lambda: build(shape))
    found = list(queueio.lift(lambda: build(shape)).to_dataset())
    assert [len(batch[-1]) for batch in found] == [len(batch[-1]) for batch in expected]
    rows = sorted(row for batch in found for row in rows_of(batch))
    assert rows == sorted(row for batch in expected for row in rows_of(batch))


@pytest.mark.long
@pytest.mark.parametrize("build", [batched, kept, joined])
def test_no_row_is_taken_apart_by_itself(
    build: Callable[[list[int]], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unbatch(dataset: Any) -> Any:
        specs = tf.nest.flatten(dataset.element_spec)
        raise AssertionError(f"{len(specs)} components are taken apart, row by row")

    monkeypatch.setattr(tf.data.Dataset, "unbatch", unbatch)
    assert len(list(queueio.lift(lambda: build([5])).to_dataset())) > 2


def _text(number: Any) -> Any:
    """Of some numbers no words at all."""
    return tf.strings.substr("a bb ccc dd e", 0, number % 14)


def _numbers(numbers: Any) -> Any:
    """A sparse tensor with ones where the numbers in a text say."""
    text = tf.strings.reduce_join(tf.as_string(numbers), separator=" ")
    places = tf.strings.to_number(v1.string_split([text]).values, tf.int64)
    return tf.SparseTensor(places[:, tf.newaxis], tf.ones_like(places), [10])


MADE: dict[str, Callable[[Any], list[Any]]] = {
    "of parts of one shape": lambda n: [
        tf.SparseTensor([[0], [3]], tf.stack([n, -n]), tf.cast([n + 4], tf.int64))
    ],
    "of as many as there are": lambda n: [tf.sparse.from_dense(tf.range(n % 4))],
    "words": lambda n: [v1.string_split([_text(n)])],
    "words and their number": lambda n: [
        v1.string_split([_text(n)]), tf.size(v1.string_split([_text(n)]).values)
    ],
    "a slice": lambda n: [
        v1.sparse_slice(
            tf.sparse.from_dense(tf.reshape(tf.range(24), [6, 4])), [tf.cast(n % 6, tf.int64), 0],
            [1, 4],
        )
    ],
    "two of two axes": lambda n: [
        tf.sparse.from_dense(tf.reshape(tf.cast(tf.range(6) > n % 7, tf.float32), [2, 3])),
        tf.sparse.from_dense(tf.reshape(tf.range(n % 3 * 2), [2, -1])),
    ],
    "in no order, one twice": lambda n: [
        tf.SparseTensor([[3], [0], [3]], tf.stack([n, n + 1, n + 2]), [4])
    ],
    "numbers of text": lambda n: [
        tf.SparseTensor(
            (words := v1.string_split([_text(n)])).indices, tf.strings.length(words.values),
            words.dense_shape,
        )
    ],
    "numbers of text as places, sorted or not": lambda n: [_numbers(tf.stack([n % 5, n % 3, 9]))],
    "no place twice, but in some": lambda n: [_numbers(tf.stack([n % 2, 1 + n % 3]))],
}  # fmt: skip


def _made(made: Callable[[Any], list[Any]]) -> list[Any]:
    number = train.range_input_producer(37, num_epochs=1, shuffle=False).dequeue()
    return [*made(number), number]


@pytest.mark.parametrize("made", by_turns(MADE.values()), ids=by_turns(MADE))
@pytest.mark.parametrize("some", [False, True], ids=["all", "some"])
def test_batches_of_sparse_tensors_made_by_ops_are_those_of_the_queues(
    made: Callable[[Any], list[Any]], some: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build() -> Any:
        parts = _made(made)
        if some:
            return train.maybe_batch(parts, parts[-1] % 3 > 0, 5, allow_smaller_final_batch=True)
        return train.batch(parts, 5, allow_smaller_final_batch=True)

    expected = by_queues(build)
    monkeypatch.setattr("queueio.compile.stream.unbatched", None)  # no example goes alone
    found = list(queueio.lift(build).to_dataset())
    assert len(found) == len(expected) > 4
    for batch, other in zip(found, expected, strict=True):
        for part, own in zip(tf.nest.flatten(batch, True), tf.nest.flatten(other), strict=True):
            assert np.asarray(part).tolist() == np.asarray(own).tolist()


@pytest.mark.long
@pytest.mark.parametrize("made", by_turns(MADE.values()), ids=by_turns(MADE))
def test_shuffled_and_joined_sparse_tensors_made_by_ops_are_those_of_the_queues(
    made: Callable[[Any], list[Any]],
) -> None:
    def build() -> Any:
        return train.shuffle_batch_join(
            [_made(made), _made(made)], 4, 30, 9, allow_smaller_final_batch=True
        )

    def rows(batches: list[Any]) -> list[Any]:
        return sorted(row for batch in batches for row in rows_of(batch))

    assert rows(list(queueio.lift(build).to_dataset())) == rows(by_queues(build))


IMPOSSIBLE = """
import tensorflow as tf
import queueio
from queueio import train

def build():
    n = train.range_input_producer(9, num_epochs=1, shuffle=False).dequeue()
    many = tf.cast(n, tf.int64)
    return train.batch([tf.SparseTensor({places}, [n], {shape}), n], 1)

try:
    for batch in queueio.lift(build).to_dataset():
        print(int(batch[1][0]))
except tf.errors.InvalidArgumentError as error:
    print("failed" if {words!r} in error.message.replace("] [", " ") else error.message)
"""


@pytest.mark.parametrize(
    ("places", "shape", "words"),
    [
        ("[[0]]", "[3 - many]", "Dimension -1 must be >= 0"),
        ("[[0, 0]]", "[2**61 * many, 2]", "would have more than 2**63 - 1 elements"),
    ],
    ids=["negative", "too large"],
)
def test_a_sparse_shape_that_none_can_have_fails_at_its_example(
    places: str, shape: str, words: str, run_python: Callable[..., Any]
) -> None:
    """TF 1.15.5 says so in these words, too; today's TensorFlow would end the process."""
    done = run_python(IMPOSSIBLE.format(places=places, shape=shape, words=words))
    came = done.stdout.split()
    assert (done.returncode, came[-1]) == (0, "failed"), done.stderr
    assert came[:-1] == [str(n) for n in range(4 if "3 - many" in shape else 2)]


def test_an_example_whose_sparse_tensor_cannot_be_made_fails_alone() -> None:
    def build() -> Any:
        number = train.range_input_producer(9, num_epochs=1, shuffle=False).dequeue()
        with tf.control_dependencies([v1.assert_less(number, 7, message="too much")]):
            checked = tf.identity(number)
        return train.batch([*MADE["words"](checked), number], 1)

    numbers = []
    with pytest.raises(tf.errors.InvalidArgumentError, match="too much"):
        for batch in queueio.lift(build).to_dataset():
            numbers.append(int(batch[1][0]))
    assert numbers == list(range(7))


def test_tensors_of_unlike_numbers_of_rows_fail_as_in_the_queue() -> None:
    def build() -> Any:
        number = train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
        sparse = lot(number + 2, [5], tf.int64, 0)
        return train.batch([sparse, tf.range(2)], 2, enqueue_many=True)

    batches = iter(queueio.lift(build).to_dataset())
    assert np.asarray(next(batches)[-1]).tolist() == [0, 1]  # 2 rows and 2; then 3 rows and 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shape mismatch in tuple component 1"):
        next(batches)
