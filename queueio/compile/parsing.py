"""What is parsed out of serialized Examples, for many of them at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compile.content import Content
from queueio.compile.kernels import native


@dataclass(frozen=True)
class Features:
    """What an op of the user's graph parses out of one serialized Example.

    Attributes:
      op: the op; its outputs are indices, values and shapes of the sparse features, then the
        values of the dense ones.
      sparse: keys and dtypes of the sparse features.
      dense: keys and shapes of the dense ones.
      defaults: the default values of the dense ones, or empty where they have none.
    """

    op: tf.Operation
    sparse: tuple[tuple[bytes, tf.DType], ...]
    dense: tuple[tuple[bytes, tf.TensorShape], ...]
    defaults: tuple[tf.Tensor, ...]

    @classmethod
    def of(cls, op: tf.Operation) -> Features | None:
        """The features of an op that parses one Example into known shapes; None for another."""
        told = keys_of(op)
        if told is None:
            return None
        sparse_keys, dense_keys, defaults = told
        types = [tf.as_dtype(t) for t in op.get_attr("sparse_types")]
        shapes = [tf.TensorShape(s) for s in op.get_attr("dense_shapes")]
        if not all(shape.is_fully_defined() for shape in shapes):
            return None
        sparse = tuple(zip(sparse_keys, types, strict=True))
        return cls(op, sparse, tuple(zip(dense_keys, shapes, strict=True)), tuple(defaults))

    @property
    def record(self) -> tf.Tensor:
        """The serialized Example."""
        return self.op.inputs[0]

    @property
    def sparse_values(self) -> list[tuple[tf.Tensor, tf.Tensor, tf.Tensor]]:
        """Indices, values and shape of each sparse feature of an example."""
        n, outputs = len(self.sparse), self.op.outputs
        return [(outputs[i], outputs[n + i], outputs[2 * n + i]) for i in range(n)]

    @property
    def dense_values(self) -> list[tf.Tensor]:
        """Each dense feature of an example."""
        return list(self.op.outputs[3 * len(self.sparse) :])

    def only_sparse(self) -> Features:
        """Those that are sparse."""
        return replace(self, dense=(), defaults=())

    def rows(
        self, records: tf.Tensor, defaults: Sequence[tf.Tensor], contents: Sequence[bool]
    ) -> list[Any]:
        """The features of a vector of records, which are all dense.

        Args:
          records: serialized Examples, string [C].
          defaults: what stands for `self.defaults`.
          contents: which strings are wanted as their `Content`. That takes an op of our own; others
            come as strings all the same.
        """

        def plainly() -> list[tf.Tensor]:
            return list(self.parsed(records, defaults).dense_values)

        if not (self.are_simple(defaults) and native.parses_examples()):
            return plainly()
        dense = self._dense(defaults, contents)
        made = native.examples(records, dense, plainly)
        return [
            Content(values) if each.content else values
            for each, values in zip(dense, made, strict=True)
        ]

    def are_simple(self, defaults: Sequence[tf.Tensor]) -> bool:
        """Whether ops of ours know how many values each of them has, all of which are dense."""
        return bool(self.dense) and all(map(_is_simple, self.dense, defaults))

    def as_they_are_read(self, lengths: Sequence[int | None]) -> tuple[native.Dense, ...]:
        """What to ask a reader for; the defaults are constants.

        Args:
          lengths: of strings that are wanted as their `Content`, how long they are, 0 where nobody
            knows; None for all else.
        """
        constants = list(map(known_default, self.defaults))
        dense = self._dense(constants, [length is not None for length in lengths])
        return tuple(
            replace(each, length=length or 0) for each, length in zip(dense, lengths, strict=True)
        )

    def _dense(self, defaults: Sequence[Any], contents: Sequence[bool]) -> list[native.Dense]:
        return [
            native.Dense(
                key, shape, default, content and default.dtype == tf.string and not shape.rank
            )
            for (key, shape), default, content in zip(self.dense, defaults, contents, strict=True)
        ]

    def parsed(self, records: tf.Tensor, defaults: Sequence[tf.Tensor] | None = None) -> Any:
        """The features of a vector of records, as `tf.raw_ops.ParseExampleV2` gives them.

        Args:
          records: serialized Examples, string [C].
          defaults: what stands for `self.defaults`, which are tensors of the user's graph.
        """
        none = tf.zeros([0], tf.string)
        return tf.raw_ops.ParseExampleV2(
            serialized=records,
            names=none,
            sparse_keys=tf.constant([k for k, _ in self.sparse], tf.string, [len(self.sparse)]),
            dense_keys=tf.constant([k for k, _ in self.dense], tf.string, [len(self.dense)]),
            ragged_keys=none,
            dense_defaults=list(self.defaults if defaults is None else defaults),
            num_sparse=len(self.sparse),
            sparse_types=[t for _, t in self.sparse],
            ragged_value_types=[],
            ragged_split_types=[],
            dense_shapes=[s for _, s in self.dense],
        )


def known_default(default: tf.Tensor) -> np.ndarray | None:
    """The values of a default that the graph holds: an op may give it its feature's shape."""
    given = default.op.inputs[0] if default.op.type == "Reshape" else default
    value = tf.get_static_value(given)
    if value is None or not default.shape.is_fully_defined():
        return None
    return np.reshape(value, default.shape)


_MOST_VALUES = 1 << 20


def _is_simple(feature: tuple[bytes, tf.TensorShape], default: tf.Tensor) -> bool:
    """Whether an op of ours knows how many values it has, and how many its default."""
    _, shape = feature
    some = 0 < (shape.num_elements() or 0) <= _MOST_VALUES
    return some and (default.shape == shape or default.shape == [0])


def _single(op: tf.Operation) -> Any:
    return op.get_attr("sparse_keys"), op.get_attr("dense_keys"), list(op.inputs)[1:]


def _single_of_today(op: tf.Operation) -> Any:
    """TF2's parse_single_example is an op for any number of Examples, given one."""
    sparse, dense, ragged = (tf.get_static_value(t) for t in op.inputs[2:5])
    if sparse is None or dense is None or ragged is None or ragged.size:
        return None
    return list(sparse), list(dense), list(op.inputs)[5:]


def keys_of(op: tf.Operation) -> tuple[list[bytes], list[bytes], list[tf.Tensor]] | None:
    """Keys of the sparse and dense features that an op parses out of one Example, and the defaults
    of the dense ones; None for an op of another kind."""
    if op.type not in _FORMS or op.inputs[0].shape.rank != 0:
        return None
    found: tuple[list[bytes], list[bytes], list[tf.Tensor]] | None = _FORMS[op.type](op)
    return found


_FORMS = {"ParseSingleExample": _single, "ParseExampleV2": _single_of_today}
