"""Examples that are parsed as they are read: no record becomes a string on its way.

    files ─▶ records ─▶ [ParseSingleExample ─▶ DecodeRaw ─▶ the user's other ops]
    files ─▶ bytes, numbers ─▶ [the user's other ops]

One thread reads a file, so that it parses no more features than take it as long as reading.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from queueio.compile.content import Content, is_only_decoded
from queueio.compile.entry import decoded
from queueio.compile.kernels import native
from queueio.compile.kernels.budget import Rows
from queueio.compile.parsing import Features, known_default
from queueio.compile.replay import guarded
from queueio.compile.vectorise import Chunked, vectorise
from queueio.graph.fragment import Fragment

_MOST_FEATURES = 8


def parsed_first(fragment: Fragment) -> tuple[native.Parsed, Fragment] | None:
    """What of a fragment can be done with records as they are read, and the rest of it.

    Args:
      fragment: takes nothing but a record, and all its ops take chunks.

    Returns:
      What stands for the records, and the fragment of what is made of them; None where the
      fragment does anything else with a record than parse it, or where there is no op for that.
    """
    (record,) = fragment.inputs
    features = _features(fragment, record)
    if features is None or not native.reads_examples():
        return None
    made_of = [_decoded(fragment, value) for value in features.dense_values]
    taken: list[tf.Tensor] = []
    for value, ends in zip(features.dense_values, made_of, strict=True):
        taken += [numbers for numbers, _ in ends] or [value]
    head = Fragment.between([record], taken)
    (piece,) = vectorise(head)
    assert isinstance(piece, Chunked)
    dense = features.as_they_are_read([_length(ends) if ends else None for ends in made_of])

    def made(values: Sequence[tf.Tensor]) -> Rows:
        rows: list[tf.Tensor] = []
        for value, ends in zip(values, made_of, strict=True):
            rows += [_numbers(value, numbers) for numbers, _ in ends] or [value]
        return tuple(rows)

    removed = {features.op, *(op for ends in made_of for _, ops in ends for op in ops)}
    ops = tuple(op for op in fragment.ops if op not in removed)
    rest = Fragment(fragment.graph, tuple(taken), fragment.outputs, fragment.captures, ops)
    parsed = native.Parsed(dense, made, functools.partial(guarded, pieces=[piece]))
    return parsed, rest


def _features(fragment: Fragment, record: tf.Tensor) -> Features | None:
    """What the only op that takes a record parses out of it; None where that is too much."""
    users = _users(fragment, record)
    if len(users) != 1 or users[0].control_inputs or any(t is record for t in fragment.outputs):
        return None
    features = Features.of(users[0])
    if features is None or features.sparse or not 0 < len(features.dense) <= _MOST_FEATURES:
        return None
    known = all(known_default(default) is not None for default in features.defaults)
    return features if known and features.are_simple(features.defaults) else None


_Decoded = tuple[tuple[tf.Tensor, tuple[tf.Operation, ...]], ...]
"""Numbers that are the bytes of a string, and the ops that make them of it."""


def _decoded(fragment: Fragment, value: tf.Tensor) -> _Decoded:
    """What is made of a string, where that is nothing but bytes, and all agree on how many."""
    users = _users(fragment, value)
    left = value.shape.rank != 0 or any(t is value for t in fragment.outputs)
    if value.dtype != tf.string or left or not is_only_decoded(users):
        return ()
    ends = tuple(decoded(fragment, op) for op in users)
    plain = all(
        numbers.dtype.size == 1 and not any(op.control_inputs for op in ops)
        for numbers, ops in ends
    )
    lengths = {numbers.shape.num_elements() for numbers, _ in ends}
    return ends if plain and len(lengths) == 1 and 0 not in lengths else ()


def _length(ends: _Decoded) -> int:
    """How many bytes the program says there are; 0 where it does not."""
    return ends[0][0].shape.num_elements() or 0


def _numbers(content: tf.Tensor, like: tf.Tensor) -> tf.Tensor:
    """The bytes of a chunk as numbers, each example's in the shape of `like`."""
    numbers = Content(content).decoded(like.dtype)
    shape = like.shape
    return tf.reshape(numbers, [-1, *shape.as_list()]) if shape.is_fully_defined() else numbers


def _users(fragment: Fragment, tensor: tf.Tensor) -> tuple[Any, ...]:
    return tuple(op for op in fragment.ops if any(t is tensor for t in op.inputs))
