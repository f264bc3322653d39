"""What a feeding thread gives its enqueue op: the next rows of arrays, frames or generators."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.contrib.learn.padding import padded

Rows = Callable[[Any], list[Any]]


class RowFeeds:
    """Rows of tables, `batch_size` at a time, in a circle that begins at a row drawn at random.

    Attributes:
      count: how many rows there are.
      num_epochs: how often each is fed; None for ever.

    Args:
      placeholders: what is fed, one for each of `rows`' results.
      rows: what gives the values to feed for a list of row numbers.
      count: how many rows there are.
      batch_size: how many to feed at a time; fewer only at the end of the last epoch.
      random_start: whether to begin anywhere, not at row 0.
      seed: seed of that draw.
      num_epochs: how often each row is fed; None for ever.
    """

    def __init__(
        self,
        placeholders: list[Any],
        rows: Rows,
        count: int,
        batch_size: int,
        random_start: bool,
        seed: int | None,
        num_epochs: int | None,
    ) -> None:
        self._placeholders = placeholders
        self._rows = rows
        self.count = count
        self._batch_size = batch_size
        self._random_start, self._seed = random_start, seed
        self.num_epochs = num_epochs
        # A generator of its own draws as TF1 did, which seeded Python's own one anew.
        self._start = random.Random(seed).randrange(count) if random_start else 0
        self._fed = 0

    def __call__(self) -> dict[Any, Any]:
        """The next feeds.

        Raises:
          OutOfRangeError: all epochs were fed.
        """
        values = self.next_values()
        _end_at(values is None, self.num_epochs or 0)
        return dict(zip(self._placeholders, values or [], strict=True))

    def next_values(self) -> list[Any] | None:
        """What is fed next, in the order of the placeholders; None after the last epoch."""
        until = self._fed + self._batch_size
        if self.num_epochs is not None:
            until = min(until, self.num_epochs * self.count)
        if self._fed >= until:
            return None
        turn = [(self._start + i) % self.count for i in range(self._fed, until)]
        self._fed = until
        return self._rows(turn)

    def anew(self) -> RowFeeds:
        """The same feeds from the beginning, with a start drawn anew unless a seed decides it."""
        return RowFeeds(
            self._placeholders, self._rows, self.count, self._batch_size, self._random_start,
            self._seed, self.num_epochs,
        )  # fmt: skip

    def fills(self, placeholders: list[Any]) -> bool:
        """Whether these tensors are what it feeds, in this order."""
        return list(map(id, placeholders)) == list(map(id, self._placeholders))


class GeneratorFeeds:
    """Elements of a generator, which is called anew for each epoch.

    The count of a batch grows by one for each value of an element, not for each element; and a
    batch that an epoch's end would cut short is filled up from the next. Both are TF1's ways.

    Args:
      placeholders: what is fed, by the sorted keys of an element.
      generator: a function that gives a generator of dicts of arrays.
      batch_size: how many values to collect at least.
      num_epochs: after how many ends of the generator to stop; None for never.
      pad_value: what to fill shorter arrays with; None where all have one shape.
    """

    def __init__(
        self,
        placeholders: list[Any],
        generator: Callable[[], Any],
        batch_size: int,
        num_epochs: int | None,
        pad_value: Any,
    ) -> None:
        self._keys = sorted(next(generator()))
        self._placeholders = placeholders
        self._generator = generator
        self._elements = generator()
        self._batch_size = batch_size
        self._epochs = num_epochs
        self._pad_value = pad_value
        self._epoch = 0

    def __call__(self) -> dict[Any, Any]:
        """The next feeds.

        Raises:
          OutOfRangeError: all epochs were fed.
          KeyError: an element has other keys than the first.
        """
        _end_at(bool(self._epochs) and self._epoch >= (self._epochs or 0), self._epoch)
        rows: list[list[Any]] = []
        while len(rows) * len(self._keys) < self._batch_size:
            rows.append(self._row())
        columns = [list(column) for column in zip(*rows, strict=True)]
        if self._pad_value is not None:
            columns = [padded(column, self._pad_value) for column in columns]
        return dict(zip(self._placeholders, map(np.asarray, columns), strict=True))

    def _row(self) -> list[Any]:
        try:
            element = next(self._elements)
        except StopIteration:
            self._epoch += 1
            self._elements = self._generator()
            element = next(self._elements)
        missing = [key for key in self._keys if key not in element]
        if missing:
            raise KeyError(
                "key mismatch between dicts emitted by GenFun Expected"
                f" {self._keys} keys; got {element.keys()}"
            )
        return [element[key] for key in self._keys]


def _end_at(ended: bool, epochs: int) -> None:
    if ended:
        raise tf.errors.OutOfRangeError(None, None, f"Already emitted {epochs} epochs.")
