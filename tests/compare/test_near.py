"""Draws that come with another probability are found, though all figures of them agree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from queueio.compare.draws.entries import SomeEntries
from queueio.compare.draws.near import Near, Nearness

pytest.importorskip("scipy", reason="comparing distributions needs scipy")

IMAGES = np.random.default_rng(7).random((96, 4, 5)).astype("f4")
Draw = Callable[[np.random.Generator], np.ndarray]


def flipped(share: float) -> Draw:
    def draw(rng: np.random.Generator) -> np.ndarray:
        some = rng.random((len(IMAGES), 1, 1)) < share
        return np.where(some, IMAGES[:, :, ::-1], IMAGES)

    return draw


def lit(together: int) -> Draw:
    """One number for each of the image's values, or for those of so many images."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        light = rng.random((len(IMAGES) // together, 1, 1)).astype("f4")
        return IMAGES[rng.permutation(len(IMAGES))] + np.repeat(light, together, 0)

    return draw


def partly_frozen(share: float) -> Draw:
    """Flips of which a share is always the same."""
    kept = flipped(0.5)(np.random.default_rng(3))

    def draw(rng: np.random.Generator) -> np.ndarray:
        some = rng.random((len(IMAGES), 1, 1)) < share
        return np.where(some, kept, flipped(0.5)(rng))

    return draw


def nearness(old: Draw, new: Draw, runs: int = 32, seed: int = 0) -> Nearness:
    rng, near, entries = np.random.default_rng(seed), Near(), SomeEntries()
    for _ in range(runs):
        for side, draw in enumerate((old, new)):
            near.add(side, entries.of(draw(rng)))
            near.end(side)
    found = near.tested(1)
    assert found is not None
    return found


def test_a_flip_of_another_probability_is_found() -> None:
    assert nearness(flipped(0.5), flipped(0.2)).score > 1


@pytest.mark.parametrize("together", [1, 16])
def test_equal_draws_are_not_told_apart_however_many_share_one(together: int) -> None:
    """Draws of a run that belong together vary together: only whole runs are independent."""
    scores = [nearness(lit(1), lit(together), 12, seed).score for seed in range(8)]
    assert max(scores) < 1


def test_the_share_that_is_said_to_show_does() -> None:
    said = nearness(flipped(0.5), flipped(0.5)).share
    assert said < 0.6
    assert nearness(flipped(0.5), partly_frozen(said)).score > 1


def test_two_sides_that_each_repeat_their_draws_are_not_compared() -> None:
    """Another seed gives other ones."""
    one, other = (flipped(0.5)(np.random.default_rng(n)) for n in (1, 2))
    near, entries = Near(), SomeEntries()
    for _ in range(32):
        for side, rows in enumerate((one, other)):
            near.add(side, entries.of(rows))
            near.end(side)
    assert near.tested(1) is None
