"""What made the new values is said only where the values show it."""

from __future__ import annotations

import numpy as np

from queueio.compare.findings.mixed import at_places, in_channels
from queueio.compare.findings.moved import how_moved

RNG = np.random.default_rng(0)


def test_zeros_that_are_equal_wherever_they_stand_are_no_move() -> None:
    """Tables of other numbers, filled up with zeros behind them or before them."""
    pairs = []
    for _ in range(8):
        old, new = np.zeros((2, 12, 6), np.int64)
        old[:2], new[-2:] = RNG.integers(1, 99, (2, 2, 6))
        pairs.append((old, new))
    assert how_moved(pairs) == ""


def test_numbers_that_hardly_differ_beside_their_size_show_no_relation() -> None:
    old = 1e7 + RNG.random((20, 6))
    new = 1e7 + RNG.random((20, 6))
    assert at_places([*zip(old, new, strict=True)]) == ""
    images = [*zip(1e7 + RNG.random((9, 5, 5, 3)), 1e7 + RNG.random((9, 5, 5, 3)), strict=True)]
    assert in_channels(images) == ""


def test_grey_images_as_colours_show_no_mixture() -> None:
    grey = np.repeat(RNG.random((9, 5, 5, 1)), 3, axis=-1)
    assert in_channels([*zip(grey, grey * 2 + 1, strict=True)]) == ""
