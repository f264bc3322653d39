"""What is kept of a side while it runs: constant memory, but for sixteen bytes on disk each."""

from __future__ import annotations

import re
import time
from array import array
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.reading.digest import digest_batch
from queueio.compare.reading.seen import Seen
from queueio.compare.reading.spool import Spool
from queueio.compare.sides.schema import Schema
from queueio.compare.sides.side import CLEAN, Delivered, End, Side

Array = np.ndarray[Any, Any]
SAMPLE_EXAMPLES = 256
SAMPLE_BYTES = 8 << 20
MARKED = 2000
TOGETHER = 4096
TOGETHER_BYTES = 1 << 20
KEYS_KEPT = 200_000
TWINS = 16  # components that are looked at for being equal
_KEY = re.compile(rb"^.+:\d+$", re.DOTALL)


class Scan:
    """The first pass over one side."""

    def __init__(self, side: Side, schema: Schema, dtypes: list[str], key: int | None) -> None:
        self.side, self.schema, self.dtypes, self.key = side, schema, dtypes, key
        self.spool = Spool()
        self.examples = 0
        self._waiting: list[Delivered] = []
        self._held = self._bytes = 0
        self.sizes = array("I")
        self.sums: Array = np.zeros((len(schema.components), 2), np.uint64)
        self.total: Array = np.zeros(2, np.uint64)
        self.shapes: list[Counter[tuple[int, ...]]] = [Counter() for _ in schema.components]
        self.sample: list[list[Any]] = []
        self.sampled = 0
        self.marks: list[set[bytes]] = [set() for _ in schema.components]
        self.seen = [Seen() for _ in schema.components]
        columns = range(min(len(dtypes), TWINS))
        self.alike = {(i, j): 0 for i, j in combinations(columns, 2) if dtypes[i] == dtypes[j]}
        """For two components how many examples have them equal; not kept where few have."""
        self.spans: dict[int, tuple[Any, Any]] = {}
        """The least and the largest value of each component of one number an example."""
        self.keys: list[bytes] = []
        self.end: End = CLEAN
        self.promised_pool: int | None = None
        self.seeds, self.seeded, self.draws = "", False, True
        self.first_batch_seconds = 0.0
        self.seconds = 0.0
        self.digest_seconds = 0.0
        self.times = array("d")
        self._room = SAMPLE_BYTES

    def add(self, batch: Delivered) -> None:
        """Takes in a batch.

        Small batches are digested together: numpy's calls cost more than their values.
        """
        started = time.perf_counter()
        if batch.values is not None:
            self._look_at(batch.values, batch.count)
        if batch.keys is not None and len(self.keys) < KEYS_KEPT:
            self.keys.extend(batch.keys)
        self.sizes.append(batch.count)
        if len(self.times) < 100_000:
            self.times.append(self.seconds)
        self.examples += batch.count
        self._waiting.append(batch)
        self._held += batch.count
        self._bytes += size_of(batch)
        if self._held >= TOGETHER or self._bytes >= TOGETHER_BYTES:
            self._digest()
        self.digest_seconds += time.perf_counter() - started

    def rest(self) -> None:
        """Takes in what is still waiting to be digested."""
        started = time.perf_counter()
        if self._waiting:
            self._digest()
        self.digest_seconds += time.perf_counter() - started

    def _digest(self) -> None:
        groups = joined(self._waiting)
        self._waiting, self._held, self._bytes = [], 0, 0
        for batch in groups:
            self._digest_one(batch)

    def _digest_one(self, batch: Delivered) -> None:
        parts = batch.digests
        if parts is None:
            assert batch.values is not None
            parts = digest_batch(batch.values, self.dtypes)
        self._span(batch.values or [])
        self._mark(batch, parts)
        self._count_alike(parts)
        for index, seen in enumerate(self.seen):
            seen.add(parts[:, index, 0])
        digests = recorder.join_digests(parts)
        self.sums += sums_of(parts)
        self.total += sums_of(digests[:, None])[0]
        self.spool.append(digests)

    def _span(self, values: list[Any]) -> None:
        for index, value in enumerate(values):
            if isinstance(value, np.ndarray) and value.dtype.kind in "iuf" and value.ndim == 1:
                low, high = self.spans.get(index, (value[0], value[0]))
                self.spans[index] = np.minimum(low, value.min()), np.maximum(high, value.max())

    def _count_alike(self, parts: Array) -> None:
        for i, j in self.alike:
            self.alike[i, j] += int((parts[:, i] == parts[:, j]).all(axis=1).sum())
        so_far = self.spool.count + len(parts)
        self.alike = {pair: n for pair, n in self.alike.items() if 2 * n >= so_far}

    def _mark(self, batch: Delivered, parts: Array) -> None:
        """Keeps the first components' digests in their own dtype, to see which moved where."""
        if self.spool.count >= MARKED:
            return
        if batch.values is not None:
            own = [recorder.canonical_dtype(c.dtype) for c in self.schema.components]
            parts = parts if own == self.dtypes else digest_batch(batch.values, own)
        for index, marks in enumerate(self.marks):
            marks.update(d.tobytes() for d in parts[:, index])

    def _look_at(self, values: list[Any], count: int) -> None:
        for seen, value in zip(self.shapes, values, strict=True):
            shape = _shape_of(value)
            if shape in seen or len(seen) < 100:
                seen[shape] += count
        if self.key is not None and len(self.keys) < KEYS_KEPT:
            self.keys.extend(values[self.key].reshape(-1).tolist())
        if self.sampled < SAMPLE_EXAMPLES and self._room > 0:
            self.sample.append(values)
            self.sampled += count
            self._room -= sum(getattr(v, "nbytes", 1000) for v in values)

    def close(self) -> None:
        self.spool.close()


def _shape_of(value: Any) -> tuple[int, ...]:
    """The shape of a batch's examples; of sparse ones the dense shape, which digests do not see."""
    if recorder.kind_of(value) == "sparse":
        return tuple(int(n) for n in value.dense_shape[1:])
    return recorder.example_shapes(value, True)


def joined(batches: list[Delivered]) -> list[Delivered]:
    """The batches as one, if all are dense and of one shape but for the first axis."""
    first = batches[0]
    if len(batches) == 1 or first.values is None:
        return batches
    forms = [[_form(v) for v in b.values or ()] for b in batches]
    if None in forms[0] or any(form != forms[0] for form in forms[1:]):
        return batches
    columns = zip(*(b.values or () for b in batches), strict=True)
    values = [np.concatenate(column) for column in columns]
    return [Delivered(sum(b.count for b in batches), values)]


def size_of(batch: Delivered) -> int:
    """About how many bytes the batch's values take."""
    return sum(getattr(v, "nbytes", 100 * batch.count) for v in batch.values or ())


def sums_of(parts: Array) -> Array:
    """The sums (components, 2) of digests (n, components, 2), modulo 2^64.

    A column at a time, as the rows are short.
    """
    columns = parts.reshape(len(parts), -1).T
    sums = np.array([column.sum(dtype=np.uint64) for column in columns], np.uint64)
    return sums.reshape(-1, 2)


def _form(value: Any) -> tuple[Any, ...] | None:
    dense = recorder.kind_of(value) == "dense"
    return (value.dtype, value.shape[1:]) if dense else None


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
        raise ValueError(
            f"key={asked!r} is none of the components {schema.names}. "
            "Give one of these names, or an index from 0 on."
        )
    for index, value in enumerate(values or []):
        if not recorder.is_text(value) or value.ndim != 1 or not value.size:
            continue
        if all(isinstance(s, bytes) and _KEY.match(s) for s in value.tolist()):
            return index
    return None
