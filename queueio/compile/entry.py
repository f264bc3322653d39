"""Enters a fragment behind the ops that only reinterpret a record's bytes.

Then blocks of fixed-length records, or the payloads of Examples, need not become strings first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from queueio.compile.fragment import Fragment


def enter(fragment: Fragment, read: Callable[[Any], Any]) -> tuple[Fragment, Any]:
    """The fragment to run on records, and the chunks that it takes.

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
            return entry, chunks.map(lambda *rows: (*rows[:-1], tf.reshape(rows[-1], shape)))
    return fragment, read(tf.string)


def bytes_entry(fragment: Fragment) -> Fragment | None:
    """The fragment entered behind its DecodeRaw, if all it does with the record is decode it."""
    record = fragment.inputs[-1]
    if any(t is record for t in fragment.inputs[:-1]):
        return None
    found = decoded(fragment, record)
    if found is None:
        return None
    removed, numbers = found
    return entered(fragment, (*fragment.inputs[:-1], numbers), removed)


def decoded(fragment: Fragment, text: tf.Tensor) -> tuple[list[tf.Operation], tf.Tensor] | None:
    """The DecodeRaw that alone uses `text`, and its result where the shape is known.

    That may be after a Reshape. Returns (these ops, the tensor that they make).
    """
    decode = _only_user(fragment, text)
    if decode is None or decode.type != "DecodeRaw" or not decode.get_attr("little_endian"):
        return None
    numbers, removed = decode.outputs[0], [decode]
    if not numbers.shape.is_fully_defined():
        reshape = _only_user(fragment, numbers)
        if reshape is None or reshape.type != "Reshape" or numbers is not reshape.inputs[0]:
            return None
        numbers, removed = reshape.outputs[0], [decode, reshape]
    if not numbers.shape.num_elements():
        return None
    return removed, numbers


def _only_user(fragment: Fragment, tensor: tf.Tensor) -> tf.Operation | None:
    if any(t is tensor for t in fragment.outputs):
        return None
    users = [op for op in fragment.ops if any(t is tensor for t in op.inputs)]
    return users[0] if len(users) == 1 else None


def entered(
    fragment: Fragment, inputs: tuple[tf.Tensor, ...], removed: list[tf.Operation]
) -> Fragment:
    """The same outputs from later `inputs`, without the ops that made these."""
    ops = tuple(op for op in fragment.ops if op not in removed)
    return Fragment(fragment.graph, inputs, fragment.outputs, fragment.captures, ops)
