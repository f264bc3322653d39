"""How often each example comes is compared where chance has a part in it: where both sides are cut
off, and where they keep their examples by chance. A pipeline never differs from itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import queueio.compare as comparing
from queueio.compare.mixing.pool import leaving
from tests.compare.memory import Memory

pytest.importorskip("scipy", reason="judging the order needs scipy")

COUNT, LIMIT = 100, 3000


def through(rng: Any, count: int, epochs: int = 70) -> Any:
    """Shuffled, all of them before any again."""
    return np.concatenate([rng.permutation(count) for _ in range(epochs)])


def pooled(rng: Any, count: int) -> Any:
    return leaving(150, 70 * count, rng, 2 * LIMIT) % count


def twice(rng: Any, count: int) -> Any:
    order = through(rng, count)
    return np.repeat(order, np.where(order == 37, 2, 1))


def drawn(rng: Any, count: int) -> Any:
    return rng.integers(0, count, 2 * LIMIT)


def weighted(share: float, batch: int = 1) -> Any:
    """Of two halves, each in its order, chosen for each example or for a batch."""

    def order(rng: Any, count: int) -> Any:
        first = np.repeat(rng.random(2 * LIMIT // batch) < share, batch)
        half = count // 2
        places = np.where(first, np.cumsum(first) - 1, np.cumsum(~first) - 1) % half
        return np.where(first, places, half + places)

    return order


def kept(share: Any, epochs: int = 70) -> Any:
    """By a random filter."""

    def order(rng: Any, count: int) -> Any:
        made = through(rng, count, epochs)
        return made[rng.random(len(made)) < np.broadcast_to(share, count)[made]]

    return order


def endless(order: Any, seed: int = 1, count: int = COUNT) -> Memory:
    return Memory({"id": np.arange(count)}, drop=True, order=order, seed=seed, unbounded=True)


def compared(old: Any, new: Any, limit: int | None = LIMIT, **how: Any) -> Any:
    sides = endless(old, seed=2, **how), endless(new, seed=3, **how)
    return comparing(*sides, limit=limit, cost=False, stages=False)


def fixed(rng: Any, count: int) -> Any:
    return np.tile(np.arange(count), 70)


def fixed_twice(rng: Any, count: int) -> Any:
    return np.repeat(fixed(rng, count), np.where(fixed(rng, count) == 37, 2, 1))


EVEN_MORE = np.where(np.arange(COUNT) % 2 == 0, 0.9, 0.1)
OTHERS = {
    "one twice as often": (pooled, twice),
    "and in one order each time": (lambda rng, n: fixed(rng, n)[::-1], fixed_twice),
    "a class nine times as often": (weighted(0.5), weighted(0.9)),
    "a class a little more often": (weighted(0.5), weighted(0.6)),
    "a filter that likes even ones": (kept(0.5), kept(EVEN_MORE)),
    "drawn with replacement": (pooled, drawn),
    "no longer drawn with replacement": (drawn, through),
}


@pytest.mark.parametrize("name", OTHERS)
def test_of_endless_inputs_that_come_at_other_rates_one_is_different(name: str) -> None:
    result = compared(*OTHERS[name])
    assert result.level == "different", str(result)
    assert result.findings[0].code == "how-often", str(result)


def test_the_example_that_comes_too_often_is_named() -> None:
    finding = compared(pooled, twice).findings[0]
    assert finding.count == 1 and "1 example too often" in finding.sentence
    assert [e.old for e in finding.evidence] == [37]


ALIKE = [through, pooled, drawn, weighted(0.3), weighted(0.5, 10), kept(0.5), kept(EVEN_MORE)]


@pytest.mark.parametrize("order", ALIKE)
@pytest.mark.parametrize("limit", [1000, 3000])
def test_no_endless_input_differs_from_itself(order: Any, limit: int) -> None:
    for count in (20, 100, 400):
        if order is not ALIKE[-1] or count == COUNT:
            result = compared(order, order, limit, count=count)
            assert result.level != "different", str(result)


@pytest.mark.parametrize("old", [through, pooled, fixed])
@pytest.mark.parametrize("new", [through, pooled, fixed])
def test_what_a_pool_holds_back_and_where_an_epoch_is_cut_is_no_difference(
    old: Any, new: Any
) -> None:
    result = compared(old, new, 3050)
    assert result.level in ("identical examples", "identical stream"), str(result)


def test_where_each_comes_a_few_times_only_it_is_said_that_this_was_not_compared() -> None:
    result = compared(pooled, twice, 1000, count=600)
    assert result.level == "not compared", str(result)
    assert "how often each example comes" in str(result) and "higher limit" in str(result)


@pytest.mark.parametrize("epochs", [1, 5, 40])
def test_a_random_filter_does_not_differ_from_itself(epochs: int) -> None:
    result = compared(kept(0.5, epochs), kept(0.5, epochs), None)
    assert result.level == ("identical examples" if epochs == 40 else "not compared"), str(result)
    assert "how often each" in str(result)


@pytest.mark.parametrize("share", [0.7, 1.0, EVEN_MORE], ids=str)
@pytest.mark.parametrize("epochs", [1, 20])
def test_a_random_filter_that_keeps_others_or_more_is_different(share: Any, epochs: int) -> None:
    result = compared(kept(0.5, epochs), kept(share, epochs), None)
    assert result.level == "different", str(result)


def sampled(pool: int) -> Any:
    """Of two datasets of other lengths and weights, shuffled together."""

    def order(rng: Any, count: int) -> Any:
        length = np.array([70, count - 70])
        which = (rng.random(2 * LIMIT) > 0.7).astype(int)
        turn = np.where(which, np.cumsum(which), np.cumsum(1 - which)) - 1
        merged = 70 * which + turn % length[which]
        return merged[leaving(pool, len(merged), rng, len(merged))] if pool else merged

    return order


@pytest.mark.parametrize("pool", [200, 20])
def test_a_pool_of_what_is_sampled_from_several_is_known_though_they_have_no_common_epoch(
    pool: int,
) -> None:
    data = {"id": np.arange(130)}
    for seed in (23, 25):  # the 70 come 20 times, the 60 10 times: one or the other most often
        old, new = (
            Memory(data, drop=True, order=sampled(of), seed=s, unbounded=True, promised=201)
            for of, s in ((200, seed), (pool, 20))
        )
        result = comparing(old, new, limit=2000, cost=False, stages=False)
        worse = [f.code for f in result.findings if f.severity == "worse"]
        assert worse == ([] if pool == 200 else ["weak-shuffle"]), str(result)


def test_a_few_examples_that_are_drawn_again_and_again_are_no_file_that_is_read_twice() -> None:
    data = {"id": np.arange(COUNT)}
    some = {"id": np.append(data["id"], np.repeat(np.arange(40, 50), np.arange(1, 11)))}
    result = comparing(Memory(data), Memory(some), cost=False, order=False, stages=False)
    assert [f.code for f in result.findings] == ["duplicated"], str(result)
    data = {"id": np.array([*range(COUNT), 3])}  # and one of the file's comes elsewhere, too
    twice = {"id": np.array([*data["id"], *range(20)])}
    result = comparing(Memory(data), Memory(twice), cost=False, order=False, stages=False)
    assert [f.code for f in result.findings] == ["file-twice"], str(result)
