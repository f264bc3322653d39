"""The second pass: whole examples for the digests that differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.reading.again import Again
from queueio.compare.reading.difference import FETCHED
from queueio.compare.reading.digest import digest_batch
from queueio.compare.reading.scan import Scan
from queueio.compare.reading.spool import member, table
from queueio.compare.sides.recording import RecordingSide

Array = np.ndarray[Any, Any]
# Of a partial list a sample is kept: so many examples, so many of them though they are like none
# of the other side's; the run ends when so many are found that are alike.
SAMPLE, UNLIKE, ALIKE = 1000, 256, 300
BYTES = 48 << 20


@dataclass
class Example:
    """One example: where it came in the stream, its digests, one array per component."""

    position: int
    digest: bytes
    parts: list[bytes]
    values: list[Array]
    key: str | None = None


@dataclass
class Fetched:
    """Differing examples of one side; `found` of the `wanted` digests were delivered again."""

    examples: list[Example] = field(default_factory=list)
    wanted: int = 0
    found: int = 0
    cut: bool = False  # there was no room for all
    repeatable: bool = True

    @property
    def random(self) -> bool:
        """Whether the side delivered other examples when it was run again."""
        return self.repeatable and self.wanted > 0 and self.found < 0.5 * self.wanted


class Like:
    """Digests of chosen components: examples that have one of them may be counterparts."""

    def __init__(self, digests: dict[int, set[bytes]]) -> None:
        self.digests = {index: found for index, found in digests.items() if found}
        self._lanes = {i: _lanes(table(found)) for i, found in self.digests.items()}

    def of(self, example: Example) -> set[tuple[int, bytes]]:
        """The digests that the example has, each with the place of its component."""
        parts = {(index, example.parts[index]) for index in self.digests}
        return {(index, part) for index, part in parts if part in self.digests[index]}

    def rows(self, parts: Array) -> Array:
        """Which of the examples have one, by their components' digests (n, components, 2)."""
        columns = [member(parts[:, i, 0], lanes) for i, lanes in self._lanes.items()]
        return np.any(columns, axis=0) if columns else np.zeros(len(parts), bool)


def fetch(again: Again, wanted: Array, like: Like | None = None, complete: bool = True) -> Fetched:
    """Runs the side again and keeps the examples whose digests are wanted, until all are found.

    Where not all that differ are listed, a sample does: 1,000 examples of the old side, and of the
    new one as many as it takes to find the counterparts of 300.

    Args:
      again: the side's further run; nothing may have come of it yet.
      wanted: their digests (d, 2).
      like: an example with one of these components is kept before others.
      complete: whether `wanted` lists all that differ; if not, any other example is kept too.
    """
    scan = again.scan
    keep = _Keeper(wanted, like or Like({}), complete, scan.key)
    if again.possible:
        again.run(scan.examples, keep)
    else:
        for recorded in _kept_whole(again):
            if not keep.done:
                keep.add(*recorded)
    result = keep.result
    result.cut = complete and keep.full and result.found < len(wanted)
    result.wanted, result.repeatable = len(wanted), again.possible
    if not complete or keep.full:
        result.found = result.wanted if keep.hits else 0
    if result.random and not result.examples:
        result.examples = keep.others
    return result


def _kept_whole(again: Again) -> Iterator[tuple[int, list[Any], Array, Array]]:
    """The batches of the first run that were kept: position, values, parts and digests."""
    scan, position = again.scan, 0
    if isinstance(scan.side, RecordingSide):
        order = again.select
        for position, values in scan.side.samples():
            yield _digested(scan, position, values if order is None else [values[i] for i in order])
        return
    for values in scan.sample:
        yield _digested(scan, position, values)
        position += recorder.rows_of(values[0])


def _digested(scan: Scan, position: int, values: list[Any]) -> tuple[int, list[Any], Array, Array]:
    parts = digest_batch(values, scan.dtypes)
    return position, values, parts, recorder.join_digests(parts)


def sampled(again: Again) -> list[Example]:
    """The first examples of the side, 256 at most, as far as they were kept whole."""
    found: list[Example] = []
    for position, values, parts, digests in _kept_whole(again):
        for row in range(min(len(parts), UNLIKE - len(found))):
            key = again.scan.key
            found.append(cut(values, row, position + row, digests[row], parts[row], key))
        if len(found) == UNLIKE:
            break
    return found


class _Keeper:
    def __init__(self, wanted: Array, like: Like, complete: bool, key: int | None) -> None:
        self.wanted, self.like = _lanes(wanted), like
        self.complete, self.key = complete, key
        self.result = Fetched()
        self.others: list[Example] = []  # in case nothing wanted comes again
        self.room, self.most = BYTES, FETCHED if complete else SAMPLE
        self.hits = self.alike = 0
        self.seen: set[bytes] = set()

    @property
    def full(self) -> bool:
        return len(self.result.examples) >= self.most or self.room <= 0

    @property
    def done(self) -> bool:
        """Whether all is found that is looked for, or there is no room for more."""
        if self.full:
            return True
        if self.complete:
            return 0 < len(self.wanted) == len(self.seen)
        return self.alike >= ALIKE

    def add(self, position: int, values: list[Any], parts: Array, digests: Array) -> None:
        hits = member(digests[:, 0], self.wanted)
        self.hits += int(hits.sum())
        for row in np.nonzero(hits if self.complete else self._sample(parts))[0].tolist():
            if self.full:
                break
            self._keep(values, row, position, digests[row], parts[row])
        if not self.hits and len(self.others) < UNLIKE:
            for row in range(min(len(digests), UNLIKE - len(self.others))):
                item = cut(values, row, position + row, digests[row], parts[row], self.key)
                self.others.append(item)

    def _sample(self, parts: Array) -> Array:
        """The rows to keep though only a part of what differs is listed."""
        chosen: Array = np.ones(len(parts), bool)
        if self.like.digests:
            alike = self.like.rows(parts)
            self.alike += int(alike.sum())
            chosen[max(0, UNLIKE - len(self.result.examples)) :] = False
            chosen |= alike
        return chosen

    def _keep(self, values: list[Any], row: int, position: int, digest: Array, parts: Any) -> None:
        raw = digest.tobytes()
        if raw in self.seen:
            return
        self.seen.add(raw)
        example = cut(values, row, position + row, digest, parts, self.key)
        self.room -= 200 + sum(v.nbytes for v in example.values)
        self.result.examples.append(example)
        self.result.found += 1


def _lanes(digests: Array) -> Array:
    """The first lanes, in order, each once: by them digests are looked up."""
    return np.unique(digests[:, 0]) if len(digests) else np.zeros(0, np.uint64)


def cut(
    values: list[Any], row: int, position: int, digest: Array, parts: Array, key: int | None
) -> Example:
    """The example at `row` of a batch; copied, so that the batch can go."""
    arrays = [_row(value, row) for value in values]
    named = arrays[key].item() if key is not None else None
    text = named.decode("utf-8", "replace") if isinstance(named, bytes) else None
    return Example(position, digest.tobytes(), [p.tobytes() for p in parts], arrays, text)


def _row(value: Any, row: int) -> Array:
    """One row as a dense array; sparse and ragged rows as the values they hold, in order."""
    kind = recorder.kind_of(value)
    if kind == "dense":
        return np.array(value[row]) if value.dtype != object else _objects(value[row])
    if kind == "sparse":
        mine = np.asarray(value.indices)[:, 0] == row
        return np.array(recorder.as_array(value.values)[mine])
    start, stop = np.asarray(value.row_splits)[row : row + 2].tolist()
    inner = value.values
    while hasattr(inner, "row_splits"):
        splits = np.asarray(inner.row_splits)
        start, stop, inner = int(splits[start]), int(splits[stop]), inner.values
    return np.array(recorder.as_array(inner)[start:stop])


def _objects(value: Any) -> Array:
    array = np.empty(np.shape(value), object)
    array[...] = value
    return array
