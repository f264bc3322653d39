"""What is parsed out of records with lists of any length, for many records at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import tensorflow as tf

from queueio.compile.parsing import keys_of

ops = tf.raw_ops


class Lists(NamedTuple):
    """Lists of many records: all values, and where those of each record begin (int64 [C + 1])."""

    values: tf.Tensor
    splits: tf.Tensor


Parsed = dict[str, "tf.Tensor | Lists"]
"""By the names of the single op's outputs, rows or lists."""


@dataclass(frozen=True)
class Sequences:
    """An op of the user's graph that parses one record, some of it of any length.

    Attributes:
      op: the op; what it gives that is sparse is left out.
      defaults: the default values of its dense features, tensors of the user's graph.
      parse: makes, of a vector of records and what stands for `defaults`, rows and lists.
    """

    op: tf.Operation
    defaults: tuple[tf.Tensor, ...]
    parse: Callable[[tf.Tensor, Sequence[tf.Tensor]], Parsed]

    @classmethod
    def of(cls, op: tf.Operation) -> Sequences | None:
        """The same for many records; None for an op of another kind."""
        if op.type not in _FORMS or op.inputs[0].shape.rank != 0:
            return None
        return _FORMS[op.type](op)

    @property
    def record(self) -> tf.Tensor:
        """The serialized record."""
        return self.op.inputs[0]


class _Names(NamedTuple):
    """Keys, and what the single op gives for each."""

    rows: list[bytes]
    of_rows: Sequence[tf.Tensor]
    lists: list[bytes]
    of_lists: Sequence[tf.Tensor]
    may_miss: list[bool]


def _then(op: tf.Operation) -> Sequences | None:
    """tf.parse_single_sequence_example of TF1: an input for each key."""
    inputs = iter(op.inputs)
    next(inputs)
    missing = tf.get_static_value(next(inputs))
    kinds = ("context_sparse", "context_dense", "feature_list_sparse", "feature_list_dense")
    sparse, dense, sparse_lists, lists = counts = [op.get_attr(f"N{kind}") for kind in kinds]
    keys = [[tf.get_static_value(next(inputs)) for _ in range(count)] for count in counts]
    if missing is None or any(key is None for each in keys for key in each):
        return None
    first = 3 * sparse
    of_lists = op.outputs[first + dense + 3 * sparse_lists :][:lists]
    told = [key in set(missing.ravel().tolist()) for key in map(_bytes, keys[3])]
    names = _Names(
        list(map(_bytes, keys[1])), op.outputs[first : first + dense],
        list(map(_bytes, keys[3])), of_lists, told,
    )  # fmt: skip
    return _sequences(op, names, [next(inputs) for _ in range(dense)])


def _bytes(key: Any) -> bytes:
    return bytes(key.item() if hasattr(key, "item") else key)


def _today(op: tf.Operation) -> Sequences | None:
    """That of today: vectors of keys."""
    keys = [tf.get_static_value(tensor) for tensor in op.inputs[2:9]]
    if any(each is None for each in keys) or keys[2].size or keys[5].size:
        return None
    first = 3 * op.get_attr("Ncontext_sparse")
    rows, lists = keys[1].tolist(), keys[4].tolist()
    behind = first + len(rows) + 3 * op.get_attr("Nfeature_list_sparse")
    names = _Names(
        rows, op.outputs[first : first + len(rows)], lists,
        op.outputs[behind : behind + len(lists)], keys[6].tolist(),
    )  # fmt: skip
    return _sequences(op, names, list(op.inputs)[9:])


def _sequences(op: tf.Operation, names: _Names, defaults: list[tf.Tensor]) -> Sequences:
    def parse(records: tf.Tensor, given: Sequence[tf.Tensor]) -> Parsed:
        empty = tf.zeros([0], tf.string)
        made = ops.ParseSequenceExampleV2(
            serialized=records, debug_name=empty, context_sparse_keys=empty,
            context_dense_keys=tf.constant(names.rows, tf.string, [len(names.rows)]),
            context_ragged_keys=empty, feature_list_sparse_keys=empty,
            feature_list_dense_keys=tf.constant(names.lists, tf.string, [len(names.lists)]),
            feature_list_ragged_keys=empty,
            feature_list_dense_missing_assumed_empty=tf.constant(
                names.may_miss, tf.bool, [len(names.may_miss)]
            ),
            context_dense_defaults=list(given),
            context_dense_shapes=op.get_attr("context_dense_shapes"),
            Nfeature_list_dense=len(names.lists),
            feature_list_dense_types=op.get_attr("feature_list_dense_types"),
            feature_list_dense_shapes=op.get_attr("feature_list_dense_shapes"),
        )  # fmt: skip
        rows = zip(names.of_rows, made.context_dense_values, strict=True)
        found: Parsed = {tensor.name: row for tensor, row in rows}
        padded = zip(made.feature_list_dense_values, made.feature_list_dense_lengths, strict=True)
        for tensor, (values, lengths) in zip(names.of_lists, padded, strict=True):
            ragged = tf.RaggedTensor.from_tensor(values, lengths=lengths)
            found[tensor.name] = Lists(ragged.values, ragged.row_splits)
        return found

    return Sequences(op, tuple(defaults), parse)


def _example(op: tf.Operation) -> Sequences | None:
    """An Example, whose dense features of any length are ragged ones of many records."""
    told = keys_of(op)
    if told is None:
        return None
    sparse, keys, defaults = told
    dense = op.outputs[3 * len(sparse) :][: len(keys)]
    features = list(zip(keys, dense, defaults, strict=True))
    rows = [each for each in features if each[1].shape.is_fully_defined()]
    lists = [each for each in features if not each[1].shape.is_fully_defined()]
    if any(not each[1].shape[1:].is_fully_defined() for each in lists):
        return None

    def parse(records: tf.Tensor, given: Sequence[tf.Tensor]) -> Parsed:
        none = tf.zeros([0], tf.string)
        made = ops.ParseExampleV2(
            serialized=records, names=none, sparse_keys=none,
            dense_keys=tf.constant([key for key, _, _ in rows], tf.string, [len(rows)]),
            ragged_keys=tf.constant([key for key, _, _ in lists], tf.string, [len(lists)]),
            dense_defaults=list(given), num_sparse=0, sparse_types=[],
            ragged_value_types=[t.dtype for _, t, _ in lists],
            ragged_split_types=[tf.int64] * len(lists),
            dense_shapes=[t.shape for _, t, _ in rows],
        )  # fmt: skip
        known = zip(rows, made.dense_values, strict=True)
        found: Parsed = {t.name: row for (_, t, _), row in known}
        ragged = zip(lists, made.ragged_values, made.ragged_row_splits, strict=True)
        for (_, tensor, _), values, splits in ragged:
            inner = tensor.shape[1:].num_elements()
            whole = tf.raw_ops.Assert(condition=tf.reduce_all(splits % inner == 0), data=[splits])
            with tf.control_dependencies([whole]):
                values = tf.reshape(values, [-1, *tensor.shape[1:]])
            found[tensor.name] = Lists(values, splits // inner)
        return found

    return Sequences(op, tuple(default for _, _, default in rows), parse)


_FORMS: dict[str, Callable[[tf.Operation], Sequences | None]] = {
    "ParseSingleSequenceExample": _then, "ParseSequenceExampleV2": _today,
    "ParseSingleExample": _example, "ParseExampleV2": _example,
}  # fmt: skip
