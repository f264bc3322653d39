"""A further run of a side. One serves all who look at one: what differs is fetched from it, what
chance left out comes again, and its order is compared with the first run's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from queueio import recorder
from queueio.compare.reading.digest import digest_batch
from queueio.compare.reading.scan import TOGETHER, TOGETHER_BYTES, Scan, joined, size_of, sums_of
from queueio.compare.reading.spool import Spool, tells_order
from queueio.compare.sides.side import Delivered

Array = np.ndarray[Any, Any]


class Watcher(Protocol):
    """Who looks at the whole examples of a further run."""

    @property
    def done(self) -> bool:
        """Whether it has all that it looks for."""

    def add(self, position: int, values: list[Any], parts: Array, digests: Array) -> None:
        """Takes in examples, the first of them the run's `position`-th, with their digests."""


class Again:
    """A further run, as far as it is asked for; its digests are kept in `spool`.

    `sums` and `total` are as a Scan's; `unseen` has, for each component, how many of its values
    the first run had not, and how many could be judged. A recording cannot be run: nothing comes.
    """

    def __init__(self, scan: Scan, select: list[int] | None, same: bool = False) -> None:
        self.scan, self.select, self.same = scan, select, same
        self.spool = Spool()
        self.sums, self.total = np.zeros_like(scan.sums), np.zeros_like(scan.total)
        self.unseen = [(0, 0) for _ in scan.seen]
        self._open = ExitStack()
        self._batches: Iterator[Delivered] | None = None

    @property
    def possible(self) -> bool:
        return self.scan.side.repeatable

    def run(self, until: int, watcher: Watcher | None = None) -> None:
        """Goes on until the run has so many examples, the watcher is done, or the run ends."""
        while self.possible and self.spool.count < until and not (watcher and watcher.done):
            group = self._group(until - self.spool.count)
            if not group:
                return
            for batch in joined(group):
                self._take(batch, watcher)

    def _group(self, most: int) -> list[Delivered]:
        """Batches to be digested together."""
        group: list[Delivered] = []
        count = held = 0
        while count < min(most, TOGETHER) and held < TOGETHER_BYTES:
            batch = next(self._stream(), None)
            if batch is None:
                break
            assert batch.values is not None
            order = self.select
            values = batch.values if order is None else [batch.values[i] for i in order]
            group.append(Delivered(batch.count, values))
            count, held = count + batch.count, held + size_of(batch)
        return group

    def _take(self, batch: Delivered, watcher: Watcher | None) -> None:
        assert batch.values is not None
        parts = digest_batch(batch.values, self.scan.dtypes)
        digests = recorder.join_digests(parts)
        if watcher is not None:
            watcher.add(self.spool.count, batch.values, parts, digests)
        self.spool.append(digests)
        self.sums += sums_of(parts)
        self.total += sums_of(digests[:, None])[0]
        for index, seen in enumerate(self.scan.seen):
            (unseen, judged), (more, of) = self.unseen[index], seen.unseen(parts[:, index, 0])
            self.unseen[index] = unseen + more, judged + of

    def _stream(self) -> Iterator[Delivered]:
        if self._batches is None:
            stream = self._open.enter_context(self.scan.side.open(True, self.same))
            stream.schema = replace(stream.schema, batched=self.scan.schema.batched)
            self._batches = stream.batches()
        return self._batches

    def lanes(self, count: int) -> Array:
        """The first lanes of the digests of the first `count` examples."""
        self.run(count)
        return self.spool.read(0, count)[:, 0]

    @property
    def in_order(self) -> bool:
        """Whether what came surely came in the order of the first run, and not by chance."""
        return self.keeps_order is True

    @property
    def keeps_order(self) -> bool | None:
        """Whether what came, came in the order of the first run; None where that may be chance."""
        count = min(self.spool.count, self.scan.examples)
        chunks = zip(self.spool.chunks(), self.scan.spool.chunks(), strict=False)
        if not all((a[: count - i] == b[: count - i]).all() for (i, a), (_, b) in chunks):
            return False
        return True if tells_order(self.spool.read(0, count)[:, 0]) else None

    def close(self) -> None:
        self._open.close()
        self.spool.close()
