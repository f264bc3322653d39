"""The second pass fetches what differs, no more, and a sample of what is too much."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing

ids = np.arange(60_000)


def test_the_second_pass_ends_when_all_that_differs_is_found() -> None:
    delivered = 0

    def counted(value: Any) -> Any:
        nonlocal delivered
        delivered += 1
        return value

    def made(values: Any) -> tf.data.Dataset:
        return tf.data.Dataset.from_tensor_slices((values, ids)).batch(25)

    def old() -> tf.data.Dataset:
        def pass_on(x: Any, y: Any) -> Any:
            return tf.ensure_shape(tf.numpy_function(counted, [x], tf.int64), [None]), y

        return made(ids).map(pass_on)

    other = ids.copy()
    other[7] = 70_000
    result = comparing(old, lambda: made(other), cost=False)
    assert [f.code for f in result.findings] == ["changed"]
    assert delivered < 2400 + 800  # batches: one run, then the first and what tf.data reads ahead


@pytest.mark.parametrize(
    "orders",
    [
        ([115, 1], [115, 1]),
        ([115, 1], [1, 115]),
        ([1, 115], [115, 1]),  # values of the one are ids of the other
        ([0, 60], [119, 118]),
        ([7, 8], [9, 8]),
    ],
    ids=str,
)
def test_of_more_differences_than_are_listed_a_sample_is_matched_rightly(
    orders: tuple[list[int], list[int]],
) -> None:
    def shuffled(first: list[int], more: int) -> Any:
        order = np.array(first + [b for b in range(120) if b not in first])
        mine = ids.reshape(120, 500)[order].reshape(-1)

        def make() -> tf.data.Dataset:
            made = tf.data.Dataset.from_tensor_slices({"id": mine, "value": mine % 1000 + more})
            return made.batch(500)

        return make

    result = comparing(shuffled(orders[0], 0), shuffled(orders[1], 7), cost=False, order=False)
    (finding,) = result.findings
    assert finding.evidence and all(e.component == "value" for e in finding.evidence)
    assert all(e.new - e.old == 7 for e in finding.evidence)
    assert "(of 60,000 that differ)" in finding.sentence
    assert result.verdict.endswith(
        "More than 50,000 digests differ, so only a sample was looked at."
    )
