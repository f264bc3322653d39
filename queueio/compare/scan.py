"""What is kept of a side while it runs: constant memory, but for sixteen bytes on disk each."""

from __future__ import annotations

import re
import time
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.digest import digest_batch
from queueio.compare.schema import Schema
from queueio.compare.side import CLEAN, Batch, End, Side
from queueio.compare.spool import Spool

Array = np.ndarray[Any, Any]
SAMPLE_EXAMPLES = 256
SAMPLE_BYTES = 8 << 20
MARKED = 2000
KEYS_KEPT = 200_000
_KEY = re.compile(rb"^.+:\d+$", re.DOTALL)


class Scan:
    """The first pass over one side."""

    def __init__(self, side: Side, schema: Schema, dtypes: list[str], key: int | None) -> None:
        self.side, self.schema, self.dtypes, self.key = side, schema, dtypes, key
        self.spool = Spool()
        self.sizes = array("I")
        self.sums: Array = np.zeros((len(schema.components), 2), np.uint64)
        self.total: Array = np.zeros(2, np.uint64)
        self.shapes: list[Counter[tuple[int, ...]]] = [Counter() for _ in schema.components]
        self.sample: list[list[Any]] = []
        self.sampled = 0
        self.marks: list[set[bytes]] = [set() for _ in schema.components]
        self.keys: list[bytes] = []
        self.end: End = CLEAN
        self.promised_pool: int | None = None
        self.first_batch_seconds = 0.0
        self.seconds = 0.0
        self.digest_seconds = 0.0
        self.times = array("d")
        self._room = SAMPLE_BYTES

    @property
    def examples(self) -> int:
        return self.spool.count

    def add(self, batch: Batch) -> Array:
        """Takes in a batch; returns its examples' digests (n, 2)."""
        started = time.perf_counter()
        parts = batch.digests
        if parts is None:
            assert batch.values is not None
            parts = digest_batch(batch.values, self.dtypes)
            self._look_at(batch.values, batch.count)
        self._mark(batch, parts)
        if batch.keys is not None and len(self.keys) < KEYS_KEPT:
            self.keys.extend(batch.keys)
        digests = recorder.join_digests(parts)
        self.sums += parts.sum(axis=0, dtype=np.uint64)
        self.total += digests.sum(axis=0, dtype=np.uint64)
        self.spool.append(digests)
        self.sizes.append(batch.count)
        if len(self.times) < 100_000:
            self.times.append(self.seconds)
        self.digest_seconds += time.perf_counter() - started
        return digests

    def _mark(self, batch: Batch, parts: Array) -> None:
        """Keeps the first components' digests in their own dtype, to see which moved where."""
        if self.examples >= MARKED:
            return
        if batch.values is not None:
            own = [recorder.canonical_dtype(c.dtype) for c in self.schema.components]
            parts = parts if own == self.dtypes else digest_batch(batch.values, own)
        for index, marks in enumerate(self.marks):
            marks.update(d.tobytes() for d in parts[:, index])

    def _look_at(self, values: list[Any], count: int) -> None:
        for seen, value in zip(self.shapes, values, strict=True):
            shape = recorder.example_shapes(value, True)
            if shape in seen or len(seen) < 100:
                seen[shape] += count
        if self.key is not None and len(self.keys) < KEYS_KEPT:
            self.keys.extend(values[self.key].reshape(-1).tolist())
        if self.sampled < SAMPLE_EXAMPLES and self._room > 0:
            self.sample.append(values)
            self.sampled += count
            self._room -= sum(getattr(v, "nbytes", 1000) for v in values)

    def again(self, select: list[int] | None, at_most: int) -> Iterator[Array]:
        """The digests (n, 2) of another run, batch by batch, up to `at_most` examples."""
        count = 0
        with self.side.open() as stream:
            stream.schema = replace(stream.schema, batched=self.schema.batched)
            for batch in stream.batches():
                assert batch.values is not None
                values = batch.values if select is None else [batch.values[i] for i in select]
                yield recorder.join_digests(digest_batch(values, self.dtypes))
                count += batch.count
                if count >= at_most:
                    break

    def close(self) -> None:
        self.spool.close()


def find_key(schema: Schema, values: list[Any] | None, asked: str | int | None) -> int | None:
    """The component that holds the readers' keys: the one asked for, or one that looks like it.

    Raises:
      ValueError: there is no such component.
    """
    if asked is not None:
        if isinstance(asked, int) and asked < len(schema.components):
            return asked
        if asked in schema.names:
            return schema.names.index(str(asked))
        raise ValueError(f"key={asked!r} is none of the components {schema.names}.")
    for index, value in enumerate(values or []):
        if not recorder.is_text(value) or value.ndim != 1 or not value.size:
            continue
        if all(isinstance(s, bytes) and _KEY.match(s) for s in value.tolist()):
            return index
    return None
