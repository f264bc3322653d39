"""Of few examples a further run easily brings by chance what the first one had; equal sides are
equal all the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing
from tests.compare.memory import Memory

pytest.importorskip("scipy", reason="comparing distributions needs scipy")
IMAGES = np.random.default_rng(0).random((7, 4, 4, 3)).astype(np.float32)


def one_of_three(rng: np.random.Generator, made: Any) -> Any:
    return {**made, "u": rng.integers(0, 3, len(made["id"]))}


def noise(rng: np.random.Generator, made: Any) -> Any:
    return {**made, "image": made["image"] + rng.normal(size=made["image"].shape)}


def flips(rng: np.random.Generator, made: Any) -> Any:
    some = rng.random((len(made["image"]), 1, 1, 1)) < 0.5
    return {"image": np.where(some, made["image"][:, :, ::-1], made["image"])}


def few(count: int) -> Any:
    return {"id": np.arange(count), "u": np.zeros(count, np.int64)}


IMAGE = {"id": np.arange(3), "image": IMAGES[:3].astype(np.float64)}
SIDES: dict[str, tuple[Any, dict[str, Any]]] = {
    "one example": (few(1), {"draw": one_of_three}),
    "two, three times": (few(2), {"size": 4, "epochs": 3, "draw": one_of_three}),
    "four, twice": (few(4), {"size": 8, "epochs": 2, "draw": one_of_three}),
    "noise, in one batch of two epochs": (IMAGE, {"size": 8, "epochs": 2, "draw": noise}),
    "flips in batches of one": ({"image": IMAGES[:2]}, {"size": 1, "epochs": 2, "draw": flips}),
}


@pytest.mark.long
@pytest.mark.parametrize("name", SIDES)
def test_equal_sides_of_few_examples_that_draw_are_never_told_to_differ(name: str) -> None:
    data, how = SIDES[name]
    for seed in range(6):
        sides = Memory(data, **how, seed=seed), Memory(data, **how, seed=100 + seed)
        result = comparing(*sides, cost=False, order=False, draw_seconds=0.5)
        assert result.level != "different", str(result)


def test_of_few_examples_it_is_still_told_that_one_side_alone_draws() -> None:
    for draw in ((noise, None), (None, noise)):
        old, new = (Memory(IMAGE, 2, draw=of, pool=3) for of in draw)
        result = comparing(old, new, cost=False, order=False, draw_seconds=0.5)
        assert [f.code for f in result.findings] == ["random"], str(result)


@pytest.mark.long
def test_rounding_is_no_other_distribution_where_a_second_flip_is_as_the_first_one_was() -> None:
    """A batch of one comes alone beside a sparse component. Its second flip is as the first one was
    half of the time, and all that it is beyond that one is rounding."""
    images = np.random.default_rng(0).random((64, 4, 4, 3)).astype(np.float32)

    def make(factor: float) -> Any:
        def flipped(n: Any) -> Any:
            image = tf.image.random_flip_left_right(tf.gather(images, n))
            places = tf.sparse.from_dense(tf.fill([3], n))
            return {"image": image * np.float32(factor), "n": n, "places": places}

        return lambda: tf.data.Dataset.range(64).map(flipped).batch(1)

    for _ in range(4):
        result = comparing(make(1), make(1 + 1.2e-7), cost=False, order=False, draw_seconds=2.0)
        assert result.level != "different", str(result)
