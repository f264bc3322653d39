"""Runs both sides in turn, a batch at a time, and keeps what they delivered."""

from __future__ import annotations

import itertools
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.reading.again import Again
from queueio.compare.reading.digest import common_dtypes
from queueio.compare.reading.progress import Tick
from queueio.compare.reading.scan import Scan, find_key
from queueio.compare.reading.waiting import Stalled, Waiting
from queueio.compare.sides.schema import Schema, Select, agree_on_batching, by_name
from queueio.compare.sides.side import Delivered, End, RunningSide, Side

Array = np.ndarray[Any, Any]
UNBOUNDED_LIMIT = 20_000
# A side that goes on when the other has ended is stopped after so many times the other's examples;
# a slow one earlier.
PATIENT, HASTY, SLOW = 20, 4, 10.0
# Further runs that bring nothing either, before a side is said to, and seconds for them.
EMPTY, PATIENCE = 12, 5.0


@dataclass
class Both:
    """The two scans, and whether they were equal place by place.

    `again` is a further run of each side, for those who need one.
    """

    old: Scan
    new: Scan
    schemas: tuple[Schema, Schema]  # with all components
    select: Select | None
    same_order: bool = True
    interrupted: bool = False
    again: tuple[Again, Again] = field(init=False)

    def __post_init__(self) -> None:
        chosen = self.select or (None, None)
        self.again = Again(self.old, chosen[0]), Again(self.new, chosen[1])

    def close(self) -> None:
        """Stops what still runs, and gives up the digests."""
        for closed in (*self.again, self.old, self.new):
            closed.close()
        for scan in (self.old, self.new):
            scan.side.rest()

    @property
    def agree(self) -> bool:
        """Whether the streams are equal place by place as far as both came."""
        count = min(self.old.examples, self.new.examples)
        pairs = zip(self.old.spool.chunks(), self.new.spool.chunks(), strict=False)
        return all(
            (a[: count - i] == b[: count - i]).all() for (i, a), (_, b) in pairs if i < count
        )

    @property
    def aligned(self) -> bool:
        """Whether the streams agree place by place, but for a few examples."""
        count = min(self.old.examples, self.new.examples, 1 << 16)
        old, new = self.old.spool.read(0, count), self.new.spool.read(0, count)
        return self.same_order or (count > 0 and float((old == new).all(axis=1).mean()) > 0.8)

    @property
    def fixed(self) -> bool:
        """Whether each side keeps its own order, as far as its further run has come."""
        return all(run.in_order for run in self.again)


class _Puller:
    """One side while it runs: its next batch, the time waited for it, and its end."""

    def __init__(self, stream: RunningSide) -> None:
        self.stream, self.waiting = stream, Waiting(stream.batches())
        self.held: list[Delivered] = []
        self.seconds = 0.0
        self.done = False

    def pull(self) -> Delivered | None:
        if self.held:
            return self.held.pop()
        started = time.perf_counter()
        batch = self._next()
        self.seconds += time.perf_counter() - started
        self.done = batch is None
        return batch

    def _next(self) -> Delivered | None:
        try:
            return self.waiting.next()
        except Stalled:
            self.stream.end = End("stalled")
            return None

    def rows(self) -> int | None:
        """The rows of the first batch, if there is one and its schema takes it for a batch."""
        batch = self.peek()
        known = batch is not None and batch.values is not None and self.stream.schema.batched
        return batch.count if known and batch is not None else None

    def peek(self) -> Delivered | None:
        batch = self.pull()
        if batch is not None:
            self.held.append(batch)
            self.done = False
        return batch


def run_both(
    old: Side,
    new: Side,
    limit: int | None,
    key: str | int | None,
    select: Select | None = None,
    tick: Tick | None = None,
) -> Both:
    """The first pass; another one where a side brought nothing by chance.

    Args:
      old, new: the sides.
      limit: examples after which a side is cut off, or None.
      key: the component with the readers' keys, or None to look for it.
      select: which components of old and of new belong together, if not all in their order.
      tick: called with the examples seen of each side and those expected, to show progress.

    Raises:
      CannotRun: a side cannot be built.
    """
    both = _run_both(old, new, limit, key, select, tick)
    for _ in range(EMPTY):
        if both.interrupted or not any(map(_nothing_by_chance, both.again)):
            break
        both.close()
        both = _run_both(old, new, limit, key, select, tick)
    return both


def _nothing_by_chance(run: Again) -> bool:
    """Whether a side that brought nothing does in another run: a filter that draws what it keeps
    may keep none of few examples."""
    until = time.monotonic() + PATIENCE
    if run.scan.examples or run.scan.end.kind != "clean":
        return False
    for _ in range(EMPTY):
        with closing(Again(run.scan, run.select)) as further:
            further.run(1)
            if further.spool.count:
                return True
        if time.monotonic() > until:
            break
    return False


def _run_both(
    old: Side,
    new: Side,
    limit: int | None,
    key: str | int | None,
    select: Select | None,
    tick: Tick | None,
) -> Both:
    with ExitStack() as stack:
        first = stack.enter_context(old.open(more=True))
        second = stack.enter_context(new.open(more=True))
        pullers = _Puller(first), _Puller(second)
        _agree_on_batching(*pullers)
        schemas = first.schema, second.schema
        select = select or by_name(*schemas)
        both = Both(*_scans((old, new), pullers, key, select), schemas, select)
        for scan, stream in ((both.old, first), (both.new, second)):
            scan.promised_pool, scan.seeds = stream.promised_pool, stream.seeds
            scan.seeded, scan.draws = stream.seeded, stream.draws
        try:
            _alternate(both, pullers, _limit(old, new, limit), select, tick)
        except KeyboardInterrupt:
            both.interrupted = True
            _close(both, pullers, "interrupted")
        finally:
            for puller in pullers:
                puller.waiting.close()
        return both


def _agree_on_batching(old: _Puller, new: _Puller) -> None:
    """Settles which side delivers single examples, and gives those held their axis."""
    rows = old.rows(), new.rows()
    agreed = agree_on_batching(old.stream.schema, new.stream.schema, rows)
    for puller, schema in zip((old, new), agreed, strict=True):
        if puller.stream.schema.batched and not schema.batched:
            puller.stream.schema = schema
            puller.held = [Delivered(1, [recorder.as_one_row(v) for v in b.values or ()])
                           for b in puller.held]  # fmt: skip


def _limit(old: Side, new: Side, limit: int | None) -> int | None:
    if limit is None and all(side.unbounded for side in (new, old)):  # of queues, it takes longer
        return UNBOUNDED_LIMIT
    return limit


def _scans(
    sides: tuple[Side, Side],
    pullers: tuple[_Puller, _Puller],
    key: str | int | None,
    select: Select | None,
) -> tuple[Scan, Scan]:
    schemas = [p.stream.schema for p in pullers]
    if select is not None:
        schemas = [s.reordered(chosen) for s, chosen in zip(schemas, select, strict=True)]
    recorded = next(
        (s for s, side in zip(schemas, sides, strict=True) if not side.repeatable), None
    )
    dtypes = common_dtypes(schemas[0], schemas[1], recorded)
    extra = common_dtypes(schemas[1], schemas[1], None)[len(dtypes) :]
    found = _key(pullers, schemas, key, select)
    scans = []
    for side, schema in zip(sides, schemas, strict=True):
        width = len(schema.components)
        key_here = found if found is not None and found < width else None
        scans.append(Scan(side, schema, (dtypes + extra)[:width], key_here))
    return scans[0], scans[1]


def _key(pullers: Any, schemas: Any, asked: str | int | None, select: Select | None) -> int | None:
    batch = pullers[0].peek()
    if batch is None or batch.values is None:
        return find_key(schemas[0], None, asked)
    return find_key(schemas[0], chosen(batch, select, 0).values, asked)


def _alternate(
    both: Both,
    pullers: tuple[_Puller, _Puller],
    limit: int | None,
    select: Select | None,
    tick: Tick | None,
) -> None:
    """Pulls from the side that is behind, until both have ended or were cut off."""
    scans = both.old, both.new
    stopped = [False, False]
    try:
        _turns(scans, pullers, limit, select, tick, stopped)
    finally:
        for scan in scans:
            scan.rest()
        both.same_order = both.agree and both.old.examples == both.new.examples


def _turns(
    scans: tuple[Scan, Scan],
    pullers: tuple[_Puller, _Puller],
    limit: int | None,
    select: Select | None,
    tick: Tick | None,
    stopped: list[bool],
) -> None:
    for step in itertools.count():
        running = [i for i in (0, 1) if not stopped[i]]
        if not running:
            break
        side = min(running, key=lambda i: scans[i].examples)
        stopped[side] = not _step(scans[side], pullers[side], side, select)
        other = scans[1 - side]
        if not stopped[side] and _enough(scans[side], other, limit, stopped[1 - side]):
            scans[side].end, stopped[side] = End("limit"), True
        if tick is not None and step % 16 == 0:
            expected = _expected(pullers, limit)
            tick(scans[0].examples, scans[1].examples, expected, stopped)


def _expected(pullers: tuple[_Puller, _Puller], limit: int | None) -> int | None:
    """How many examples a side will have: the limit, or what either of them knows."""
    known = [n for n in (limit, *(p.stream.expected for p in pullers)) if n is not None]
    return min(known, default=None)


def _enough(scan: Scan, other: Scan, limit: int | None, other_ended: bool) -> bool:
    if limit is not None and scan.examples >= limit:
        return True
    if not other_ended:
        return False
    far, beyond = (times * other.examples + 1000 for times in (PATIENT, HASTY))
    return scan.examples > far or (scan.examples > beyond and scan.seconds > SLOW)


def _step(scan: Scan, puller: _Puller, side: int, select: Any) -> bool:
    """Takes one batch in; False at the end."""
    batch = puller.pull()
    scan.seconds = puller.seconds
    if batch is None:
        scan.end = puller.stream.end
        return False
    if not scan.examples:
        scan.first_batch_seconds = puller.seconds
    scan.add(chosen(batch, select, side))
    return True


def chosen(batch: Delivered, select: Select | None, side: int) -> Delivered:
    """The batch with the selected components only, in their order; side 0 is old, 1 is new."""
    if select is None:
        return batch
    order = select[side]
    values = None if batch.values is None else [batch.values[i] for i in order]
    digests = None if batch.digests is None else batch.digests[:, order]
    return Delivered(batch.count, values, digests, batch.keys)


def _close(both: Both, pullers: tuple[_Puller, _Puller], kind: str) -> None:
    for scan, puller in zip((both.old, both.new), pullers, strict=True):
        if not puller.done:
            scan.end = End(kind)
