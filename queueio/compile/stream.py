"""A stream on its way through a plan: element by element, or in chunks of elements.

Chunks are faster (queueio/compile/vectorise.py) but need dense tensors of one shape. Each stage
says which form it takes and gives; where they differ, a stream changes form here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import tensorflow as tf

from queueio.compile import deferred_ops
from queueio.compile.kernels.as_written import rebatched, unbatched
from queueio.compile.kernels.budget import bytes_of_row
from queueio.compile.kernels.file_pool import FilePool
from queueio.compile.kernels.keys import KeyForm
from queueio.compile.lots import Lots
from queueio.compile.pipeline import map_chunks
from queueio.compile.record_shuffle import RecordShuffle
from queueio.graph.fragment import Fragment

Captures = Mapping[str, Any] | None
CHUNK_ROWS = 1024


@dataclass(frozen=True)
class Stream:
    """A dataset whose elements, tuples of components, come one by one or in chunks.

    Attributes:
      given: the dataset, or what makes it where somebody asks for it; see `dataset`.
      chunked: which of the two.
      multiple: the rows of every chunk but the last are a multiple of this.
      row: the bytes of a row of chunks, where more is known than their dtypes tell.
      later: ops that were put off until examples are in batches, where they move more bytes.
      records: makes the dataset of chunks anew, with `keys` of some form and as numbers of a
        `dtype` or not, for who reads records only in part; see `Read`.
      parses: whether `records` takes a `Parsed` as well, for records without keys.
      numbered: whether the keys of these may come in parts.
      singles: makes a dataset of single records, strings, with the parts of their keys before them
        or not; None where there is no such form.
      pool: shuffles these, without their keys, as they are read; None where nothing can.
      record_shuffle: these records, where the elements are better shuffled before they are decoded.
      captures: what stands for variables and tables.
      slow: examples are made one by one: nothing should wait for more of them than it needs.
      singly: makes the dataset of single elements where they are made one by one at the end.
      buffered: elements are made ahead of time, but for what is not worth a thread's wait.
      batch: makes the components of a batch of rows, where they cannot stand in rows.
      pads: it pads them, as only some queues do.
      packed: rows hold tensors of any length, which only a batch can take.
      turn: how many rows one enqueue puts in, where it is many; 0 where they are a chunk's.
      last: where in a row an element's last component stands, if it is of one shape.
      unbatched: the same elements as they are, where `batch` is set.
      rows: makes the stream of the rows of elements, where these are lots of a reader's records, or
        made of their records one by one.
      lots: where they are those lots, these.
      stacks: makes the dataset of the same elements in stacks of up to so many, [k, ...] for each
        component, none of which waits for another; None where there is no such form.
    """

    given: tf.data.Dataset | Callable[[], tf.data.Dataset]
    chunked: bool = False
    multiple: int = 1
    row: int | None = None
    later: Fragment | None = None
    records: Callable[[KeyForm, Any], tf.data.Dataset | None] | None = None
    parses: bool = False
    numbered: bool = False
    singles: Callable[[KeyForm], tf.data.Dataset | None] | None = None
    pool: FilePool | None = None
    record_shuffle: RecordShuffle | None = None
    captures: Captures = None
    slow: bool = False
    singly: Callable[[], tf.data.Dataset] | None = None
    buffered: bool = False
    batch: Callable[..., tuple[Any, ...]] | None = None
    pads: bool = False
    packed: bool = False
    turn: int | None = None
    last: int = -1
    unbatched: Callable[[], Stream] | None = None
    rows: Callable[[], Stream] | None = None
    lots: Lots | None = None
    stacks: Callable[[int], tf.data.Dataset] | None = None

    @functools.cached_property
    def dataset(self) -> tf.data.Dataset:
        """The elements; chunks of them ([C, ...] for each component) where `chunked`."""
        return self.given() if callable(self.given) else self.given

    @property
    def bytes_of_row(self) -> int | None:
        """Bytes of a row of chunks; None where only the data tell."""
        return bytes_of_row(self.dataset) if self.row is None else self.row

    def settled(self) -> Stream:
        """The same stream with nothing put off."""
        if self.unbatched is not None:
            return self.unbatched()
        if self.later is None:
            return self
        applied = map_chunks if self.chunked else deferred_ops.apply
        dataset = applied(self.dataset, self.later, self.captures)
        return replace(
            self, given=dataset, row=None, later=None, records=None, singles=None,
            pool=None, record_shuffle=None,
        )  # fmt: skip

    def as_made(self) -> Stream:
        """The same stream, one by one where its elements are made so.

        For who hands rows on: those of a chunk that come before one that fails would be lost.
        """
        return self if self.singly is None else Stream(self.singly, captures=self.captures)

    def elements(self) -> tf.data.Dataset:
        """The dataset of single elements."""
        stream = self.settled()
        return unbatched(stream.dataset) if stream.chunked else stream.dataset

    def rebatched(self, rows: int) -> tf.data.Dataset:
        """The dataset of chunks of `rows` rows."""
        return rebatched(self.settled().dataset, rows)


def is_dense(elements: tuple[Any, ...]) -> bool:
    """Whether elements can be stacked into chunks: they are tensors, all of one shape."""
    return all(
        isinstance(spec, tf.TensorSpec) and spec.shape.is_fully_defined() for spec in elements
    )
