"""Sides that need no TensorFlow: their examples are in memory, and each run is the same again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.mixing.pool import leaving
from queueio.compare.sides.schema import Component, Schema
from queueio.compare.sides.side import CLEAN, Delivered, End, RunningSide, Side

Columns = dict[str, Any]
Draw = Callable[[np.random.Generator, Columns], Columns]


class Memory(Side):
    """Columns of numpy arrays, cut into batches.

    Args:
      data: a dict, a tuple or one array.
      size: of a batch; 0 delivers single examples.
      drop: whether a last batch that is smaller is left out.
      pool: of a shuffle; other orders each time it runs.
      epochs: how often all comes; `early`: shuffled one by one, not together.
      order: makes the order of one run, by a generator and the number of examples.
      draw: changes the columns of a run, after they were put in order.
      end: how it ends; KeyboardInterrupt stands for the user's.
      seed: of what this side draws.
      more: attributes of the side or of its stream, static `shapes` by name, whether `each` epoch
        is batched by itself, and whether it `repeats` its order by its seed, until it is run under
        others.
    """

    kind = "memory"

    def __init__(
        self, data: Any, size: int = 10, *, drop: bool = False, pool: int = 0, epochs: int = 1,
        early: bool = False, order: Any = None, draw: Draw | None = None, end: Any = CLEAN,
        seed: int = 1, **more: Any,
    ) -> None:  # fmt: skip
        super().__init__("memory")
        self.size, self.drop, self.pool, self.epochs, self.early = size, drop, pool, epochs, early
        self.order, self.draw, self.end, self.seed, self.more = order, draw, end, seed, more
        self.repeatable = more.get("repeatable", True)
        self.unbounded = more.get("unbounded", False)
        self.nest = data
        self.columns = {n: _array(v) for n, v in recorder.flatten(data)}
        self.runs = 0

    @contextmanager
    def open(self, more: bool = False, same: bool = False) -> Iterator[RunningSide]:
        self.runs += 1
        turn = 1 if self.more.get("repeats") and not same else self.runs
        yield _Stream(self, np.random.default_rng([self.seed, turn]))

    def versions(self) -> dict[str, str]:
        return {}

    def schema(self) -> Schema:
        """The components; the batch axis is known where all batches are full."""
        lead = [] if not self.size else [self.size if self.drop else None]
        shapes = self.more.get("shapes", {})
        made = [_component(n, v, lead, shapes) for n, v in self.columns.items()]
        return replace(Schema.of(recorder.structure_of(self.nest), made), batched=bool(self.size))

    def batches(self, total: int) -> Iterator[slice]:
        """Where the batches of so many examples begin and end."""
        step = self.size or 1
        whole = total // self.epochs if self.more.get("each") else total
        for first in range(0, total, max(1, whole)):
            stop = first + whole - (whole % step if self.drop else 0)
            for start in range(first, stop, step):
                yield slice(start, min(stop, start + step))

    def places(self, rng: np.random.Generator) -> Any:
        """Which examples come, in their order."""
        count = len(next(iter(self.columns.values())))
        if self.order is not None:
            return self.order(rng, count)
        total = count * self.epochs
        if self.pool and self.early:
            parts = [leaving(self.pool, count, rng, count) for _ in range(self.epochs)]
            return np.concatenate(parts)
        return (leaving(self.pool, total, rng, total) if self.pool else np.arange(total)) % count


class _Stream(RunningSide):
    def __init__(self, side: Memory, rng: np.random.Generator) -> None:
        self.side, self.rng, self.schema = side, rng, side.schema()
        self.promised_pool = side.more.get("promised")
        self.seeded = side.more.get("seeded", False)

    def batches(self) -> Iterator[Delivered]:
        side, places = self.side, self.side.places(self.rng)
        made = {n: v[places] for n, v in side.columns.items()}
        made = side.draw(self.rng, made) if side.draw else made
        for rows in side.batches(len(places)):
            yield Delivered(rows.stop - rows.start, [v[rows] for v in made.values()])
        if side.end is KeyboardInterrupt:
            raise KeyboardInterrupt
        self.end = side.end


def _array(value: Any) -> Any:
    made = np.asarray(value)
    return made.astype(object) if made.dtype.kind in "SU" else made


def _component(name: str, value: Any, lead: list[Any], shapes: dict[str, Any]) -> Component:
    dtype = "string" if value.dtype == object else value.dtype.name
    shape = shapes.get(name, (*lead, *value.shape[1:]))
    return Component(name, "dense", dtype, shape)


def failing(error: str = "DataLossError", message: str = "") -> End:
    return End("error", error, message)
