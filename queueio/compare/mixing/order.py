"""How well each side mixes, judged from the order of its examples' digests.

An example that comes again (in the next epoch, or in a second run) at another place tells how far
the pool moves examples, with no need to know the source order. Where one side keeps a fixed
order, the other side's distance from it tells whether that order is the source's.

Samples are enough: at most the first 200,000 examples of a run are looked at, and a second run is
stopped after an eighth of them, 2,000 at least and 8,192 at most; after a quarter of that, if it
shows that the new side is surely no worse. The pools that the distances are held against (pool.py)
are run just as far, and looked at in the same way.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from queueio.compare.mixing.pool import Interval, leaving, pool_interval, typical_step
from queueio.compare.mixing.rates import at_one_rate, comes_evenly
from queueio.compare.reading.again import Again
from queueio.compare.reading.scan import Scan
from queueio.compare.reading.spool import Spool, tells_order

Array = np.ndarray[Any, Any]
WINDOW = 200_000
AGAIN = 2_000, 8_192  # examples of a second run: an eighth of the first, within these bounds
REACH = 2 * AGAIN[1]  # of the first run, examples that distances are taken from
FIRST = 0.25  # the share of these that is looked at before the others
LEAST = 100
TOO_SMALL = 0.6  # the ratio of two pools from which on the smaller one is too small
SEVERAL = 4  # pools that the input must hold for one to be told
NEIGHBOURS = 0.5  # the share of neighbours that stay so, from which on blocks are shuffled


@dataclass
class Mixing:
    """What is known of one side's order. Positions are in examples.

    `fixed`: the same order each time; None when it was seen once only, or may be by chance.
    `successors`: the share of neighbours that are neighbours again. `pool`: the equivalent
    shuffle pool. `borders`: sharp when each epoch is complete before the next begins. Of what was
    seen, `displacement`, `tau`, `autocorrelation` and `files_per_batch` are means.
    """

    epochs: int = 1
    fixed: bool | None = None
    borders: str | None = None
    successors: float | None = None
    pool: Interval | None = None
    reference: str = ""
    displacement: float | None = None
    tau: float | None = None
    autocorrelation: float | None = None
    files_per_batch: float | None = None
    repeat_distance: tuple[int, float] | None = None
    source: bool = False  # the order is the source's, or one that a small pool made of it
    same_epochs: bool = False  # of several epochs, each in the order of the first
    total: int = 0  # examples that a pool could hold: of the stream, or of an epoch by itself
    size: int = 0  # examples of an epoch
    ended: bool = True  # by itself, so that the pool ran empty
    draws: bool = True  # chance may decide over the order, for all that is known
    positions: Array = field(default_factory=lambda: np.zeros(0))  # source, by output
    parted: Array = field(default_factory=lambda: np.zeros(0, int))  # where neighbours are no more


def figure(mixing: Mixing) -> Interval | None:
    """The pool, where it can be told: where the input is longer than several of it.

    A pool of a third of the input moves examples nearly as far as one of all of it.
    """
    pool = mixing.pool
    return pool if pool is not None and SEVERAL * pool.high <= mixing.total else None


def pool_in_words(mixing: Mixing) -> str:
    """The pool with its interval, or why it cannot be told; "" where none was looked for."""
    if mixing.pool is None or figure(mixing) is not None:
        return "" if mixing.pool is None else str(mixing.pool)
    if SEVERAL * mixing.pool.low > mixing.total:
        return "much of the input"
    return f"a number that {mixing.total:,} examples do not tell"


def infer_epochs(scan: Scan) -> int:
    """How often the side delivers most of its first thousand examples."""
    from queueio.compare.reading.difference import count

    first = np.unique(scan.spool.read(0, 1000), axis=0)
    if not len(first):
        return 1
    return max(1, int(np.bincount(count(scan.spool, first)).argmax()))


def _epoch_size(order: Array, epochs: int, examples: int) -> int:
    """The examples of an epoch, though the last one may be incomplete or its end be dropped."""
    if len(order) < examples:
        return examples // epochs
    times = np.unique(order, return_counts=True)[1]
    return int(np.maximum(1, np.rint(times / epochs)).sum())


def borders(spool: Spool, epochs: int) -> str | None:
    """Whether no example comes again before an epoch is over ("sharp"), or epochs mix ("blurred").

    Each epoch that begins where the first example comes again is counted: those of mixed epochs
    are more than there are. An example that is twice in the data says nothing, but one that comes
    once more is of an epoch that was cut off, or of a side that has no epochs.
    """
    if epochs < 2:
        return None
    order = spool.read(0, WINDOW)[:, 0]
    found, places, times = np.unique(order, return_inverse=True, return_counts=True)
    whole = max(1, round(epochs * len(order) / spool.count))
    once = times <= whole + 1
    places = places[once[places]]
    last: Array = np.full(len(found), -1)
    begun, number = 0, 1
    for at, which in enumerate(places.tolist()):
        if last[which] >= begun:
            begun, number = at, number + 1
        last[which] = at
    return "sharp" if number <= times[once].max(initial=whole) else "blurred"


def repeats_by_seed(old: Again, new: Again) -> bool:
    """Whether the new side has a seed to shuffle by and keeps its order so, and the old one, with a
    seed or without, has another each time."""
    if not new.scan.seeded:
        return False
    for run in (old, new):
        run.run(_looked_at(run.scan.examples))
    return new.in_order and not old.in_order


def keep_order(old: Again, new: Again) -> tuple[bool | None, bool | None]:
    """Which sides have the same order in a further run, which few examples tell too; None of a side
    whose examples are so few, or so alike, that they may have it by chance."""
    for run in (old, new):
        run.run(run.scan.examples)
    return old.keeps_order, new.keeps_order


def reseeded(run: Again) -> Again:
    """A further run of a side under other seeds."""
    with closing(Again(run.scan, run.select, same=True)) as first:  # may have those that it had
        first.run(run.scan.examples + 1)
    return Again(run.scan, run.select, same=True)


def _looked_at(examples: int) -> int:
    least, most = AGAIN
    return min(examples, max(least, min(most, examples // 8)))


def measure(old: Again, new: Again) -> tuple[Mixing, Mixing]:
    """The mixing of both sides, from their first runs and the beginnings of further ones."""
    again = old, new
    lanes = [run.scan.spool.read(0, WINDOW)[:, 0] for run in again]
    mixings = _begun(old.scan, lanes[0]), _begun(new.scan, lanes[1])
    for mine, order in zip(mixings, lanes, strict=True):
        if mine.epochs > 1:
            _by_epochs(mine, order)
    for share in (FIRST, 1.0):
        for run, mine, order in reversed(list(zip(again, mixings, lanes, strict=True))):
            if mine.epochs == 1:
                _by_runs(mine, order, run, share)
            elif mine.borders == "blurred" and mine.pool is not None:
                _or_by_runs(mine, order, run, share)
        if _no_worse(*mixings):
            break
    for run in again:
        run.close()  # a queue would be filled on
    _cross(mixings, lanes)
    return mixings


def _begun(scan: Scan, order: Array) -> Mixing:
    """What is known of one run alone."""
    often = np.unique(scan.spool.read(0, scan.examples)[:, 0], return_counts=True)[1]
    ended = scan.end.kind != "limit"
    epochs = infer_epochs(scan) if ended or at_one_rate(often) else 1
    size = _epoch_size(order, epochs, scan.examples) if epochs > 1 else scan.examples
    between = borders(scan.spool, epochs) if ended or comes_evenly(often, epochs) else None
    return Mixing(
        epochs, borders=between, files_per_batch=_files(scan),
        total=size if between == "sharp" else scan.examples, size=size,
        ended=scan.end.kind == "clean" or between == "sharp", draws=scan.draws,
    )  # fmt: skip


def _no_worse(old: Mixing, new: Mixing) -> bool:
    """Whether the new side surely mixes about as well as the old one, or better."""
    if old.pool is None or new.pool is None:
        return False
    return not old.fixed and new.pool.low >= TOO_SMALL * old.pool.high


def _by_runs(mine: Mixing, order: Array, again: Again, share: float) -> None:
    """Compares the side's run with the beginning of another one."""
    examples = again.scan.examples
    count = _looked_at(examples)
    second = again.lanes(max(int(share * count), min(count, again.spool.count)))
    found = np.isin(second[:256], order).mean() if len(second) else 0.0
    if found > 0.9 * len(order) / examples:  # else it delivers other examples each time
        _two_orders(mine, order, second)


def _or_by_runs(mine: Mixing, order: Array, again: Again, share: float) -> None:
    """Takes the pool that two runs show, if it is a smaller one: epochs that an interleave mixes,
    besides, lie as far apart as a larger one makes them."""
    runs = replace(mine)
    _by_runs(runs, order, again, share)
    assert mine.pool is not None
    if runs.pool is not None and runs.pool.below(mine.pool, 1.0):
        mine.pool = runs.pool


def _by_epochs(mine: Mixing, order: Array) -> None:
    """Compares one epoch of the side with the next."""
    size = mine.size
    if len(order) < 1.5 * size:
        return
    if mine.borders == "sharp":
        first, *others = (order[i : i + size] for i in range(0, len(order), size))
        mine.same_epochs = all((part == first[: len(part)]).all() for part in others)
        _two_orders(mine, first, others[0][: AGAIN[1]])
        mine.fixed = mine.fixed and mine.same_epochs
    else:
        _one_stream(mine, order)
    mine.repeat_distance = _repeats(order)


def _two_orders(mine: Mixing, first: Array, second: Array) -> None:
    """Compares the beginnings of two orders of the same examples."""
    mine.pool = None
    places = positions(first, second)
    known = places >= 0
    steps = np.diff(places[known])
    together = steps == 1
    mine.fixed = bool((steps > 0).all()) and (tells_order(second[known]) or None)
    mine.successors = float(together.mean()) if len(together) else None
    mine.parted = np.nonzero(~together)[0] + 1 if known.all() else np.zeros(0, int)
    if mine.fixed or known.sum() < LEAST or (mine.successors or 0) > NEIGHBOURS:
        return  # nothing moves, or whole blocks do: no pool does that
    first = first[: max(REACH, 2 * len(second))]

    def of(pool: int, rng: np.random.Generator) -> float:
        one, two = (_left(mine, pool, rng, len(order)) for order in (first, second))
        return typical_step(_moved(one, two))

    mine.pool = pool_interval(typical_step(_moved(first, second)), of, mine.total)


def _left(mine: Mixing, pool: int, rng: np.random.Generator, count: int) -> Array:
    """The first numbers that leave a pool which is fed as long as the side's was."""
    numbers = leaving(pool, mine.total if mine.ended else mine.total + pool, rng, count)
    return (numbers % max(1, mine.size)).astype(np.uint64)


def _one_stream(mine: Mixing, order: Array) -> None:
    """Epochs that mix: the distance between repeats varies around the epoch's size. Where nothing
    draws, no pool has mixed them, but an interleave that takes files of both at a time, say."""
    mine.fixed = not mine.draws
    mine.successors = _kept_neighbours(order, len(order) - mine.size)
    order = order[: mine.size + REACH]
    if mine.fixed or len(order) - mine.size < LEAST:
        return

    def of(pool: int, rng: np.random.Generator) -> float:
        return typical_step(_gaps(_left(mine, pool, rng, len(order))))

    mine.pool = pool_interval(typical_step(_gaps(order)), of, mine.total)


def _kept_neighbours(order: Array, most: int) -> float | None:
    """The share of neighbours that are neighbours again, beyond those that are so by chance; None
    where few examples come so often that most are."""
    mixed = np.random.default_rng(20170).permutation(order)
    same, chance = (len(a) - 1 - len(np.unique(a[:-1] * np.uint64(3) + a[1:]))
                    for a in (order, mixed))  # fmt: skip
    if 2 * chance > most or most < 1:
        return None
    return float(np.clip((same - chance) / (most - chance), 0.0, 1.0))


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


def _files(scan: Scan) -> float | None:
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
    return float(np.mean(counts)) if len(counts) > 1 else None


def _cross(mixings: tuple[Mixing, Mixing], lanes: list[Array]) -> None:
    """Compares the sides with one another."""
    old, new = mixings
    if min(map(len, lanes)) < LEAST:
        return
    places = positions(lanes[1], lanes[0])
    known = np.nonzero(places >= 0)[0]
    if len(known) < LEAST:
        return
    back = np.argsort(places[known])
    source, output = places[known], known
    if _settle(old, new, lanes[0], lanes[1]):
        own = np.sort(source)
        _against(old, source, output, "the new side's order")
        _against(new, own, own, "the new side's order")
    elif _settle(new, old, lanes[1], lanes[0]):
        _against(new, output[back], source[back], "the old side's order")
        _against(old, output, output, "the old side's order")
    else:
        _against(old, source, output, "the other side's order")
        _against(new, output[back], source[back], "the other side's order")


def _settle(mixed: Mixing, kept: Mixing, order: Array, reference: Array) -> bool:
    """Whether `kept` has the source's order, or about it, from the distances of `mixed` to it."""
    if kept.fixed is False:
        return False
    places = positions(reference, order)
    if _blocks_move(places):
        return False
    alike = mixed.epochs == kept.epochs
    moved = _later(places)
    if not (moved.any() and _one_sided(moved)):
        one_order = kept.fixed and not kept.draws  # then no pool made it, whatever it is like
        if alike and not one_order and kept.pool is None and not mixed.fixed and figure(mixed):
            _against_pool(kept, mixed, reference[:REACH], order[:REACH])
        return False
    if alike and mixed.pool is None:
        _against_source(mixed, reference, order[: min(mixed.total, REACH)])
    kept.fixed = kept.source = True
    return True


def _blocks_move(places: Array) -> bool:
    """Whether most neighbours stay so, as where whole files come again or are missing: no pool."""
    steps = np.diff(places[places >= 0])
    return len(steps) > 0 and bool((steps == 1).mean() > NEIGHBOURS) and bool((steps != 1).any())


def _moved(reference: Array, order: Array) -> Array:
    """How much later each item comes in `order`, where both have it."""
    return _later(positions(reference, order))


def _later(places: Array) -> Array:
    known = np.nonzero(places >= 0)[0]
    return known - places[known]


def _against_source(mixed: Mixing, reference: Array, order: Array) -> None:
    """The pool that moves the reference's examples as far as they are moved."""
    known = min(len(reference), mixed.total)
    source: Array = (np.arange(known) % max(1, mixed.size)).astype(np.uint64)

    def of(pool: int, rng: np.random.Generator) -> float:
        return float(np.abs(_moved(source, _left(mixed, pool, rng, len(order)))).mean())

    seen = float(np.abs(_moved(reference[:known], order)).mean())
    mixed.pool = pool_interval(seen, of, mixed.total)


def _against_pool(kept: Mixing, mixed: Mixing, mine: Array, order: Array) -> None:
    """The pool of a side that keeps its order, from another's that is known within an interval."""
    assert mixed.pool is not None
    low, value, high = np.log([mixed.pool.low, mixed.pool.value, mixed.pool.high])

    def of(pool: int, rng: np.random.Generator) -> float:
        other = round(float(np.exp(rng.normal(value, (high - low) / 4))))
        first = _left(mixed, max(1, other), rng, len(order))
        return typical_step(_moved(first, _left(kept, pool, rng, len(mine))))

    kept.pool = pool_interval(typical_step(_moved(order, mine)), of, kept.total)


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
    mine.displacement = float(np.abs(output - source).mean())
    some = source[:: max(1, len(source) // 3000)]
    if len(some) > 10:
        mine.tau = float(stats.kendalltau(np.arange(len(some)), some).statistic)
        mine.autocorrelation = float(np.corrcoef(source[:-1], source[1:])[0, 1])
