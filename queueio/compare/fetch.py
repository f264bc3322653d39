"""The second pass: whole examples for the digests that differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.digest import digest_batch
from queueio.compare.example import Example, cut
from queueio.compare.recording import RecordingSide
from queueio.compare.scan import Scan
from queueio.compare.spool import member

Array = np.ndarray[Any, Any]
AT_MOST = 4000
UNLIKE = 256  # kept of a partial list though nothing of the other side is like them
BYTES = 48 << 20


@dataclass
class Fetched:
    """Differing examples of one side; `found` of the `wanted` digests were delivered again."""

    examples: list[Example] = field(default_factory=list)
    wanted: int = 0
    found: int = 0
    repeatable: bool = True

    @property
    def random(self) -> bool:
        """Whether the side delivered other examples when it was run again."""
        return self.repeatable and self.wanted > 0 and self.found < 0.5 * self.wanted


def fetch(
    scan: Scan,
    wanted: Array,
    select: list[int] | None = None,
    like: set[bytes] | None = None,
    complete: bool = True,
) -> Fetched:
    """Runs the side again and keeps the examples whose digests are wanted.

    Args:
      scan: the side's first pass.
      wanted: their digests (d, 2).
      select: the components compared, if not all in their order.
      like: component digests; an example with one of them is kept before others.
      complete: whether `wanted` lists all that differ; if not, any other example is kept too.
    """
    keep = _Keeper(wanted, like or set(), complete, scan.key)
    stop = scan.examples
    for position, values in _batches(scan, select):
        keep.add(position, values, scan.dtypes)
        if position >= stop or keep.full:
            break
    result = keep.result
    result.wanted, result.repeatable = len(wanted), scan.side.repeatable
    if keep.full or not complete:
        result.found = max(result.found, len(result.examples))
    if not complete and len(wanted):
        result.found = result.wanted if keep.hits else 0
    if result.random and not result.examples:
        result.examples = keep.others
    return result


def _batches(scan: Scan, select: list[int] | None) -> Iterator[tuple[int, list[Any]]]:
    if isinstance(scan.side, RecordingSide):
        for position, values in scan.side.samples():
            yield position, values if select is None else [values[i] for i in select]
        return
    with scan.side.open() as stream:
        stream.schema = replace(stream.schema, batched=scan.schema.batched)
        position = 0
        for batch in stream.batches():
            assert batch.values is not None
            values = batch.values if select is None else [batch.values[i] for i in select]
            yield position, values
            position += batch.count


class _Keeper:
    def __init__(self, wanted: Array, like: set[bytes], complete: bool, key: int | None) -> None:
        self.wanted = wanted[np.argsort(wanted[:, 0])] if len(wanted) else wanted
        self.like, self.complete, self.key = like, complete, key
        self.result = Fetched()
        self.others: list[Example] = []  # in case nothing wanted comes again
        self.room = BYTES
        self.hits = 0
        self.seen: set[bytes] = set()

    @property
    def full(self) -> bool:
        return len(self.result.examples) >= AT_MOST or self.room <= 0

    def add(self, position: int, values: list[Any], dtypes: list[str]) -> None:
        parts = digest_batch(values, dtypes)
        digests = recorder.join_digests(parts)
        ordered = self.wanted[:, 0] if len(self.wanted) else np.zeros(0, np.uint64)
        hits = member(digests[:, 0], ordered)
        self.hits += int(hits.sum())
        chosen = hits if self.complete else hits | np.ones(len(digests), bool)
        for row in np.nonzero(chosen)[0].tolist():
            if not self.full:
                self._keep(values, row, position, digests[row], parts[row])
        if not self.hits and len(self.others) < 256:
            for row in range(min(len(digests), 256 - len(self.others))):
                item = cut(values, row, position + row, digests[row], parts[row], self.key)
                self.others.append(item)

    def _keep(self, values: list[Any], row: int, position: int, digest: Array, parts: Any) -> None:
        raw = digest.tobytes()
        if raw in self.seen:
            return
        crowded = not self.complete and len(self.result.examples) >= UNLIKE
        if crowded and self.like and not any(p.tobytes() in self.like for p in parts):
            return
        self.seen.add(raw)
        example = cut(values, row, position + row, digest, parts, self.key)
        self.room -= 200 + sum(v.nbytes for v in example.values)
        self.result.examples.append(example)
        self.result.found += 1
