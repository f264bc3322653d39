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
    (the next read goes on with the next name), DataLossError for a corrupt record.

Every reader below is this one with another op; a key names the record it came with, which is
how an example is found again after shuffling.

Source:
    tf.ReaderBase of TensorFlow 1.15
"""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow as tf

from queueio.eager import refuse_eager

v1 = tf.compat.v1


class Record(NamedTuple):
    """What a read gives: the key of a record and its bytes (string tensors)."""

    key: Any
    value: Any


class ReaderBase(v1.ReaderBase):  # type: ignore[misc, name-defined]
    """Reads records from the files that a queue names; the kinds of reader extend it.

    Raises:
      RuntimeError: eager execution is on.
    """

    def __init__(self, reader_ref: Any, supports_serialize: bool = False) -> None:
        """Wraps a reader op.

        Args:
          reader_ref: the resource handle that the op gives.
          supports_serialize: whether its state can be saved and restored.
        """
        refuse_eager(type(self).__name__)
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next record.

        Args:
          queue: a queue of file names (a queue object, or its handle).
          name: name of the op.

        Returns:
          A pair (key, value) of string scalars.
        """
        record = tf.raw_ops.ReaderReadV2(
            reader_handle=self._reader_ref, queue_handle=_handle(queue), name=name
        )
        return Record(*record)

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """The next records of the current file.

        Args:
          queue: a queue of file names (a queue object, or its handle).
          num_records: how many records at most (int64 scalar); fewer at the end of a file.
          name: name of the op.

        Returns:
          A pair (keys, values) of string vectors.
        """
        records = tf.raw_ops.ReaderReadUpToV2(
            reader_handle=self._reader_ref,
            queue_handle=_handle(queue),
            num_records=num_records,
            name=name,
        )
        return Record(*records)

    def num_records_produced(self, name: str | None = None) -> Any:
        """How many records the reader gave so far (int64 scalar)."""
        return tf.raw_ops.ReaderNumRecordsProducedV2(reader_handle=self._reader_ref, name=name)

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """How many files the reader finished so far (int64 scalar)."""
        return tf.raw_ops.ReaderNumWorkUnitsCompletedV2(reader_handle=self._reader_ref, name=name)

    def serialize_state(self, name: str | None = None) -> Any:
        """The reader's state as a string scalar; UnimplementedError for most kinds."""
        return tf.raw_ops.ReaderSerializeStateV2(reader_handle=self._reader_ref, name=name)

    def restore_state(self, state: Any, name: str | None = None) -> Any:
        """An op that puts the reader into a state that `serialize_state` gave."""
        with tf.compat.v1.name_scope(name, "ReaderRestoreStateV2") as scope:
            state = tf.convert_to_tensor(state, tf.string, name="state")
            return tf.raw_ops.ReaderRestoreStateV2(
                reader_handle=self._reader_ref, state=state, name=scope
            )

    def reset(self, name: str | None = None) -> Any:
        """An op that puts the reader into its first, clean state."""
        return tf.raw_ops.ReaderResetV2(reader_handle=self._reader_ref, name=name)

    @property
    def reader_ref(self) -> Any:
        """The handle of the reader's resource."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether `serialize_state` and `restore_state` work on this kind of reader."""
        return self._supports_serialize


def _handle(queue: Any) -> Any:
    return queue if tf.is_tensor(queue) else queue.queue_ref
