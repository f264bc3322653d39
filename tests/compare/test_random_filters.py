"""Where a filter draws which examples it keeps, each run has others, and another number of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import queueio.compare as comparing
from tests.compare.memory import Memory

pytest.importorskip("scipy", reason="comparing distributions needs scipy")
RNG = np.random.default_rng(0)
IMAGES = RNG.random((8, 4, 4, 3)).astype(np.float32)


def kept(share: float, epochs: int = 1) -> Any:
    def order(rng: np.random.Generator, count: int) -> Any:
        places = np.tile(np.arange(count), epochs)
        return places[rng.random(len(places)) < share]

    return order


def noise(rng: np.random.Generator, made: Any) -> Any:
    return {**made, "image": made["image"] + rng.normal(size=made["image"].shape)}


def coin(rng: np.random.Generator, made: Any) -> Any:
    return {**made, "image": made["image"] + (rng.random((len(made["image"]), 1, 1, 1)) < 0.3)}


def images(count: int, *more: str) -> dict[str, Any]:
    data: dict[str, Any] = {"image": IMAGES[:count].astype(np.float64)}
    every = {"id": np.arange(count), "label": np.arange(count) % 2, "const": np.zeros(count)}
    return data | {name: every[name] for name in more}


SIDES: dict[str, tuple[Any, dict[str, Any]]] = {
    "numbers alone": ({"id": np.arange(12)}, {"size": 5, "drop": True, "order": kept(0.7)}),
    "alike": ({"id": np.zeros(6)}, {"size": 3, "order": kept(0.5, 3)}),
    "two, of which a run has none": (images(2, "id"), {"size": 4, "order": kept(0.5)}),
    "noise": (images(8), {"size": 4, "order": kept(0.6, 3), "draw": noise}),
    "noise, and numbers": (images(8, "id"), {"size": 2, "order": kept(0.3, 2), "draw": noise}),
    "noise, and what is alike": (images(8, "const"), {"order": kept(0.5, 2), "draw": noise}),
    "a coin": (images(4, "label"), {"size": 5, "order": kept(0.7, 3), "draw": coin}),
    "fewer than the last batch": ({"id": np.arange(20)}, {"size": 16, "order": kept(0.9, 3)}),
    "labels": ({"label": np.arange(60) % 3}, {"size": 16, "order": kept(0.6)}),
    "noise, and few of many": (images(8, "id"), {"size": 5, "order": kept(0.95, 8), "draw": noise}),
}  # fmt: skip


@pytest.mark.parametrize("name", SIDES)
def test_equal_sides_that_keep_few_examples_by_chance_are_never_told_to_differ(name: str) -> None:
    data, how = SIDES[name]
    for seed in range(3):
        sides = Memory(data, **how, seed=seed), Memory(data, **how, seed=100 + seed)
        result = comparing(*sides, cost=False, draw_seconds=0.5)
        told = {f.severity for f in result.findings}
        assert told <= {"note", "not compared"}, f"{seed}\n{result}"


@pytest.mark.long
def test_how_many_come_is_said_to_vary_where_all_is_drawn() -> None:
    data = images(8)
    for seed in range(3):
        how: dict[str, Any] = {"size": 4, "order": kept(0.7, 30), "draw": noise}
        sides = (Memory(data, **how, seed=9 * seed + s) for s in (1, 2))
        result = comparing(*sides, cost=False, draw_seconds=20)
        assert result.ok, str(result)
        if result.old.examples != result.new.examples:
            assert result.verdict.startswith("How many examples come varies from run to run")


OTHER: dict[str, tuple[Any, Any]] = {
    "another share": ({"order": kept(0.3, 9)}, {"order": kept(0.9, 9)}),
    "noise, and another share": (
        {"order": kept(0.3, 9), "draw": noise}, {"order": kept(0.9, 9), "draw": noise}),
    "noise on one side": ({"order": kept(0.6, 9)}, {"order": kept(0.6, 9), "draw": noise}),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER)
def test_what_differs_behind_such_a_filter_is_still_told(name: str) -> None:
    old, new = OTHER[name]
    for data in (images(8), images(8, "id")):
        sides = Memory(data, **old, seed=1), Memory(data, **new, seed=2)
        result = comparing(*sides, cost=False, draw_seconds=0.5)
        assert result.level == "different", str(result)


@pytest.mark.long
def test_values_that_come_oftener_than_examples_can_be_left_out_are_drawn() -> None:
    """Crops of images that are all alike: few values, each at some of the examples."""

    def crop(rng: np.random.Generator, made: Any) -> Any:
        return {**made, "crop": rng.integers(0, 9, len(made["const"]))}

    data = {"const": np.zeros(8), "crop": np.zeros(8, np.int64)}
    for seed in range(8):
        sides = (Memory(data, 4, epochs=2, pool=100, draw=crop, seed=s + seed) for s in (0, 100))
        result = comparing(*sides, cost=False, draw_seconds=0.2)
        assert result.level != "different", str(result)
