"""Of a drawn example, what is left is what it is beyond the nearest reference of its own key."""

from __future__ import annotations

import numpy as np

from queueio.compare.draws.around import MOST, Around


def keys(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.uint64) << np.uint64(7)


def held(numbers: np.ndarray, rows: list[float], examples: int) -> Around:
    made = Around(examples)
    made.add(numbers, np.array(rows)[:, None])
    made.settle()
    return made


def test_the_nearest_of_the_same_key_is_taken_and_never_a_nearer_one_of_another() -> None:
    around = held(keys(5, 3, 5, 9, 5, 3), [10, 0, 20, 12.5, 40, 13], 6)
    known, beyond = around.rest(keys(5, 3, 5, 9, 5), np.array([[12.0], [12], [31], [0], [99]]))
    assert known.all()
    assert beyond[:, 0].tolist() == [2, -1, -9, -12.5, 59]


def test_an_example_whose_key_has_no_reference_is_left_out() -> None:
    around = held(keys(1, 2, 2), [1, 2, 3], 3)
    known, beyond = around.rest(keys(2, 4, 0, 1), np.array([[4.0], [4], [4], [4]]))
    assert known.tolist() == [True, False, False, True]
    assert beyond[:, 0].tolist() == [1, 3]


def test_without_keys_the_nearest_of_all_is_taken_if_it_is_near_enough() -> None:
    count = MOST + 70  # too many for one key to tell them apart; the first MOST are kept
    around = held(keys(*[0] * count), [float(n) for n in range(count)], count)
    known, beyond = around.rest(keys(0, 0, 0), np.array([[5.25], [30.5], [MOST + 9.0]]))
    assert known.tolist() == [True, True, False]
    assert np.abs(beyond[:, 0]).tolist() == [0.25, 0.5]  # the next one is 1 away, and half is near


def test_of_several_epochs_the_first_draw_of_an_example_is_its_reference() -> None:
    numbers = np.tile(np.arange(120), 3).astype(np.uint64) << np.uint64(7)
    around = held(numbers, [float(n) for n in np.repeat([0, 10, 20], 120)], 360)
    known, beyond = around.rest(keys(4, 9), np.array([[11.0], [19]]))
    assert known.all() and beyond[:, 0].tolist() == [11, 19]
