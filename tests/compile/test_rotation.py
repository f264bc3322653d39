"""Datasets in turns: in the order of `choose_from_datasets`, and restored at any place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from queueio.compile.kernels.rotation import in_rotation

CASES = [([1, 5], [1, 1]), ([0, 3, 2], [2, 2, 2]), ([6, 2, 0, 1], [2, 1, 3, 1]), ([0, 0], [1, 2])]


def parts(sizes: list[int]) -> list[tf.data.Dataset]:
    return [
        tf.data.Dataset.range(100 * place, 100 * place + size).map(lambda n: (n, tf.as_string(n)))
        for place, size in enumerate(sizes)
    ]


def numbers(elements: Any) -> list[int]:
    return [int(number) for number, _ in elements]


@pytest.mark.parametrize(("sizes", "widths"), CASES)
def test_datasets_take_turns_by_their_widths(sizes: list[int], widths: list[int]) -> None:
    turns = [place for place, width in enumerate(widths) for _ in range(width)]
    order = tf.data.Dataset.from_tensor_slices(tf.constant(turns, tf.int64)).repeat()
    chosen = tf.data.Dataset.choose_from_datasets(parts(sizes), order, stop_on_empty_dataset=False)
    assert numbers(in_rotation(parts(sizes), widths)) == numbers(chosen)


@pytest.mark.long
@pytest.mark.parametrize(("sizes", "widths"), CASES)
def test_an_iterator_is_restored_at_any_place(
    sizes: list[int], widths: list[int], tmp_path: Path
) -> None:
    """Also where some of the datasets have ended."""
    whole = numbers(in_rotation(parts(sizes), widths))
    for taken in range(len(whole) + 1):
        iterator = iter(in_rotation(parts(sizes), widths))
        before = numbers(next(iterator) for _ in range(taken))
        path = tf.train.Checkpoint(iterator=iterator).write(str(tmp_path / str(taken)))
        again = iter(in_rotation(parts(sizes), widths))
        tf.train.Checkpoint(iterator=again).read(path)
        assert before + numbers(again) == whole
