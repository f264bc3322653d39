"""Hands the entries of a queue through, as key and as value.

Legacy:
    reader = tf.IdentityReader()
    key, value = reader.read(tf.train.string_input_producer(["a.txt", "b.txt"], num_epochs=1))

Modern:
    names = tf.data.Dataset.from_tensor_slices(["a.txt", "b.txt"])
    dataset = names.map(lambda name: (name, name))

Emits:
    key: string, shape (); value: string, shape (), equal to the key

Differs:
    Nothing is read. It is the reader for work that is not a file, and for tests.

Raises:
    OutOfRangeError when the queue is closed and empty.

It can save its state, as WholeFileReader can and no other reader.

Source:
    tf.IdentityReader of TensorFlow 1.15
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import tensorflow as tf

from queueio.compile.kernels import blocks
from queueio.compile.kernels.keys import KeyForm
from queueio.eager import refuse_eager_reader
from queueio.forensics.location import Budget
from queueio.forensics.records import FileRecord
from queueio.plan import Walk, lifts
from queueio.stages.readers.reader import ReaderBase, Records

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


class IdentityReader(ReaderBase):
    """Gives every entry of the queue as (entry, entry)."""

    _opens_files = False

    def __init__(self, name: str | None = None) -> None:
        """Makes the reader.

        Args:
          name: name of the op (default "IdentityReaderV2").

        Raises:
          RuntimeError: eager execution is on.
        """
        refuse_eager_reader("IdentityReader")
        super().__init__(tf.raw_ops.IdentityReaderV2(name=name), supports_serialize=True)


@dataclass(frozen=True)
class Entries(Records):
    """Queue entries as records."""

    one_each: ClassVar[bool] = True

    def dataset(self, name: Any) -> Any:
        """The one pair (entry, entry)."""
        return tf.data.Dataset.from_tensors((name, name))

    def chunks(self, names: Any, keys: KeyForm, dtype: Any) -> Any:
        """Chunks of entries."""
        return blocks.identity(names, keys) if dtype in (None, tf.string) else None

    def to_source(self, writer: Writer, keys: bool) -> tuple[str | None, str]:
        """The name itself."""
        return ("lambda entry: (entry, entry)" if keys else "lambda entry: entry"), ""

    def walk(self, file: str) -> Iterator[FileRecord]:
        """The name itself."""
        yield FileRecord(file, None, os.fsencode(file))

    def count(self, file: str, budget: Budget) -> int:
        """One."""
        return 1


@lifts("IdentityReader", "IdentityReaderV2")
def lift(op: Any, walk: Walk) -> Records:
    """An identity reader."""
    return Entries()
