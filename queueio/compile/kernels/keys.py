"""How a reader's keys stand beside its records: whole, or in the parts that they are made of."""

from __future__ import annotations

import enum

import tensorflow as tf

from queueio.compile.kernels.budget import Rows


class KeyForm(enum.IntEnum):
    """What a chunk has before its records' values.

    In parts they are two components: the name of the file, and the number of the line or record,
    or its offset. A pool moves those for less, and the keys are made once they have left it.
    """

    NONE = 0
    WHOLE = 1
    PARTS = 2


def keys_of(keys: KeyForm, names: tf.Tensor, numbers: tf.Tensor) -> Rows:
    """The components of keys `name:number`.

    Args:
      keys: which form they shall have.
      names: the name of the records' file, or one for each record.
      numbers: one for each record.
    """
    if keys == KeyForm.WHOLE:
        return (joined(names, numbers),)
    if keys == KeyForm.NONE:
        return ()
    if names.shape.rank == 0:
        names = tf.fill(tf.shape(numbers), shared(names))
    return names, tf.cast(numbers, tf.int64)


def shared(names: tf.Tensor) -> tf.Tensor:
    """The same names, whose copies share what they hold.

    So do those of what an op has joined; it hands a single string on as it is.
    """
    return tf.strings.join([names, ""])


def joined(names: tf.Tensor, numbers: tf.Tensor) -> tf.Tensor:
    """Keys of their parts."""
    return tf.strings.join([names, tf.strings.as_string(numbers)], ":")
