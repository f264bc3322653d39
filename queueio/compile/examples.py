"""Parses a chunk of `tf.train.Example`s by cutting out columns, where their forms agree.

    records ─▶ all of one length? ─▶ bytes [C, L] ─▶ all but the values equal? ─▶ columns
                     └── no ─────────────────────────────────┴── no ─▶ ParseExample

The first record of a chunk says where the values lie (wire.py). Every other byte of every other
record must be the same, down to the bits that say how long an integer is; then the values are
where the first record's are. A feature that is only decoded becomes numbers with no string
between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compile import wire
from queueio.compile.entry import decoded, entered
from queueio.compile.fragment import Fragment

_KINDS = {tf.string: wire.BYTES, tf.float32: wire.FLOATS, tf.int64: wire.INTS}
_BITS = (tf.uint8, tf.int8, tf.uint16, tf.int16, tf.int32, tf.int64,
         tf.float16, tf.float32, tf.float64)  # fmt: skip
_VALUE_BITS = np.uint8(127)
_CONTINUES = np.uint8(128)


@dataclass(frozen=True)
class Feature:
    """A feature of fixed length: what is wanted of a record, and the tensor that it makes."""

    key: bytes
    wanted: wire.Wanted
    tensor: tf.Tensor


@dataclass(frozen=True)
class Examples:
    """A fragment's parsing op, taken apart.

    Attributes:
      place: which input of the fragment is the record.
      features: what the op gives, each decoded as far as possible.
      parse: the ops from the record to the features' tensors.
      rest: the fragment from its inputs and these tensors on.
    """

    place: int
    features: tuple[Feature, ...]
    parse: Fragment
    rest: Fragment


def examples(fragment: Fragment) -> Examples | None:
    """The one op of `fragment` that parses an input as an Example of dense features, if any."""
    for op in fragment.ops:
        if op.type in ("ParseSingleExample", "ParseExampleV2"):
            places = [i for i, t in enumerate(fragment.inputs) if t is op.inputs[0]]
            if places:
                return _taken_apart(fragment, op, places[0])
    return None


def _taken_apart(fragment: Fragment, op: tf.Operation, place: int) -> Examples | None:
    removed, features = [op], []
    shapes = [tf.TensorShape(shape) for shape in op.get_attr("dense_shapes")]
    outputs = op.outputs[len(op.outputs) - len(shapes) :]
    for key, shape, tensor in zip(_keys(op), shapes, outputs, strict=True):
        count, length = shape.num_elements(), None
        if not count or (tensor.dtype == tf.string and shape.rank != 0):
            return None
        found = decoded(fragment, tensor) if tensor.dtype == tf.string else None
        if found is not None and found[1].dtype in _BITS:
            ops, tensor = found
            removed += ops
            length = tensor.shape.num_elements() * tensor.dtype.size
        kind = wire.BYTES if found else _KINDS[tensor.dtype]
        features.append(Feature(key, wire.Wanted(kind, count, length), tensor))
    tensors = tuple(f.tensor for f in features)
    parse = Fragment(fragment.graph, fragment.inputs, tensors, fragment.captures, fragment.ops)
    rest = entered(fragment, (*fragment.inputs, *tensors), removed)
    return Examples(place, tuple(features), parse.narrowed(), rest)


def _keys(op: tf.Operation) -> list[bytes]:
    if op.type == "ParseSingleExample":
        return [k if isinstance(k, bytes) else k.encode() for k in op.get_attr("dense_keys")]
    return list(np.asarray(tf.get_static_value(op.inputs[3])).tolist())


def columns(records: tf.Tensor, features: tuple[Feature, ...], parse: Any) -> tuple[tf.Tensor, ...]:
    """The features of a chunk of records, [C, ...] each; `parse()` gives them the slow way."""
    length = tf.strings.length(records)
    first = tf.reshape(records[:1], [-1])
    found, *layout = _layout(first, {f.key: f.wanted for f in features})
    alike = tf.logical_and(found, tf.reduce_all(tf.equal(length, length[:1])))

    def cut() -> tuple[tf.Tensor, ...]:
        data = tf.reshape(tf.io.decode_raw(records, tf.uint8), [-1, length[0]])
        same = _same_form(data, *layout[:3])
        return tf.cond(same, lambda: _values(records, data, features, *layout[3:]), parse)

    return tuple(tf.cond(alike, cut, parse))


def _layout(first: tf.Tensor, wanted: Mapping[bytes, wire.Wanted]) -> Any:
    """Whether there is a layout; the columns to compare, with masks and values; the columns of
    the features: starts, ends, and for integers each byte with its mask."""

    def walk(first: Any) -> Any:
        return _walk(first.tolist(), wanted)

    types = (tf.bool, tf.int32, tf.uint8, tf.uint8, tf.int32, tf.int32, tf.int32, tf.int64)
    found = tf.numpy_function(walk, [first], types, stateful=False)
    shapes: Any = (
        [],
        [None],
        [None],
        [None],
        [len(wanted)],
        [len(wanted)],
        [None, None],
        [None, None],
    )
    return [tf.ensure_shape(t, s) for t, s in zip(found, shapes, strict=True)]


def _walk(first: list[bytes], wanted: Mapping[bytes, wire.Wanted]) -> Any:
    none: Any = np.zeros(0, np.uint8)
    count: Any = np.zeros(len(wanted), np.int32)
    try:
        (record,) = first
        spans = wire.find(record, wanted)
    except (wire.Unlike, ValueError):
        nowhere: Any = np.zeros([0, 1], np.int32)
        return (np.bool_(False), none.astype(np.int32), none, none, count, count,
                nowhere, nowhere.astype(np.int64))  # fmt: skip
    mask: Any = np.full(len(record), 255, np.uint8)
    ints: list[wire.Span] = []
    for key, feature in wanted.items():
        for start, end in spans[key]:
            mask[start:end] = _CONTINUES if feature.kind == wire.INTS else 0
        ints += spans[key] if feature.kind == wire.INTS else []
    compared: Any = np.flatnonzero(mask).astype(np.int32)
    expected = np.frombuffer(record, np.uint8)[compared] & mask[compared]
    starts = np.array([spans[key][0][0] for key in wanted], np.int32)
    ends = np.array([spans[key][-1][1] for key in wanted], np.int32)
    return np.bool_(True), compared, mask[compared], expected, starts, ends, *_bytes_of(ints)


def _bytes_of(ints: list[wire.Span]) -> tuple[Any, Any]:
    """For each integer the places of its bytes and their masks, as wide as the longest."""
    width = max((end - start for start, end in ints), default=1)
    places: Any = np.zeros([len(ints), width], np.int32)
    masks: Any = np.zeros([len(ints), width], np.int64)
    for i, (start, end) in enumerate(ints):
        places[i, : end - start] = np.arange(start, end)
        masks[i, : end - start] = _VALUE_BITS
    return places, masks


def _same_form(
    data: tf.Tensor, compared: tf.Tensor, masks: tf.Tensor, expected: tf.Tensor
) -> tf.Tensor:
    bits = tf.bitwise.bitwise_and(tf.gather(data, compared, axis=1), masks)
    return tf.reduce_all(tf.equal(bits, expected))


def _values(
    records: tf.Tensor,
    data: tf.Tensor,
    features: tuple[Feature, ...],
    starts: tf.Tensor,
    ends: tf.Tensor,
    places: tf.Tensor,
    masks: tf.Tensor,
) -> tuple[tf.Tensor, ...]:
    ints = _ints(data, places, masks)
    values, taken = [], 0
    for i, feature in enumerate(features):
        tensor, wanted = feature.tensor, feature.wanted
        if tensor.dtype == tf.string:
            value = tf.strings.substr(records, starts[i], ends[i] - starts[i])
        elif wanted.kind == wire.INTS:
            value = ints[:, taken : taken + wanted.count]
            taken += wanted.count
        else:
            value = _numbers(data[:, starts[i] : ends[i]], tensor.dtype)
        values.append(tf.reshape(value, [-1, *tensor.shape]))
    return tuple(values)


def _numbers(columns: tf.Tensor, dtype: tf.DType) -> tf.Tensor:
    if dtype == tf.uint8:
        return columns
    if dtype.size == 1:
        return tf.bitcast(columns, dtype)
    count = tf.shape(columns)[1] // dtype.size
    return tf.bitcast(tf.reshape(columns, [-1, count, dtype.size]), dtype)


def _ints(data: tf.Tensor, places: tf.Tensor, masks: tf.Tensor) -> tf.Tensor:
    """Varints, seven bits of each byte, the lowest first."""
    found = tf.cast(tf.gather(data, places, axis=1), tf.int64)
    shifts = 7 * tf.range(tf.shape(places, tf.int64)[1])
    parts = tf.bitwise.left_shift(tf.bitwise.bitwise_and(found, masks), shifts)
    return tf.reduce_sum(parts, axis=2)
