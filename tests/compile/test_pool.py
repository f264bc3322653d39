"""The pool loses nothing, keeps its size, and mixes as a RandomShuffleQueue does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.compile.kernels import gather, together
from queueio.compile.kernels import pool as pool_module
from queueio.compile.kernels.batches import cut_batches
from queueio.compile.kernels.budget import bytes_of_row, untuned
from queueio.compile.kernels.moves import Fill
from queueio.compile.kernels.pool import pool_shuffle
from tests.processes import python

v1 = tf.compat.v1
WITHOUT_BOUND = """
import resource, tensorflow as tf
from queueio.compile.kernels.moves import Fill
from queueio.compile.kernels.pool import pool_shuffle
resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
for row in (lambda i: tf.strings.as_string(i), lambda i: tf.tile(i[:, tf.newaxis], [1, 600])):
    rows = pool_shuffle(tf.data.Dataset.range(40).batch(8).map(lambda i: (row(i),)),
                        Fill(2**31 - 1, 10), 4)
    print(sum(chunk.shape[0] for chunk, in rows.as_numpy_iterator()))
"""


def numbers(count: int, chunk: int, texts: bool = True) -> tf.data.Dataset:
    """Rows of a number and the same again: as a string, or as a few more numbers."""
    again = tf.strings.as_string if texts else lambda i: tf.tile(i[:, tf.newaxis], [1, 3])
    return tf.data.Dataset.range(count).batch(chunk).map(lambda i: (i, again(i)))


def delivered(data: tf.data.Dataset) -> list[list[int]]:
    out = []
    for i, again in data.as_numpy_iterator():
        same = [int(t) for t in again] if again.ndim == 1 else again[:, 2].tolist()
        assert same == i.tolist(), "the components of a row parted"
        out.append(i.tolist())
    return out


def flat(chunks: list[list[int]]) -> list[int]:
    return [row for chunk in chunks for row in chunk]


HELD = {"together": 1 << 24, "apart": 0, "texts": 1 << 24, "heavy texts": 1, "growing": 20_000}
"""Ways to hold rows, of numbers or of strings: what they may weigh in one tensor."""


@pytest.fixture(params=HELD)
def texts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether rows hold strings; in one tensor, each for itself, or first one, then the other."""
    monkeypatch.setattr(together, "MOST_BYTES", HELD[request.param])
    if request.param == "apart":
        monkeypatch.setattr(pool_module, "_STEP_BYTES", 32 * 70)
        return False
    if request.param != "together":
        monkeypatch.setattr(pool_module.at_most, "__defaults__", (2000,))
        monkeypatch.setattr(gather, "CHUNK_BYTES", 4000)
    return request.param != "together"


def test_rows_of_numbers_need_not_be_weighed() -> None:
    assert bytes_of_row(numbers(3, 1, texts=False)) == 32
    assert bytes_of_row(numbers(3, 1, texts=True)) is None


def test_a_pool_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"pool \(0\)"):
        pool_shuffle(numbers(3, 1), Fill(0, 0))


@pytest.mark.parametrize(
    ("count", "chunk", "pool", "batch"),
    [(0, 3, 5, 2), (5, 10, 100, 4), (100, 7, 10, 4), (3000, 100, 8, 7), (5000, 300, 2000, 32)],
)
def test_every_row_leaves_exactly_once_in_batches(
    count: int, chunk: int, pool: int, batch: int, texts: bool
) -> None:
    unit = 1 if texts else batch
    fill = Fill(pool, min(pool, batch + 2), unit)
    shuffled = pool_shuffle(numbers(count, chunk, texts), fill, batch)
    batches = delivered(cut_batches(shuffled, batch, whole=not texts))
    assert sorted(flat(batches)) == list(range(count))
    assert [len(b) for b in batches[:-1]] == [batch] * (len(batches) - 1)
    dropped = delivered(cut_batches(shuffled, batch, drop_remainder=True, whole=not texts))
    assert [len(b) for b in dropped] == [batch] * (count // batch)


@pytest.mark.long
@pytest.mark.parametrize(("most", "least", "unit"), [(60, 60, 1), (300, 40, 10), (3000, 1000, 50)])
def test_no_row_is_drawn_from_more_or_fewer_than_the_queue_holds(
    most: int, least: int, unit: int, texts: bool
) -> None:
    count = 20_000
    unit = 1 if texts else unit
    order = flat(delivered(pool_shuffle(numbers(count, 100, texts), Fill(most, least, unit), unit)))
    out, missing = np.zeros(count + 1, bool), 0
    for n, row in enumerate(order):
        out[row] = True
        while out[missing]:
            missing += 1
        assert row < n + most, "it left before a queue of that size could have held it"
        assert missing >= n - most * 40, "a row never left"
    # A queue that is full gives the newest row as often as any other.
    newest = [row - n for n, row in enumerate(order[8000:16_000], 8000)]
    assert max(newest) >= most - most // 20 - unit


def test_after_an_epochs_draws_no_more_than_the_pool_are_left_out(texts: bool) -> None:
    epoch, pool = 500, 80
    rows = numbers(epoch, 64, texts).repeat(20)
    order = flat(delivered(pool_shuffle(rows, Fill(pool, 60), 10)))
    for epochs in range(1, 20):
        seen = np.bincount(order[: epochs * epoch], minlength=epoch)
        assert np.maximum(epochs - seen, 0).sum() <= pool


@pytest.mark.long
def test_a_seed_fixes_the_order_but_epochs_differ(texts: bool) -> None:
    rows = numbers(500, 50, texts)
    first, second = (pool_shuffle(rows, Fill(100, 100), 10, seed=7) for _ in range(2))
    once = delivered(first)
    assert once == delivered(second)
    assert once != delivered(first)


@pytest.mark.long
def test_any_row_is_as_likely_as_another_to_leave_first(texts: bool) -> None:
    pool = 500
    shuffled = pool_shuffle(numbers(4 * pool, 256, texts), Fill(pool, pool), seed=1)
    shuffled = shuffled.unbatch().batch(1).take(1).repeat(300)
    first = np.array(flat(delivered(shuffled))) * 10 // pool
    counts = np.bincount(first, minlength=10)
    expected = counts.sum() / 10
    # 99.9 % point of chi-squared with 9 degrees of freedom.
    assert ((counts - expected) ** 2 / expected).sum() < 27.9


def test_a_row_waits_as_long_as_in_a_queue(texts: bool) -> None:
    pool, count = 50, 20_000
    shuffled = pool_shuffle(numbers(count, 512, texts), Fill(pool, pool), seed=3)
    order = flat(delivered(shuffled))[: count - pool]
    waits = np.array([n + pool - row for n, row in enumerate(order) if row >= pool])
    # Each draw takes a given row with probability 1 / pool: geometric, of mean `pool`.
    assert abs(waits.mean() - pool) < 4 * pool / np.sqrt(len(waits))
    assert abs((waits <= pool).mean() - (1 - (1 - 1 / pool) ** pool)) < 0.02


def test_a_saved_pool_goes_on_with_the_same_rows(texts: bool, tmp_path: Path) -> None:
    data = pool_shuffle(numbers(400, 30, texts), Fill(100, 50), 10, seed=5)
    iterator = iter(data)
    for _ in range(2):
        next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "place"))
    rest = [i.numpy().tolist() for i, _ in iterator]
    again = iter(data)
    tf.train.Checkpoint(iterator=again).restore(path)
    assert [i.numpy().tolist() for i, _ in again] == rest


@pytest.mark.long
@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("batch", [1, 8, 30])
def test_of_heavy_records_few_are_read_before_the_first_rows_leave(texts: bool, batch: int) -> None:
    """A reader gives few heavy records at a time; what is made of them may be a number."""
    read = 0

    def counted(chunk: np.ndarray) -> np.ndarray:
        nonlocal read
        read += len(chunk)
        return chunk

    rows = numbers(3000, 7, texts).map(
        lambda i, again: (tf.ensure_shape(tf.numpy_function(counted, [i], tf.int64), [None]), again)
    )
    pool = pool_shuffle(rows, Fill(44, 20 + batch, batch), batch)
    chunks = iter(untuned(pool))  # as a plan has it: nothing is drawn ahead of whoever asks
    out = [next(chunks)[0].numpy().tolist() for _ in range(3)]
    assert read < 16 * 7 * 6
    assert len(flat(out)) >= batch
    assert all(len(chunk) % batch == 0 for chunk in out)
    whole = delivered(pool)
    assert sorted(flat(whole)) == list(range(3000))
    assert all(len(chunk) % batch == 0 for chunk in whole[:-1])


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


@pytest.mark.long
def test_a_pool_without_bound_takes_memory_only_for_rows_that_come(tmp_path: Path) -> None:
    ran = python("-c", WITHOUT_BOUND, cwd=tmp_path)
    assert ran.stdout.split() == ["40", "40"], ran.stderr


def test_a_shuffled_batch_is_drawn_from_a_full_queue() -> None:
    """TF 1.15.5, with a slow consumer, gave a spread of 365 here; two batches less give 130."""

    def build() -> Any:
        number = train.range_input_producer(20_000, num_epochs=1, shuffle=False).dequeue()
        return train.shuffle_batch([number], 128, capacity=484, min_after_dequeue=100)

    batches = list(queueio.lift(build).to_dataset().take(60).as_numpy_iterator())
    assert np.mean([np.std(batch) for batch in batches[10:]]) > 300
