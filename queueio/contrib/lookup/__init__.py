"""`tf.contrib.lookup`: the tables that became `tf.lookup`, under their old names and arguments."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow.python.ops import lookup_ops

from queueio.contrib import names_of

v1 = tf.compat.v1
FastHashSpec = lookup_ops.FastHashSpec


class HashTable(lookup_ops.StaticHashTableV1):
    """A table that its initializer fills once; `init` is the op that does so.

    Args:
      initializer: what fills it, such as a KeyValueTensorInitializer.
      default_value: of the values' dtype, for keys that are not in it.
      shared_name: under which sessions share it, or None.
      name: of the op.
    """

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        shared_name: str | None = None,
        name: str | None = None,
    ) -> None:
        self._shared = shared_name
        super().__init__(initializer, default_value, name=name or "hash_table")

    def _create_resource(self) -> Any:
        if self._shared is not None:
            self._shared_name = self._shared
        return super()._create_resource()

    @property
    def init(self) -> Any:
        """The op that fills the table."""
        return self.initializer


def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    dtype: Any = tf.string,
    name: str | None = None,
) -> Any:
    """A table from each element of `mapping` to its index.

    Args:
      mapping: [n], distinct, of `dtype`.
      num_oov_buckets: how many more indices other keys are spread over.
      default_value: int64, for other keys where there are no such buckets.
      hasher_spec: how they are spread.
      dtype: of the keys: tf.string, tf.int32 or tf.int64.
      name: of the op.
    """
    return lookup_ops.index_table_from_tensor(
        mapping, num_oov_buckets, default_value, hasher_spec, dtype, name
    )


def string_to_index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = FastHashSpec,
    name: str | None = None,
) -> Any:
    """The same, for strings.

    Raises:
      ValueError: `mapping` holds no strings.
    """
    with v1.name_scope(name, "string_to_index") as scope:
        mapping = tf.convert_to_tensor(mapping)
    if mapping.dtype.base_dtype != tf.string:
        raise ValueError(f"string_to_index_table_from_tensor takes strings, not {mapping.dtype}")
    return index_table_from_tensor(mapping, num_oov_buckets, default_value, hasher_spec, name=scope)


def index_to_string_table_from_tensor(
    mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Any:
    """A table from each index of `mapping` to its string.

    Args:
      mapping: [n], string.
      default_value: for other indices.
      name: of the op.
    """
    return lookup_ops.index_to_string_table_from_tensor(mapping, default_value, name)


def string_to_index(
    tensor: Any, mapping: Any, default_value: int = -1, name: str | None = None
) -> Any:
    """The index in `mapping` of each string of a tensor; needs `tf.tables_initializer()`.

    Args:
      tensor: of any shape, string.
      mapping: [n], string.
      default_value: for strings that are not in it.
      name: of the op.

    Returns:
      int64, of the shape of `tensor`.
    """
    table = index_table_from_tensor(mapping, default_value=default_value, name=name)
    return table.lookup(tensor)


def index_to_string(
    tensor: Any, mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Any:
    """The string of `mapping` at each index of a tensor; needs `tf.tables_initializer()`.

    Args:
      tensor: of any shape, int64.
      mapping: [n], string.
      default_value: for indices that it does not have.
      name: of the op.

    Returns:
      string, of the shape of `tensor`.
    """
    return index_to_string_table_from_tensor(mapping, default_value, name).lookup(tensor)


__getattr__ = names_of(__name__)
