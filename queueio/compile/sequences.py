"""What is parsed out of records with lists of any length, for many records at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import tensorflow as tf

from queueio.compile.lists import Lists, ranges, sure
from queueio.compile.parsing import keys_of

ops = tf.raw_ops
Parsed = list["tf.Tensor | Lists"]
"""For each output of the op that parses one record, rows or lists."""


@dataclass(frozen=True)
class Sequences:
    """An op of the user's graph that parses one record, some of it of any length.

    Attributes:
      defaults: the default values of its dense features, tensors of the user's graph.
      parse: makes, of a vector of records and what stands for `defaults`, rows and lists.
    """

    defaults: tuple[tf.Tensor, ...]
    parse: Callable[[tf.Tensor, Sequence[tf.Tensor]], Parsed]

    @classmethod
    def of(cls, op: tf.Operation) -> Sequences | None:
        """The same for many records; None for an op of another kind."""
        if op.type not in _FORMS or op.inputs[0].shape.rank != 0:
            return None
        return _FORMS[op.type](op)


class _Names(NamedTuple):
    """The keys of an op's features."""

    sparse: list[bytes]
    rows: list[bytes]
    lists: list[bytes]
    may_miss: list[bool]


def _then(op: tf.Operation) -> Sequences | None:
    """tf.parse_single_sequence_example of TF1: an input for each key."""
    inputs = iter(op.inputs)
    next(inputs)
    missing = tf.get_static_value(next(inputs))
    kinds = ("context_sparse", "context_dense", "feature_list_sparse", "feature_list_dense")
    counts = [op.get_attr(f"N{kind}") for kind in kinds]
    keys = [[tf.get_static_value(next(inputs)) for _ in range(count)] for count in counts]
    if missing is None or any(key is None for each in keys for key in each):
        return None
    sparse, rows, sparse_lists, lists = ([_bytes(key) for key in each] for each in keys)
    told = [key in set(missing.ravel().tolist()) for key in lists]
    defaults = [next(inputs) for _ in rows]
    return None if sparse_lists else _sequences(op, _Names(sparse, rows, lists, told), defaults)


def _bytes(key: Any) -> bytes:
    return bytes(key.item() if hasattr(key, "item") else key)


def _today(op: tf.Operation) -> Sequences | None:
    """That of today: vectors of keys."""
    keys = [tf.get_static_value(tensor) for tensor in op.inputs[2:9]]
    if any(each is None for each in keys):
        return None
    sparse, rows, ragged, sparse_lists, lists, ragged_lists, told = (k.tolist() for k in keys)
    if ragged or sparse_lists or ragged_lists:
        return None
    return _sequences(op, _Names(sparse, rows, lists, told), list(op.inputs)[9:])


def _sequences(op: tf.Operation, names: _Names, defaults: list[tf.Tensor]) -> Sequences:
    types = op.get_attr("feature_list_dense_types")
    shapes = [tf.TensorShape(shape).as_list() for shape in op.get_attr("feature_list_dense_shapes")]

    def lists(records: tf.Tensor, number: int, made: Any) -> Lists:
        """Those of one key. What its steps hold is as long as it shall be, or the chunk fails."""
        outer, inner = (
            splits[number] for splits in
            (made.feature_list_ragged_outer_splits, made.feature_list_ragged_inner_splits)
        )  # fmt: skip
        right = [tf.equal(inner[1:] - inner[:-1], math.prod(shapes[number]))]
        if not names.may_miss[number]:
            empty = tf.gather(records, tf.where(tf.equal(outer[1:], outer[:-1]))[:, 0])
            right.append(_has(empty, names.lists[number], types[number], shapes[number]))
        values = tf.reshape(made.feature_list_ragged_values[number], [-1, *shapes[number]])
        return Lists(*sure(tf.concat(right, 0), values, outer))

    def parse(records: tf.Tensor, given: Sequence[tf.Tensor]) -> Parsed:
        made = _parse_sequences(
            records, context_dense_keys=names.rows, context_ragged_keys=names.sparse,
            feature_list_ragged_keys=names.lists, context_dense_defaults=list(given),
            context_dense_shapes=op.get_attr("context_dense_shapes"),
            context_ragged_value_types=op.get_attr("context_sparse_types"),
            context_ragged_split_types=[tf.int64] * len(names.sparse),
            feature_list_ragged_value_types=types,
            feature_list_ragged_split_types=[tf.int64] * len(types),
        )  # fmt: skip
        found = [lists(records, number, made) for number in range(len(names.lists))]
        lengths = [each.lengths for each in found] if op.type == "ParseSequenceExampleV2" else []
        sparse = map(Lists, made.context_ragged_values, made.context_ragged_row_splits)
        return [*_as_sparse(list(sparse)), *made.context_dense_values, *found, *lengths]

    return Sequences(tuple(defaults), parse)


def _has(records: tf.Tensor, key: bytes, dtype: tf.DType, shape: list[int]) -> tf.Tensor:
    """Fails where a record lacks a list; for those whose list has no steps."""
    made = _parse_sequences(
        records, feature_list_dense_keys=[key], may_miss=[False], Nfeature_list_dense=1,
        feature_list_dense_types=[dtype], feature_list_dense_shapes=[shape],
        context_dense_defaults=[], context_dense_shapes=[],
    )  # fmt: skip
    return tf.equal(made.feature_list_dense_lengths[0], 0)


def _parse_sequences(records: tf.Tensor, **features: Any) -> Any:
    """The op for many records; keys that are not given are none."""
    kinds = ("sparse", "dense", "ragged")
    for name in [f"{part}_{kind}_keys" for part in ("context", "feature_list") for kind in kinds]:
        features[name] = _vector(features.get(name, []), tf.string)
    may_miss = _vector(features.pop("may_miss", []), tf.bool)
    return ops.ParseSequenceExampleV2(
        serialized=records, debug_name=_vector([], tf.string),
        feature_list_dense_missing_assumed_empty=may_miss, **features,
    )  # fmt: skip


def _vector(values: list[Any], dtype: tf.DType) -> tf.Tensor:
    return tf.constant(values, dtype, [len(values)])


def _as_sparse(features: list[Lists]) -> Parsed:
    """Indices, values and shapes of sparse features, as of each record alone."""
    places = [ranges(tf.constant(0, tf.int64), each.lengths) for each in features]
    return [
        *(Lists(each.values[:, tf.newaxis], each.splits) for each in places),
        *features,
        *(each.lengths[:, tf.newaxis] for each in features),
    ]


def _example(op: tf.Operation) -> Sequences | None:
    """An Example, whose features of any length are ragged ones of many records."""
    told = keys_of(op)
    if told is None:
        return None
    sparse, keys, defaults = told
    shapes = [tf.TensorShape(shape) for shape in op.get_attr("dense_shapes")]
    dense = list(zip(keys, shapes, op.get_attr("Tdense"), defaults, strict=True))
    rows = [each for each in dense if each[1].is_fully_defined()]
    lists = [each for each in dense if not each[1].is_fully_defined()]
    if any(not each[1][1:].is_fully_defined() for each in lists):
        return None
    ragged = [*sparse, *(key for key, *_ in lists)]
    types = [*op.get_attr("sparse_types"), *(dtype for *_, dtype, _ in lists)]

    def parse(records: tf.Tensor, given: Sequence[tf.Tensor]) -> Parsed:
        made = ops.ParseExampleV2(
            serialized=records, names=_vector([], tf.string), sparse_keys=_vector([], tf.string),
            dense_keys=_vector([key for key, *_ in rows], tf.string),
            ragged_keys=_vector(ragged, tf.string), dense_defaults=list(given), num_sparse=0,
            sparse_types=[], ragged_value_types=types, ragged_split_types=[tf.int64] * len(types),
            dense_shapes=[shape for _, shape, *_ in rows],
        )  # fmt: skip
        found = map(Lists, made.ragged_values, made.ragged_row_splits)
        own = [next(found) for _ in sparse]
        of_rows = iter(made.dense_values)
        return [*_as_sparse(own),
                *(next(of_rows) if shape.is_fully_defined() else _in_parts(next(found), shape[1:])
                  for _, shape, *_ in dense)]  # fmt: skip

    return Sequences(tuple(default for *_, default in rows), parse)


def _in_parts(lists: Lists, shape: tf.TensorShape) -> Lists:
    """Lists of tensors of a shape, of lists of what these hold."""
    if not shape.rank:
        return lists
    size = math.prod(shape.as_list())
    (values,) = sure(tf.equal(lists.splits % size, 0), lists.values)
    return Lists(tf.reshape(values, [-1, *shape.as_list()]), lists.splits // size)


_FORMS: dict[str, Callable[[tf.Operation], Sequences | None]] = {
    "ParseSingleSequenceExample": _then, "ParseSequenceExampleV2": _today,
    "ParseSingleExample": _example, "ParseExampleV2": _example,
}  # fmt: skip
