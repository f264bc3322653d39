"""The pool loses nothing, keeps its size, and mixes as a RandomShuffleQueue does."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio.compile import pool as pool_module
from queueio.compile.batches import cut_batches
from queueio.compile.cut import STRING_BYTES
from queueio.compile.pool import draw_size, pool_shuffle

v1 = tf.compat.v1
_ROW = 8 + STRING_BYTES  # bytes, of a row of `numbers`


def numbers(count: int, chunk: int) -> tf.data.Dataset:
    rows = tf.data.Dataset.range(count).batch(chunk)
    return rows.map(lambda i: (i, tf.strings.as_string(i)))


def delivered(data: tf.data.Dataset) -> list[list[int]]:
    out = []
    for i, text in data.as_numpy_iterator():
        assert [int(t) for t in text] == i.tolist(), "the components of a row parted"
        out.append(i.tolist())
    return out


def test_a_negative_pool_is_refused() -> None:
    with pytest.raises(ValueError, match=r"pool \(-1\)"):
        pool_shuffle(numbers(3, 1), -1)


@pytest.mark.parametrize(
    ("count", "chunk", "pool", "batch"),
    [(0, 3, 5, 2), (5, 10, 100, 4), (100, 7, 10, 4), (3000, 100, 0, 7), (5000, 300, 2000, 32)],
)
def test_every_row_leaves_exactly_once_in_batches(
    count: int, chunk: int, pool: int, batch: int
) -> None:
    shuffled = pool_shuffle(numbers(count, chunk), pool, batch)
    batches = delivered(cut_batches(shuffled, batch, whole=True))
    assert sorted(row for b in batches for row in b) == list(range(count))
    assert [len(b) for b in batches[:-1]] == [batch] * (len(batches) - 1)
    dropped = delivered(cut_batches(shuffled, batch, drop_remainder=True, whole=True))
    assert [len(b) for b in dropped] == [batch] * (count // batch)


def test_the_pool_never_holds_fewer_rows_while_input_lasts() -> None:
    count, pool, batch = 20_000, 3000, 50
    chunks = delivered(pool_shuffle(numbers(count, 100), pool, batch))
    arrived = draw_size(pool, batch, _ROW)
    out = 0
    for chunk in chunks[:-1]:
        out += len(chunk)
        read = -(-max(chunk) // arrived) * arrived  # at least this many rows had come in
        assert min(read, count) - out <= pool + arrived
        assert out <= count - pool
    assert len(chunks[-1]) >= pool


def test_a_seed_fixes_the_order_but_epochs_differ() -> None:
    first, second = (pool_shuffle(numbers(500, 50), 100, 10, seed=7) for _ in range(2))
    once = delivered(first)
    assert once == delivered(second)
    assert once != delivered(first)


def test_rows_held_in_strips_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "_STRIP_BYTES", 1000)
    image = np.arange(300 * 14).reshape(300, 7, 2)
    chunks = tf.data.Dataset.from_tensor_slices((np.arange(300), image)).batch(40)
    for i, rows in pool_shuffle(chunks, 50).as_numpy_iterator():
        np.testing.assert_array_equal(rows, image[i])


def test_any_row_is_as_likely_as_another_to_leave_first() -> None:
    # The first draw is out of the rows of one arrival: each tenth of them gives a tenth.
    pool, total = 500, draw_size(500, 1, _ROW)
    shuffled = pool_shuffle(numbers(4 * total, 256), pool, seed=1).take(1).repeat(4)
    leaving = [row for chunk in delivered(shuffled) for row in chunk]
    first = np.array(leaving) * 10 // total
    counts = np.bincount(first, minlength=10)
    expected = counts.sum() / 10
    # 99.9 % point of chi-squared with 9 degrees of freedom; draws without replacement vary less.
    assert ((counts - expected) ** 2 / expected).sum() < 27.9


def test_examples_made_one_by_one_are_not_waited_for_by_the_thousand() -> None:
    def late_failure(number: np.ndarray) -> np.ndarray:
        if number == 2500:
            raise ValueError("the record is bad")
        return np.float32(number)

    def pipeline() -> tf.Tensor:
        number = v1.train.range_input_producer(3000, num_epochs=1, shuffle=False).dequeue()
        made = v1.py_func(late_failure, [number], tf.float32)
        made.set_shape([])
        return v1.train.shuffle_batch([made * 2], 10, 2000, 1000)

    batches = iter(queueio.lift(pipeline).to_dataset())
    assert len({float(x) for x in next(batches)}) == 10
