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

Unlike the readers of files it can save its state.

Source:
    tf.IdentityReader of TensorFlow 1.15
"""

from __future__ import annotations

import tensorflow as tf

from queueio.eager import refuse_eager
from queueio.stages.readers.reader import ReaderBase


class IdentityReader(ReaderBase):
    """Gives every entry of the queue as (entry, entry)."""

    def __init__(self, name: str | None = None) -> None:
        """Makes the reader.

        Args:
          name: name of the op (default "IdentityReaderV2").

        Raises:
          RuntimeError: eager execution is on.
        """
        refuse_eager("IdentityReader")
        super().__init__(tf.raw_ops.IdentityReaderV2(name=name), supports_serialize=True)
