"""Reads each file as one record.

Legacy:
    reader = tf.WholeFileReader()
    key, content = reader.read(tf.train.string_input_producer(["a.txt"], num_epochs=1))

Modern:
    names = tf.data.Dataset.from_tensor_slices(["a.txt"])
    dataset = names.map(tf.io.read_file)

Emits:
    key: string, shape (), the file's name; value: string, shape ()

Differs:
    The key is the name, so that a label can be cut out of the path; in the dataset, keep the
    name beside the content.

Raises:
    NotFoundError for a missing file, again at every further read: it never moves on.

The reader of image files: one file, one example. Opening files is then the cost, and several
threads help.

Source:
    tf.WholeFileReader of TensorFlow 1.15
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
from queueio.forensics.records import WHOLE_BYTES, FileRecord
from queueio.plan import Walk, lifts
from queueio.stages.readers.reader import ReaderBase, Records

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


class WholeFileReader(ReaderBase):
    """Gives (name, content) of every file."""

    def __init__(self, name: str | None = None) -> None:
        """Makes the reader.

        Args:
          name: name of the op (default "WholeFileReaderV2").

        Raises:
          RuntimeError: eager execution is on.
        """
        refuse_eager_reader("WholeFileReader")
        super().__init__(tf.raw_ops.WholeFileReaderV2(name=name), supports_serialize=True)


@dataclass(frozen=True)
class WholeFiles(Records):
    """Files as single records."""

    one_each: ClassVar[bool] = True
    most_together: ClassVar[int] = 32  # which nobody waits for long

    def dataset(self, name: Any) -> Any:
        """The one pair (file, content)."""
        return tf.data.Dataset.from_tensors(name).map(lambda file: (file, tf.io.read_file(file)))

    def chunks(self, names: Any, keys: KeyForm, dtype: Any) -> Any:
        """Chunks of one file."""
        return blocks.whole_files(names, keys) if dtype in (None, tf.string) else None

    def small(self, keys: KeyForm, dtype: Any) -> Any:
        """Light files, a chunk of them."""
        return blocks.small_whole_files(keys) if dtype == tf.string else None

    def to_source(self, writer: Writer, keys: bool) -> tuple[str | None, str]:
        """`tf.io.read_file`."""
        return ("lambda file: (file, tf.io.read_file(file))" if keys else "tf.io.read_file"), ""

    def walk(self, file: str) -> Iterator[FileRecord]:
        """The file, unless it is very large."""
        if os.path.getsize(file) <= WHOLE_BYTES:
            with open(file, "rb") as raw:
                yield FileRecord(file, None, raw.read())

    def count(self, file: str, budget: Budget) -> int:
        """One."""
        return 1


@lifts("WholeFileReader", "WholeFileReaderV2")
def lift(op: Any, walk: Walk) -> Records:
    """A whole file reader."""
    return WholeFiles()
