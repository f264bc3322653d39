"""Enters a fragment behind the ops that only reinterpret a record's bytes.

Then blocks of fixed-length records need not become strings first.
"""

from __future__ import annotations

from collections.abc import Callable

import tensorflow as tf

from queueio.compile.kernels.as_written import mapped
from queueio.graph.fragment import Fragment


def enter(
    fragment: Fragment, read: Callable[[tf.DType], tf.data.Dataset | None]
) -> tuple[Fragment, Callable[[], tf.data.Dataset]]:
    """The fragment to run on records, and what makes the chunks that it takes.

    Args:
      fragment: takes a record as its last input, and perhaps the record's key before it.
      read: makes a dataset of chunks, with records of a dtype; None if that cannot be.
    """
    entry = bytes_entry(fragment)
    if entry is not None:
        numbers = entry.inputs[-1]
        chunks = read(numbers.dtype)
        if chunks is not None and chunks.element_spec[-1].shape[1] == numbers.shape.num_elements():
            shape = [-1, *numbers.shape]
            shaped = lambda *rows: (*rows[:-1], tf.reshape(rows[-1], shape))  # noqa: E731
            return entry, lambda: mapped(chunks, shaped)
    return fragment, lambda: read(tf.string)


def bytes_entry(fragment: Fragment) -> Fragment | None:
    """The fragment entered behind its DecodeRaw, if all it does with the record is decode it.

    That is behind a Reshape after it, which may be where the shape is known.
    """
    record = fragment.inputs[-1]
    if any(t is record for t in fragment.inputs[:-1]):
        return None
    decode = _only_user(fragment, record)
    if decode is None or decode.type != "DecodeRaw" or not decode.get_attr("little_endian"):
        return None
    numbers, removed = decoded(fragment, decode)
    if not numbers.shape.num_elements():
        return None
    ops = tuple(op for op in fragment.ops if op not in removed)
    inputs = (*fragment.inputs[:-1], numbers)
    return Fragment(fragment.graph, inputs, fragment.outputs, fragment.captures, ops)


def decoded(fragment: Fragment, decode: tf.Operation) -> tuple[tf.Tensor, tuple[tf.Operation, ...]]:
    """The numbers that a DecodeRaw gives, and the ops that make them.

    Those behind a Reshape of them, if they go nowhere else: it tells how many there must be.
    """
    numbers = decode.outputs[0]
    reshape = _only_user(fragment, numbers)
    if reshape is not None and _reshapes(reshape, numbers):
        return reshape.outputs[0], (decode, reshape)
    return numbers, (decode,)


def _reshapes(op: tf.Operation, numbers: tf.Tensor) -> bool:
    """Whether an op only gives `numbers` a known shape."""
    into_known = op.type == "Reshape" and op.outputs[0].shape.is_fully_defined()
    return into_known and op.inputs[0] is numbers


def _only_user(fragment: Fragment, tensor: tf.Tensor) -> tf.Operation | None:
    if any(t is tensor for t in fragment.outputs):
        return None
    users = [op for op in fragment.ops if any(t is tensor for t in op.inputs)]
    return users[0] if len(users) == 1 else None
