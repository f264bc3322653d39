"""A side whose batches are changed on their way, and which is the same in all else."""

from __future__ import annotations

import abc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from queueio.compare.sides.side import Delivered, RunningSide, Side


class _Stream(RunningSide):
    """A stream whose batches are changed."""

    def __init__(self, stream: RunningSide, side: ChangedSide) -> None:
        self.stream, self.side = stream, side
        self.schema, self.promised_pool = stream.schema, stream.promised_pool
        self.seeds, self.expected = stream.seeds, stream.expected
        self.seeded, self.draws = stream.seeded, stream.draws

    def batches(self) -> Iterator[Delivered]:
        for batch in self.stream.batches():
            assert batch.values is not None
            yield replace(batch, values=self.side.changed(batch.values))
        self.end = self.stream.end


class ChangedSide(Side):
    """A side that gives what `changed` makes of another one's batches."""

    def __init__(self, side: Side) -> None:
        super().__init__(side.label)
        self.side = side
        self.kind, self.repeatable, self.unbounded = side.kind, side.repeatable, side.unbounded

    @abc.abstractmethod
    def changed(self, values: list[Any]) -> list[Any]:
        """The components of a batch as they are given."""

    @contextmanager
    def open(self, more: bool = False, same: bool = False) -> Iterator[RunningSide]:
        with self.side.open(more, same) as stream:
            yield _Stream(stream, self)

    def rest(self) -> None:
        self.side.rest()

    def versions(self) -> dict[str, str]:
        return self.side.versions()
