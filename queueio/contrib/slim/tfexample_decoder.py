"""Makes the items of a dataset from its records, which are tf.train.Examples.

Legacy:
    reader = tf.TFRecordReader()
    _, record = reader.read(tf.train.string_input_producer(["a.examples"], num_epochs=1))
    data = tf.contrib.slim.tfexample_decoder
    decoder = data.TFExampleDecoder(
        {"x": tf.FixedLenFeature([], tf.int64)}, {"number": data.Tensor("x")})
    [number] = decoder.decode(record, ["number"])

Modern:
    spec = {"x": tf.io.FixedLenFeature([], tf.int64)}
    records = tf.data.TFRecordDataset("a.examples")
    dataset = records.batch(2).map(lambda rows: tf.io.parse_example(rows, spec)["x"]).unbatch()

Emits:
    per item what its handler makes of the parsed features

Differs:
    Features are parsed once, all of them, whichever items are asked for. A feature of fixed length
    is reshaped to its shape right after the parser. The ops are the same in both forms; a function
    for `map` needs no handlers.

Raises:
    InvalidArgumentError: a feature is missing, or of another dtype or size.
    KeyError: there is no such item, or a handler's feature is not among the features.

A handler makes one item of some features: `Tensor` (which makes a sparse one dense), `LookupTensor`
(by a table), `SparseTensor`, `Image`, `BoundingBox`, `ItemHandlerCallback` (a function), and
`BackupHandler` (one that takes the place of another whose item is empty).

Source:
    tf.contrib.slim.tfexample_decoder of TensorFlow 1.15
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from queueio.contrib.slim.data_decoder import DataDecoder
from queueio.contrib.slim.image_item import Image
from queueio.contrib.slim.item_handlers import (
    BackupHandler,
    BoundingBox,
    ItemHandler,
    ItemHandlerCallback,
    LookupTensor,
    SparseTensor,
    Tensor,
    reshaped,
)
from queueio.stages.decoders.example import parse_single_example

__all__ = [
    "BackupHandler",
    "BoundingBox",
    "Image",
    "ItemHandler",
    "ItemHandlerCallback",
    "LookupTensor",
    "SparseTensor",
    "TFExampleDecoder",
    "Tensor",
]


class TFExampleDecoder(DataDecoder):
    """Makes items from serialized tf.train.Examples.

    Args:
      keys_to_features: a dict from feature to how it is parsed, as of `tf.parse_single_example`.
      items_to_handlers: a dict from item to the `ItemHandler` that makes it.
    """

    def __init__(self, keys_to_features: dict[str, Any], items_to_handlers: dict[str, Any]) -> None:
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> list[str]:
        """The names of the items."""
        return list(self._items_to_handlers)

    def decode(self, serialized_example: Any, items: Sequence[str] | None = None) -> list[Any]:
        """Makes items of an Example.

        Args:
          serialized_example: string scalar.
          items: the names of the items that are wanted; all, if not given.

        Returns:
          One tensor for each, in their order.
        """
        parsed = self._parsed(serialized_example)
        handlers = [self._items_to_handlers[item] for item in items or self._items_to_handlers]
        return [each.tensors_to_item({key: parsed[key] for key in each.keys}) for each in handlers]

    def _parsed(self, serialized_example: Any) -> dict[str, Any]:
        """The features, those of fixed length reshaped in the order of their names."""
        parsed = parse_single_example(serialized_example, self._keys_to_features)
        for key in sorted(self._keys_to_features):
            feature = self._keys_to_features[key]
            if isinstance(feature, tf.io.FixedLenFeature):
                parsed[key] = reshaped(parsed[key], feature.shape)
        return dict(parsed)
