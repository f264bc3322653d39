"""What differs within the tolerance is compared as if it did not: counts, order, gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing

COUNT = 300
IMAGE = np.random.default_rng(2).integers(0, 256, (COUNT, 12)).astype(np.float32)


def side(divide: bool, rows: Any = None, **how: Any) -> Any:
    """Images divided by 255 or multiplied by about 1/255, some rows of them; `pool` shuffles."""
    image = IMAGE / np.float32(255) if divide else IMAGE * np.float32(1 / 255)
    data = {"image": image, "label": np.arange(COUNT) % 10}
    if rows is not None:
        data = {name: values[rows] for name, values in data.items()}

    def make() -> tf.data.Dataset:
        made = tf.data.Dataset.from_tensor_slices(data).repeat(how.get("epochs", 1))
        if how.get("pool"):
            made = made.shuffle(how["pool"])
        return made.batch(how.get("size", 16), drop_remainder=how.get("drop", False))

    return make


def judged(old: Any, new: Any) -> Any:
    return comparing(old, new, rtol=1e-6, cost=False, stages=False)


@pytest.mark.parametrize("how", [{}, {"pool": COUNT}, {"drop": True}])
def test_the_number_of_epochs(how: dict[str, Any]) -> None:
    result = judged(side(False, epochs=2, **how), side(True, epochs=3, **how))
    assert result.findings[0].code == "epochs" and not result.ok, str(result)
    assert "2 times in the old side, 3 times in the new one" in result.verdict


@pytest.mark.long
def test_an_example_that_comes_twice() -> None:
    result = judged(side(False), side(True, [*range(COUNT), 40]))
    assert [f.code for f in result.findings] == ["duplicated", "tolerance"], str(result)


@pytest.mark.long
def test_one_that_is_missing_where_a_last_batch_is_dropped() -> None:
    less = np.arange(COUNT) != 40
    result = judged(side(False, pool=COUNT), side(True, less, pool=COUNT, drop=True))
    codes = [f.code for f in result.findings]
    assert "missing" in codes and "tolerance-unproven" not in codes, str(result)


@pytest.mark.long
def test_how_it_is_shuffled() -> None:
    pytest.importorskip("scipy", reason="judging the order needs scipy")
    for pool, code in ((0, "no-shuffle"), (5, "weak-shuffle")):
        result = judged(side(False, pool=100), side(True, pool=pool))
        assert result.findings[0].code == code and not result.ok, str(result)
    result = judged(side(False, pool=100), side(True, pool=100))
    assert result.ok and [f.code for f in result.findings] == ["tolerance"], str(result)


@pytest.mark.long
def test_no_stream_is_identical_that_is_so_within_the_tolerance_only() -> None:
    result = judged(side(False), side(True))
    assert result.ok and result.level == "identical examples", str(result)
    assert "the same 300 examples on both sides, within rtol=1e-06" in result.verdict
    assert "differs within the tolerance in 299 examples" in result.findings[0].sentence


@pytest.mark.long
def test_epochs_beside_what_is_drawn() -> None:
    def noisy(divide: bool, epochs: int) -> Any:
        made = side(divide, epochs=epochs)
        return lambda: made().map(
            lambda e: {**e, "noise": tf.random.uniform([16])[: len(e["label"])]}
        )

    result = comparing(noisy(False, 2), noisy(True, 3), rtol=1e-6, cost=False, draw_seconds=1.0)
    assert "epochs" in [f.code for f in result.findings] and not result.ok, str(result)


def test_two_roundings_of_one_example_are_one() -> None:
    def old() -> tf.data.Dataset:
        return side(False)().concatenate(side(False)())

    def new() -> tf.data.Dataset:
        return side(True)().concatenate(side(False)())

    result = judged(old, new)
    assert result.ok and [f.code for f in result.findings] == ["tolerance"], str(result)
