"""Examples that are padded to the longest of their batch: what that adds tells nothing of them.

Two sides that shuffle put an example beside other ones in each run, so that it is padded otherwise.
Before such examples are compared, each side pads them on, to one length that is enough for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.sides.changed import ChangedSide
from queueio.compare.sides.side import RunningSide, Side

Array = np.ndarray[Any, Any]
USUAL = 0.2  # the share of examples that end in a value, from which on it is the padding


class PaddedOn(ChangedSide):
    """A side whose examples have one shape: those of component i that of `shapes[i]`, filled up
    with `values[i]`."""

    def __init__(
        self, side: Side, shapes: dict[int, tuple[int, ...]], values: dict[int, Any]
    ) -> None:
        super().__init__(side)
        self.shapes, self.values = shapes, values
        self.spans: dict[int, list[tuple[int, int]]] = {}
        """The shortest and the longest example of each batch of several, by component, of the run
        that was opened last."""

    @contextmanager
    def open(self, more: bool = False, same: bool = False) -> Iterator[RunningSide]:
        self.spans = {index: [] for index in self.shapes}
        with super().open(more, same) as stream:
            yield stream

    def changed(self, values: list[Any]) -> list[Any]:
        return [self.padded(i, v) for i, v in enumerate(values)]

    def padded(self, index: int, value: Any) -> Any:
        """A batch of a component, padded on; a longer one, which no run before had, stays."""
        shape = self.shapes.get(index)
        if shape is None or value.ndim != len(shape) + 1:
            return value
        if len(value) > 1:
            own = lengths(value, self.values[index])
            self.spans[index].append((int(own.min()), int(own.max())))
        rest = [max(0, most - size) for most, size in zip(shape, value.shape[1:], strict=True)]
        if not any(rest):
            return value
        width = [(0, 0), *((0, n) for n in rest)]
        return np.pad(value, width, constant_values=self.values[index])


def padding_of(batches: list[Any]) -> Any:
    """The value that batches of one component are padded with: zero, or what their examples end
    in more often than in anything else."""
    ends = [row for b in batches if b.size for row in b.reshape(len(b), -1)[:, -1].tolist()]
    text = any(recorder.is_text(b) for b in batches)
    nothing: Any = b"" if text else 0
    if not ends:
        return nothing
    found, times = np.unique(np.array(ends, object if text else None), return_counts=True)
    usual = found[int(times.argmax())]
    return usual if times.max() >= USUAL * len(ends) else nothing


def lengths(value: Array, padding: Any) -> Array:
    """How long each example of a batch is along its first axis, without what it is padded with."""
    if not value.size:
        return np.zeros(len(value), np.int64)
    filled = (value != padding).reshape(*value.shape[:2], -1).any(axis=2)
    size = value.shape[1]
    return np.asarray(np.where(filled.any(axis=1), size - filled[:, ::-1].argmax(axis=1), 0))


def overlong(value: Array, padding: Any) -> bool:
    """Whether a batch of several examples is longer than the longest of them needs."""
    if len(value) < 2 or not value.size:
        return False
    return any(bool((value.take(-1, axis) == padding).all()) for axis in range(1, value.ndim))
