"""How well each side mixes, judged from the order of its examples' digests.

An example that comes again (in the next epoch, or in a second run) at another place tells how far
the pool moves examples, with no need to know the source order. Where one side keeps a fixed
order, the other side's distance from it tells whether that order is the source's.

Samples are enough: at most the first 200,000 examples of a run are looked at, and a second run is
stopped after an eighth of them, 2,000 at least and 8,192 at most; after a quarter of that, if it
shows that the new side is surely no worse. The law of the distances (pool.py) knows what such a
sample cannot show.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from queueio.compare.again import Again
from queueio.compare.pool import Distances, Interval, apart, mean_interval, pool_interval, typical
from queueio.compare.scan import Scan
from queueio.compare.spool import Spool

Array = np.ndarray[Any, Any]
WINDOW = 200_000
AGAIN = 2_000, 8_192  # examples of a second run: an eighth of the first, within these bounds
FIRST = 0.25  # the share of these that is looked at before the others
LEAST = 100
TOO_SMALL = 0.6  # the ratio of two pools from which on the smaller one is too small
NEIGHBOURS = 0.5  # the share of neighbours that stay so, from which on blocks are shuffled


@dataclass
class Mixing:
    """What is known of one side's order. Positions are in examples.

    `fixed`: the same order each time; None when it was seen once only. `successors`: the share of
    neighbours that are neighbours again. `pool`: the equivalent shuffle pool. `borders`: sharp
    when each epoch is complete before the next begins.
    """

    epochs: int = 1
    fixed: bool | None = None
    borders: str | None = None
    successors: float | None = None
    pool: Interval | None = None
    reference: str = ""
    displacement: Interval | None = None
    tau: Interval | None = None
    autocorrelation: Interval | None = None
    files_per_batch: Interval | None = None
    repeat_distance: tuple[int, float] | None = None
    positions: Array = field(default_factory=lambda: np.zeros(0))  # source, by output


def infer_epochs(scan: Scan) -> int:
    """How often the side delivers its first thousand examples, if that divides their number."""
    from queueio.compare.difference import count

    first = np.unique(scan.spool.read(0, 1000), axis=0)
    if not len(first):
        return 1
    counts = count(scan.spool, first)
    epochs = int(np.bincount(counts).argmax())
    return epochs if epochs > 0 and scan.examples % epochs == 0 else 1


def borders(spool: Spool, epochs: int) -> str | None:
    """Whether each epoch delivers the same multiset ("sharp") or they mix ("blurred")."""
    if epochs < 2:
        return None
    size = spool.count // epochs
    sums: Array = np.zeros((epochs, 2), np.uint64)
    for start, chunk in spool.chunks():
        which = np.minimum((np.arange(len(chunk)) + start) // size, epochs - 1)
        np.add.at(sums, which, chunk)
    return "sharp" if (sums == sums[0]).all() else "blurred"


def measure(old: Again, new: Again) -> tuple[Mixing, Mixing]:
    """The mixing of both sides, from their first runs and the beginnings of further ones."""
    again = old, new
    mixings = Mixing(infer_epochs(old.scan)), Mixing(infer_epochs(new.scan))
    lanes = [run.scan.spool.read(0, WINDOW)[:, 0] for run in again]
    for run, mine, order in zip(again, mixings, lanes, strict=True):
        mine.borders = borders(run.scan.spool, mine.epochs)
        mine.files_per_batch = _files(run.scan)
        if mine.epochs > 1:
            _by_epochs(mine, order, run.scan.examples)
    for share in (FIRST, 1.0):
        for run, mine, order in reversed(list(zip(again, mixings, lanes, strict=True))):
            if mine.epochs == 1:
                _by_runs(mine, order, run, share)
        if _no_worse(*mixings):
            break
    for run in again:
        run.close()  # a queue would be filled on
    _cross(mixings, lanes)
    return mixings


def _no_worse(old: Mixing, new: Mixing) -> bool:
    """Whether the new side surely mixes about as well as the old one, or better."""
    if old.pool is None or new.pool is None:
        return False
    return not old.fixed and new.pool.low >= TOO_SMALL * old.pool.high


def _by_runs(mine: Mixing, order: Array, again: Again, share: float) -> None:
    """Compares the side's run with the beginning of another one."""
    examples = again.scan.examples
    least, most = AGAIN
    count = min(examples, max(least, min(most, examples // 8)))
    second = again.lanes(max(int(share * count), min(count, again.spool.count)))
    found = np.isin(second[:256], order).mean() if len(second) else 0.0
    if found > 0.9 * len(order) / examples:  # else it delivers other examples each time
        _two_orders(mine, order, second, examples)


def _by_epochs(mine: Mixing, order: Array, examples: int) -> None:
    """Compares one epoch of the side with the next."""
    size = examples // mine.epochs
    if len(order) < 2 * size:
        return
    if mine.borders == "sharp":
        _two_orders(mine, order[:size], order[size : 2 * size], size)
    else:
        _one_stream(mine, order, size, mine.epochs)
    mine.repeat_distance = _repeats(order)


def _two_orders(mine: Mixing, first: Array, second: Array, total: int) -> None:
    """Compares the beginnings of two orders of the same `total` examples."""
    mine.pool = None
    places = positions(first, second)
    known = places >= 0
    places = places[known]
    mine.fixed = bool((np.diff(places) == 1).all())
    mine.successors = float((np.diff(places) == 1).mean()) if len(places) > 1 else None
    if mine.fixed or len(places) < LEAST or (mine.successors or 0) > NEIGHBOURS:
        return  # nothing moves, or whole blocks do: no pool does that
    moved: Array = np.nonzero(known)[0] - places
    law = Distances(total, len(first), len(second))
    mine.pool = pool_interval(apart(moved), lambda p: law.between(p, p), total, typical)


def _one_stream(mine: Mixing, order: Array, size: int, epochs: int) -> None:
    """Epochs that mix: the distance between repeats varies around the epoch's size."""
    mine.fixed = False
    gaps = _gaps(order)
    if len(gaps) >= LEAST:
        total = size * epochs
        law = Distances(total)
        mine.pool = pool_interval(apart(gaps), lambda p: law.between(p, p), total, typical)
    after = np.sort(order[:-1] * np.uint64(3) + order[1:])
    same = len(after) - len(np.unique(after))
    mine.successors = min(1.0, same / max(1, size * (epochs - 1)))


def positions(reference: Array, order: Array) -> Array:
    """The place of each item of `order` in `reference`, or -1; repeats count up in turn."""
    a, b = _numbered(reference), _numbered(order)
    by = np.argsort(a)
    if not len(a):
        return np.full(len(b), -1)
    found = np.minimum(np.searchsorted(a[by], b), len(a) - 1)
    return np.where(a[by][found] == b, by[found], -1)


def _numbered(order: Array) -> Array:
    """The lanes, made distinct by which repeat each is."""
    by = np.argsort(order, kind="stable")
    ordered = order[by]
    starts = np.concatenate([[True], ordered[1:] != ordered[:-1]]) if len(order) else ordered
    index = np.arange(len(order))
    turn = index - np.maximum.accumulate(np.where(starts, index, 0)) if len(order) else index
    out = np.empty_like(order)
    out[by] = ordered + turn.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return out


def _gaps(order: Array) -> Array:
    """Distances between successive deliveries of one example, in the order of the later ones."""
    by = np.argsort(order, kind="stable")
    same = order[by][1:] == order[by][:-1]
    return np.asarray(np.diff(by)[same][np.argsort(by[1:][same])])


def _repeats(order: Array) -> tuple[int, float] | None:
    gaps = _gaps(order)
    return (int(gaps.min()), float(np.median(gaps))) if len(gaps) else None


def _files(scan: Scan) -> Interval | None:
    """Different source files per batch, where the readers' keys are known."""
    if not scan.keys or len(scan.sizes) < 2:
        return None
    files = [key.rpartition(b":")[0] for key in scan.keys]
    counts, start = [], 0
    for size in scan.sizes:
        if start + size > len(files):
            break
        counts.append(len(set(files[start : start + size])))
        start += size
    return mean_interval(np.array(counts, float)) if len(counts) > 1 else None


def _cross(mixings: tuple[Mixing, Mixing], lanes: list[Array]) -> None:
    """Compares the sides with one another."""
    old, new = mixings
    size = min(len(lanes[0]), len(lanes[1]))
    if size < LEAST:
        return
    places = positions(lanes[1], lanes[0])
    known = np.nonzero(places >= 0)[0]
    if len(known) < LEAST:
        return
    moved = known - places[known]
    if _settle(old, new, moved, size):
        _against(old, places[known], known, "the new side's order, which is the source's")
        own = np.sort(places[known])
        _against(new, own, own, "its own order, which is the source's")
    elif _settle(new, old, -moved, size):
        back = np.argsort(places[known])
        _against(new, known[back], places[known][back], "the old side's order, the source's")
        _against(old, known, known, "its own order, which is the source's")
    else:
        _against(old, places[known], known, "the other side's order")
        back = np.argsort(places[known])
        _against(new, known[back], places[known][back], "the other side's order")


def _settle(mixed: Mixing, kept: Mixing, moved: Array, total: int) -> bool:
    """Whether `kept` has the source's order, from the distances of `mixed` to it."""
    if kept.fixed is False:
        return False
    law = Distances(total)
    if not (moved.any() and _one_sided(moved)):
        if mixed.fixed is False and mixed.pool is not None:
            pool = mixed.pool.value  # a seeded shuffle keeps its order and is none of the source
            kept.pool = pool_interval(apart(moved), lambda p: law.between(pool, p), total, typical)
        return False
    mixed.pool = pool_interval(np.abs(moved), law.from_source, total)
    kept.pool = Interval(1.0, 1.0, 1.0)
    kept.fixed = True
    return True


def _one_sided(moved: Array) -> bool:
    """Moved forward by at most the pool and back without bound: what a pool does to the source."""
    from scipy import stats

    if len(np.unique(moved)) < 3:
        return False
    return bool(stats.skew(moved) > 0.7 and moved.max() > 1.5 * -moved.min())


def _against(mine: Mixing, source: Array, output: Array, reference: str) -> None:
    from scipy import stats

    mine.reference = reference
    mine.positions = source[:: max(1, len(source) // 4000)]
    mine.displacement = mean_interval(np.abs(output - source))
    some = source[:: max(1, len(source) // 3000)]
    if len(some) > 10:
        tau = float(stats.kendalltau(np.arange(len(some)), some).statistic)
        wide = 1.96 * np.sqrt(0.437 / (len(some) - 4))
        z = np.arctanh(np.clip(tau, -0.999999, 0.999999))
        mine.tau = Interval(tau, float(np.tanh(z - wide)), float(np.tanh(z + wide)))
        near = stats.pearsonr(source[:-1], source[1:])
        low, high = near.confidence_interval()
        mine.autocorrelation = Interval(float(near.statistic), float(low), float(high))
