"""How the parsed features of an Example become an item; `tfexample_decoder` shows these names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


class ItemHandler(ABC):
    """Makes an item of some of an Example's features.

    Args:
      keys: the name of a feature, or a list of names.
    """

    def __init__(self, keys: Any) -> None:
        self._keys = keys if isinstance(keys, (tuple, list)) else [keys]

    @property
    def keys(self) -> Any:
        """The names of the features."""
        return self._keys

    @abstractmethod
    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """Makes the item.

        Args:
          keys_to_tensors: for each of the keys the parsed feature, a Tensor or SparseTensor.

        Returns:
          The item's tensor.
        """


class ItemHandlerCallback(ItemHandler):
    """Makes an item by a function of the program's own.

    Args:
      keys: the name of a feature, or a list of names.
      func: a function of a dict from name to parsed feature; it returns the item.
    """

    def __init__(self, keys: Any, func: Callable[[dict[str, Any]], Any]) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """What the function returns."""
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Makes boxes, [number of boxes, 4], of four features with a coordinate each.

    Args:
      keys: the names of the features of the four sides, in the order of the columns; by default
        ymin, xmin, ymax, xmax.
      prefix: what to put before each name.

    Raises:
      ValueError: `keys` are not four.
    """

    def __init__(self, keys: Any = None, prefix: str = "") -> None:
        if keys is None:
            keys = ["ymin", "xmin", "ymax", "xmax"]
        elif len(keys) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}: {keys}")
        super().__init__([prefix + key for key in keys])

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The boxes, one in each row."""
        sides = [tf.expand_dims(_values(keys_to_tensors[key]), 0) for key in self._keys]
        return tf.transpose(tf.concat(sides, 0))


class Tensor(ItemHandler):
    """Makes an item of one feature: as it is, or reshaped.

    Args:
      tensor_key: the name of the feature.
      shape_keys: the name of the feature with the item's shape, or a list of names, one for each
        dimension.
      shape: the item's shape, where all have the same.
      default_value: what fills the gaps of a sparse feature.

    Raises:
      ValueError: both `shape_keys` and `shape` are given.
    """

    def __init__(
        self, tensor_key: str, shape_keys: Any = None, shape: Any = None, default_value: Any = 0
    ) -> None:
        if shape_keys and shape is not None:
            raise ValueError(
                f"Cannot specify both shape_keys ({shape_keys}) and shape ({shape}) parameters."
                " Leave out the one that does not hold."
            )
        if shape_keys and not isinstance(shape_keys, list):
            shape_keys = [shape_keys]
        self._tensor_key, self._shape_keys = tensor_key, shape_keys
        self._shape, self._default_value = shape, default_value
        super().__init__([tensor_key, *(shape_keys or ())])

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The feature, dense."""
        tensor = keys_to_tensors[self._tensor_key]
        shape = self._shape
        if self._shape_keys:
            sizes = [_dense(keys_to_tensors[key]) for key in self._shape_keys]
            shape = tf.reshape(tf.stack(sizes), [-1])
        if isinstance(tensor, tf.SparseTensor):
            if shape is not None:
                tensor = v1.sparse_reshape(tensor, shape)
            return v1.sparse_tensor_to_dense(tensor, self._default_value)
        return tensor if shape is None else reshaped(tensor, shape)


class LookupTensor(Tensor):
    """Makes an item of one feature by a table, such as the numbers of labels.

    Args:
      tensor_key: the name of the feature.
      table: the table to look its values up in.
      shape_keys, shape, default_value: as of `Tensor`.

    Raises:
      ValueError: both `shape_keys` and `shape` are given.
    """

    def __init__(
        self, tensor_key: str, table: Any, shape_keys: Any = None, shape: Any = None,
        default_value: Any = "",
    ) -> None:  # fmt: skip
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """What the table has for the feature's values."""
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """Makes an item in one way, and where that gives an empty tensor in another.

    Args:
      handler: the first way.
      backup: the second.

    Raises:
      ValueError: one of them is no ItemHandler.
    """

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        for role, given in (("Primary", handler), ("Backup", backup)):
            if not isinstance(given, ItemHandler):
                raise ValueError(f"{role} handler is of type {type(given)} instead of ItemHandler")
        self._handler, self._backup = handler, backup
        super().__init__(handler.keys + backup.keys)

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The item of the first handler, or of the second."""
        item = self._handler.tensors_to_item(keys_to_tensors)
        return v1.cond(
            tf.equal(tf.reduce_prod(tf.shape(item)), 0),
            lambda: self._backup.tensors_to_item(keys_to_tensors),
            lambda: item,
        )


class SparseTensor(ItemHandler):
    """Makes a SparseTensor of a feature with indices and one with values.

    Args:
      indices_key: the name of the feature of indices (default "indices").
      values_key: the name of the feature of values (default "values").
      shape_key: the name of the feature with the shape.
      shape: the shape, where `shape_key` is not given. Without either it is that of the parsed
        indices, which is their number.
      densify: whether the item is dense.
      default_value: what fills the gaps then.
    """

    def __init__(
        self,
        indices_key: str | None = None,
        values_key: str | None = None,
        shape_key: str | None = None,
        shape: Any = None,
        densify: bool = False,
        default_value: Any = 0,
    ) -> None:
        self._indices_key = indices_key or "indices"
        self._values_key = values_key or "values"
        self._shape_key, self._shape = shape_key, shape
        self._densify, self._default_value = densify, default_value
        keys = [self._indices_key, self._values_key]
        super().__init__([*keys, shape_key] if shape_key else keys)

    def tensors_to_item(self, keys_to_tensors: dict[str, Any]) -> Any:
        """The sparse tensor, or the dense one."""
        indices = keys_to_tensors[self._indices_key]
        values = keys_to_tensors[self._values_key]
        shape = self._dense_shape(keys_to_tensors)
        rank = tf.shape(indices.indices)[1]
        last = tf.cast(indices.values, tf.int64)
        others = tf.slice(indices.indices, [0, 0], tf.stack([-1, rank - 1]))
        places = tf.concat([others, tf.reshape(last, [-1, 1])], 1)
        tensor = tf.SparseTensor(places, values.values, shape)
        if not self._densify:
            return tensor
        return v1.sparse_tensor_to_dense(tensor, self._default_value)

    def _dense_shape(self, keys_to_tensors: dict[str, Any]) -> Any:
        if self._shape_key:
            return _dense(keys_to_tensors[self._shape_key])
        given = self._shape
        if given is not None and not (isinstance(given, (list, tuple)) and not given):
            return given
        return keys_to_tensors[self._indices_key].dense_shape


def reshaped(tensor: Any, shape: Any) -> Any:
    """`tf.reshape`; for an empty list TensorFlow would leave a constant of no use in the graph."""
    empty = isinstance(shape, (list, tuple)) and not shape
    return tf.reshape(tensor, np.zeros(0, np.int32) if empty else shape)


def _values(feature: Any) -> Any:
    return feature.values if isinstance(feature, tf.SparseTensor) else feature


def _dense(feature: Any) -> Any:
    if isinstance(feature, tf.SparseTensor):
        return v1.sparse_tensor_to_dense(feature)
    return feature
