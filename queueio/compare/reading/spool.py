"""All digests of a side, in order, in a file without a name: 16 bytes for each example."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
CHUNK = 1 << 18
BY_CHANCE = 1e-3  # once in so many, an order that came twice says nothing


class Spool:
    """Append digests (n, 2); read them back a chunk or a range at a time."""

    def __init__(self) -> None:
        self._file: Any = tempfile.TemporaryFile(prefix="queueio-digests-")  # noqa: SIM115
        self.count = 0

    def append(self, digests: Array) -> None:
        self._file.write(np.ascontiguousarray(digests).tobytes())
        self.count += len(digests)

    def read(self, start: int, stop: int) -> Array:
        """Digests start to stop (or the end), as (n, 2) uint64."""
        stop = min(stop, self.count)
        self._file.seek(16 * start)
        raw = self._file.read(16 * max(0, stop - start))
        self._file.seek(0, 2)
        return np.frombuffer(raw, np.uint64).reshape(-1, 2)

    def chunks(self) -> Iterator[tuple[int, Array]]:
        """(position of the first, digests) for all digests in order."""
        for start in range(0, self.count, CHUNK):
            yield start, self.read(start, start + CHUNK)

    def positions(self, digests: Array, at_most: int) -> Array:
        """Where any of the given digests stand, in order, the first `at_most` of them."""
        wanted = np.sort(digests[:, 0])
        found: list[Array] = []
        total = 0
        for start, chunk in self.chunks():
            here: Array = np.nonzero(member(chunk[:, 0], wanted))[0] + start
            found.append(here)
            total += len(here)
            if total >= at_most:
                break
        return np.concatenate(found)[:at_most] if found else np.zeros(0, np.int64)

    def close(self) -> None:
        self._file.close()


def table(digests: Iterable[bytes]) -> Array:
    """Digests, each of 16 bytes, as (n, 2) uint64."""
    return np.frombuffer(b"".join(digests), np.uint64).reshape(-1, 2)


def member(values: Array, ordered: Array) -> Array:
    """Which values occur in the sorted array."""
    if not len(ordered):
        return np.zeros(len(values), bool)
    places = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return np.asarray(ordered[places] == values)


def tells_order(lanes: Array) -> bool:
    """Whether these can hardly come in one order twice by chance: not two, nor twenty zeros."""
    _, repeats = np.unique(lanes[:64], return_counts=True)
    arrangements = math.lgamma(repeats.sum() + 1) - sum(math.lgamma(n + 1) for n in repeats)
    return arrangements > -math.log(BY_CHANCE)
