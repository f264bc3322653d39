"""Takes names from a queue and gives one record, with its key, at each evaluation.

Legacy:
    reader = tf.IdentityReader()
    key, value = reader.read(tf.train.string_input_producer(["a.txt"], shuffle=False))

Modern:
    names = tf.data.Dataset.from_tensor_slices(["a.txt"]).repeat()
    dataset = names.map(lambda name: (name, name))

Emits:
    key: string, shape (); value: string, shape ()

Differs:
    A reader is state of the session: it holds its open file from one evaluation to the next, and
    takes a name from the queue only when that file is used up. Several evaluations at once, by
    several threads, share the one file. `read_up_to` never crosses from one file to the next.

Raises:
    OutOfRangeError: the queue of names is closed and empty. NotFoundError for a missing file
    (the next read goes on with the next name, but for WholeFileReader, which tries again for
    ever), DataLossError for a corrupt record.

Every reader below is this one with another op; a key names the record it came with, which is
how an example is found again after shuffling.

Source:
    tf.ReaderBase of TensorFlow 1.15
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import tensorflow as tf

from queueio.compile.kernels import small_files
from queueio.compile.kernels.as_written import flat_mapped, rebatched
from queueio.compile.kernels.batches import of_whole_batches
from queueio.compile.kernels.budget import at_most
from queueio.compile.kernels.keys import KeyForm
from queueio.compile.kernels.side_by_side import interleaved, mixed
from queueio.compile.lots import Lots
from queueio.compile.stream import Stream
from queueio.eager import refuse_eager_reader
from queueio.errors import message
from queueio.forensics.records import FileKind
from queueio.forensics.sources import names_of
from queueio.forensics.traps import check_queue, check_read
from queueio.graph.devices import off_accelerator
from queueio.graph.origin import origin
from queueio.graph.traversal import type_of
from queueio.plan import Node, Walk, lifts
from queueio.plan.contract import lifter_of
from queueio.plan.node import Captures

if TYPE_CHECKING:
    from queueio.emit.writer import Writer

v1 = tf.compat.v1


class Record(NamedTuple):
    """What a read gives: the key of a record and its bytes (string tensors)."""

    key: Any
    value: Any


def _check_count(op: Any) -> None:
    # The op makes room for so many records before it reads one: of -1 the process died.
    count = tf.get_static_value(op.inputs[2])
    if count is not None and (count < 0).any():
        why = f"it is how many records {op.name} takes at most"
        do = "Give 1 or more; a file that has fewer ends a batch early"
        raise ValueError(message(f"num_records is {count}", why, do))


def check_not_negative(name: str, size: int | None, counts: str) -> None:
    """Refuses a negative argument of a reader, as its op does when it reads."""
    if size and size < 0:
        raise ValueError(message(f"{name} must be >= 0 not {size}", f"it counts {counts}"))


def whole_number(op: Any, name: str, walk: Walk) -> int:
    """An attribute of a reader's op, which reads nothing where that is negative."""
    value = int(op.get_attr(name))
    if value < 0:
        why = f"{name} is {value}, and it refuses that when it reads"
        raise walk.refuse(op, why, f"Give {name} 0 or more", never=True)
    return value


# Of the strings of a key and of a value, before what is in them.
_BYTES_OF_RECORD = 48


def _held(num_records: Any) -> Any:
    """`num_records`, or what memory can hold at most.

    The op makes room for so many records before it reads one, and the process dies where there is
    none: of "all of a file" said as two thousand million. TF1's strings took a third of it.
    """
    known = tf.get_static_value(num_records) if tf.is_tensor(num_records) else num_records
    if not hasattr(os, "sysconf") or not isinstance(known, (int, np.integer, np.ndarray)):
        return num_records
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    most = memory // _BYTES_OF_RECORD
    return most if np.ndim(known) == 0 and known > most else num_records


class ReaderBase(v1.ReaderBase):  # type: ignore[name-defined]
    """Reads records from the files that a queue names; the kinds of reader extend it.

    Raises:
      RuntimeError: eager execution is on.
    """

    _opens_files = True

    def __init__(self, reader_ref: Any, supports_serialize: bool = False) -> None:
        """Wraps a reader op.

        Args:
          reader_ref: the resource handle that the op gives.
          supports_serialize: whether its state can be saved and restored.
        """
        refuse_eager_reader(type(self).__name__)
        self._reader_ref = off_accelerator(reader_ref)
        self._supports_serialize = supports_serialize

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next record.

        Args:
          queue: a queue of file names (a queue object, or its handle).
          name: name of the op.

        Returns:
          A pair (key, value) of string scalars.

        Raises:
          ValueError: a pattern such as `data/*.csv` stands where a file's name is wanted.
        """
        record = tf.raw_ops.ReaderReadV2(
            reader_handle=self._reader_ref, queue_handle=handle_of(queue), name=name
        )
        return self._checked(Record(*record))

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """The next records of the current file.

        Args:
          queue: a queue of file names (a queue object, or its handle).
          num_records: how many records at most (int64 scalar); fewer at the end of a file. More
            than memory can hold is as much as it can.
          name: name of the op.

        Returns:
          A pair (keys, values) of string vectors.

        Raises:
          ValueError: `num_records` is known to be negative.
        """
        records = tf.raw_ops.ReaderReadUpToV2(
            reader_handle=self._reader_ref,
            queue_handle=handle_of(queue),
            num_records=_held(num_records),
            name=name,
        )
        _check_count(records.keys.op)
        return self._checked(Record(*records))

    def _checked(self, record: Record) -> Record:
        off_accelerator(record.key)
        if self._opens_files:
            check_read(record.key.op)
        return record

    def num_records_produced(self, name: str | None = None) -> Any:
        """How many records the reader gave so far.

        Args:
          name: name of the op.

        Returns:
          An int64 scalar.
        """
        return off_accelerator(
            tf.raw_ops.ReaderNumRecordsProducedV2(reader_handle=self._reader_ref, name=name)
        )

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """How many files the reader finished so far.

        Args:
          name: name of the op.

        Returns:
          An int64 scalar.
        """
        return off_accelerator(
            tf.raw_ops.ReaderNumWorkUnitsCompletedV2(reader_handle=self._reader_ref, name=name)
        )

    def serialize_state(self, name: str | None = None) -> Any:
        """The reader's state.

        Args:
          name: name of the op.

        Returns:
          A string scalar.

        Raises:
          UnimplementedError: when it is run; most kinds of reader have none that can be saved.
        """
        return off_accelerator(
            tf.raw_ops.ReaderSerializeStateV2(reader_handle=self._reader_ref, name=name)
        )

    def restore_state(self, state: Any, name: str | None = None) -> Any:
        """Puts the reader into a former state.

        Args:
          state: what `serialize_state` gave (string scalar).
          name: name of the op.

        Returns:
          The operation.

        Raises:
          UnimplementedError: when it is run; as `serialize_state`.
        """
        with tf.compat.v1.name_scope(name, "ReaderRestoreStateV2") as scope:
            state = tf.convert_to_tensor(state, tf.string, name="state")
            return off_accelerator(
                tf.raw_ops.ReaderRestoreStateV2(
                    reader_handle=self._reader_ref, state=state, name=scope
                )
            )

    def reset(self, name: str | None = None) -> Any:
        """Puts the reader into its first, clean state.

        Args:
          name: name of the op.

        Returns:
          The operation.
        """
        return off_accelerator(tf.raw_ops.ReaderResetV2(reader_handle=self._reader_ref, name=name))

    @property
    def reader_ref(self) -> Any:
        """The handle of the reader's resource."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether `serialize_state` and `restore_state` work on this kind of reader."""
        return self._supports_serialize


def _names_of(source: Stream) -> Any:
    """Names of files, one by one: scalars, which a variable of unknown shape does not tell."""
    return source.elements().map(
        lambda name: name if name.shape.rank == 0 else tf.ensure_shape(name, [])
    )


def handle_of(queue: Any) -> Any:
    check_queue(queue)
    return queue if tf.is_tensor(queue) else queue.queue_ref


@dataclass(frozen=True)
class Records(FileKind):
    """How one kind of file is read; each reader's own file has the subclass.

    Attributes:
      most_together: how many files `small` reads at a time.
      numbered: whether keys are `name:number`, which may come in these parts.
      resumes: whether a checkpoint can hold where a file's dataset stands.
    """

    most_together: ClassVar[int] = 64
    numbered: ClassVar[bool] = False
    resumes: ClassVar[bool] = True

    def dataset(self, name: Any) -> Any:
        """The records of the file `name` (string scalar): a dataset of (key, value)."""
        raise NotImplementedError

    @property
    def parses(self) -> bool:
        """Whether `chunks` and `small` can give what is parsed out of records without keys."""
        return False

    @property
    def size(self) -> int | None:
        """The bytes of every record; None where they differ."""
        return None

    def chunks(self, names: Any, keys: KeyForm, dtype: Any) -> Any:
        """The records of many files in chunks.

        Args:
          names: a dataset of file names.
          keys: whether the keys are wanted, before the values; in parts only where `numbered`.
          dtype: tf.string, or the number type to read the records' bytes as; or, where the reader
            `parses`, a `Parsed`.

        Returns:
          A dataset of ([keys,] values), each [C, ...]; None if the records have no form in
          numbers.
        """
        raise NotImplementedError

    def small(self, keys: KeyForm, dtype: Any) -> Any:
        """What reads light files together (`kernels.small_files.Small`); None if nothing does.

        Args:
          keys: as for `chunks`.
          dtype: as for `chunks`.
        """
        return None

    def singles(self, names: Any, keys: KeyForm) -> Any:
        """The records of many files one by one; None if chunks are all.

        Args:
          names: the dataset of the files' names.
          keys: none, for strings; or in parts, for (name, number, record).
        """
        return None

    def pool(self, names: Any) -> Any:
        """What shuffles the records of many files as they are read (`kernels.file_pool.FilePool`).

        Args:
          names: the dataset of the files' names.
        """
        return None

    def to_source(self, writer: Writer, keys: bool) -> tuple[str | None, str]:
        """How a file is read in the emitted module.

        Args:
          writer: the module's writer.
          keys: whether the elements are pairs (key, value), or values.

        Returns:
          A function of the name of a file for the one record that a file is, or None; and a
          function, or an expression of `file`, for the dataset of its records.
        """
        raise NotImplementedError(f"{type(self).__name__} has no source form")


@dataclass(frozen=True, kw_only=True, eq=False)
class Read(Node):
    """The records of the files that `input` names, with their keys."""

    input: Node
    records: Records
    num_readers: int
    """How many readers share the names; that many files are open at once."""
    num_records: int | None = None
    """How many records one element holds at most (`read_up_to`); None for a single record."""
    tells_reader: bool | None = None
    """True where an element ends with the number (int64 scalar) of the reader that read it."""
    only_heavy_files: bool | None = None
    """True where the files are known, and none was so light that it would be read with others."""

    work = "read"

    @property
    def resumes(self) -> bool:  # type: ignore[override]
        """As the kind of file does."""
        return self.records.resumes

    @property
    def bytes_of_strings(self) -> Mapping[int, int]:
        """What the reader was made with says how long its records are."""
        return {1: self.records.size} if self.records.size else {}

    @property
    def in_large_chunks(self) -> bool:
        """Blocks of files, and small files together."""
        return self.num_records is None and not self.tells_reader

    def calls(self, source: Node) -> str:
        """A queue that a reader takes from holds file names, whatever kind of queue it is."""
        return "FilenameQueue" if source.room is not None else super().calls(source)

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """The files' datasets one after the other, or a record of each open file in turn."""

        def of_file(name: Any) -> Any:
            records = self.records.dataset(name)
            return records if self.num_records is None else records.batch(self.num_records)

        def numbered(number: Any, name: Any) -> Any:
            return of_file(*name).map(lambda *record: (*record, number % self.num_readers))

        if self.num_readers == 1:
            return inputs[0].flat_map(of_file)
        if self.tells_reader:
            names = inputs[0].enumerate()
            return names.interleave(numbered, cycle_length=self.num_readers, block_length=1)
        return inputs[0].interleave(of_file, cycle_length=self.num_readers, block_length=1)

    def to_stream(self, *inputs: Any, captures: Captures = None) -> Any:
        """Blocks of the files; for `read_up_to` an element holds the rows of one chunk."""
        if self.tells_reader:
            return super().to_stream(*inputs, captures=captures)
        if self.num_records is None:
            return self._rows(inputs[0], captures)
        read = partial(self._side_by_side, _names_of(inputs[0]), KeyForm.WHOLE, tf.string)
        rows = partial(replace(self, num_records=None)._rows, inputs[0], captures)
        lot = self.num_records if self._mixes(inputs[0]) else None
        lots = Lots(partial(read, cut=of_whole_batches, lot=lot), self.num_records)
        return Stream(partial(read, cut=rebatched), rows=rows, lots=lots, captures=captures)

    def _rows(self, source: Stream, captures: Captures) -> Stream:
        """The records in chunks."""
        names = _names_of(source)
        mix, together = self._mixes(source), _is_quick(source) and not self.only_heavy_files

        def chunks(keys: KeyForm, dtype: Any) -> Any:
            small = self.records.small(keys, dtype) if together else None
            if small is not None:
                groups = at_most(source.settled().dataset, self.records.most_together, None)
                each = lambda names: self.records.chunks(names, keys, dtype)  # noqa: E731
                return small_files.together(groups, small, each, self.num_readers, mix)
            if self.num_readers == 1:
                return self.records.chunks(names, keys, dtype)
            if dtype not in (None, tf.string) and self.records.chunks(names, keys, dtype) is None:
                return None
            return self._side_by_side(names, keys, dtype, lot=1 if mix else None)

        # Most want no keys, or them in parts, and make chunks of their own.
        made = lambda: chunks(KeyForm.WHOLE, tf.string)  # noqa: E731
        alone = self.num_readers == 1
        singles = partial(self.records.singles, names) if alone else None
        return Stream(
            made, chunked=True, records=chunks, numbered=self.records.numbered, singles=singles,
            captures=captures, parses=self.records.parses,
            pool=self.records.pool(names) if alone else None,
        )  # fmt: skip

    def _mixes(self, source: Stream) -> bool:
        """Whether what several readers read mixes; where names come slowly nobody waits for two."""
        return _is_quick(source) and not self.records.one_each

    def _side_by_side(
        self, names: Any, keys: KeyForm, dtype: Any, cut: Any = None, lot: int | None = None
    ) -> Any:
        """The files side by side; the chunks of each of them as `cut` makes them lots.

        With `lot` they mix, so many records of a file at a time.
        """
        of_file = partial(self._of_file, keys=keys, dtype=dtype, cut=cut)
        if self.num_readers == 1:
            return flat_mapped(names, of_file)
        if lot is None:
            return interleaved(names, of_file, self.num_readers)
        return mixed(names, of_file, self.num_readers, lot)

    def _of_file(self, name: Any, *, keys: KeyForm, dtype: Any, cut: Any) -> Any:
        chunks = self.records.chunks(tf.data.Dataset.from_tensors(name), keys, dtype)
        return chunks if cut is None else cut(chunks, self.num_records)

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """The files' datasets, flat or interleaved; keys only where somebody uses them."""
        if self.tells_reader:
            return self._numbered_source(writer, *wanted)
        writer.purpose = "files"
        stream = writer.upstream(self.input, 0)
        keys = wanted != 1
        each, dataset = self.records.to_source(writer, keys)
        if each and self.num_records is None:
            stream = writer.step(self, stream, "map", each)
        elif self.num_readers == 1:
            of_file = self._source_of_file(writer, each, dataset)
            stream = writer.step(self, stream, "flat_map", of_file)
        else:
            of_file = self._source_of_file(writer, each, dataset)
            stream = writer.step(
                self, stream, "interleave", of_file, cycle_length=self.num_readers,
                notes=["The readers take turns here; which came first was a race there."],
            )  # fmt: skip
        return writer.arranged(stream, ("key", "record"), wanted) if keys else stream

    def _numbered_source(self, writer: Writer, _: int, wanted: Any) -> str:
        """The files' datasets interleaved, each element behind the number of its file."""
        writer.purpose = "files"
        stream = writer.upstream(self.input, 0)
        made = self._source_of_file(writer, *self.records.to_source(writer, wanted != 1))
        records = made.removeprefix("lambda file: ") if "lambda" in made else f"{made}(file)"
        numbers = "tf.data.Dataset.from_tensors(number).repeat()"
        stream = writer.step(
            self, stream, "enumerate().interleave",
            f"lambda number, file: tf.data.Dataset.zip(({numbers}, {records}))",
            cycle_length=self.num_readers,
            notes=["The readers take the files in turns here; who came first was a race there."],
        )  # fmt: skip
        if wanted in (1, (0, 1)):
            return stream
        parts = {0: "record[0]", 1: "record[1]", 2: "number"}
        return writer.arranged(stream, ("number", "record"), (2, wanted), parts.__getitem__)

    def _source_of_file(self, writer: Writer, each: str | None, dataset: str) -> str:
        """What makes a dataset of the name of a file; several records at once in a function."""
        if each:
            dataset = f"tf.data.Dataset.from_tensors(file).map({each})"
        elif "(" not in dataset and self.num_records is None:
            return dataset
        elif "(" not in dataset:
            dataset = f"{dataset}(file)"
        if self.num_records is None:
            return f"lambda file: {dataset}"
        name: str = writer.define(
            "records_at_once", ["file: tf.Tensor"],
            "The records of a file, several at once; never of two files.",
            ("records = ", dataset), ("return ", f"records.batch({self.num_records})"),
        )  # fmt: skip
        return name


def _is_quick(names: Stream) -> bool:
    """Whether many names come at once."""
    return names.chunked and not names.slow


@lifts("ReaderRead", "ReaderReadV2", "ReaderReadUpTo", "ReaderReadUpToV2")
def lift(op: Any, walk: Walk) -> Node:
    """A read op: what kind of reader it is, the reader's own stage says."""
    reader = op.inputs[0].op
    while reader.type in ("Identity", "RefIdentity"):
        reader = reader.inputs[0].op
    records_of = lifter_of(type_of(reader))
    if records_of is None:
        raise walk.refuse(reader, "queueio does not know this kind of reader")
    up_to, tells_reader = "UpTo" in type_of(op), walk.tells_readers(op)
    number = [tf.TensorSpec([], tf.int64)] if tells_reader else []
    return Read(
        name=op.name,
        origin=origin(op),
        elements=(*(tf.TensorSpec(t.shape, t.dtype) for t in op.outputs), *number),
        input=walk.queue(op.inputs[1], op),
        records=records_of(reader, walk),
        num_readers=walk.readers_beside(op),
        num_records=int(walk.constant(op.inputs[2], "num_records")) if up_to else None,
        tells_reader=tells_reader or None,
        only_heavy_files=small_files.are_heavy(names_of(op)) or None,
    )
