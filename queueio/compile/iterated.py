"""A dataset whose elements come with less of Python around each of them.

For each element TensorFlow's iterator makes an executor, waits for two, and folds the structure
anew: some 70 µs on a slow processor, which is more than a small batch takes to make.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.python.data.ops.iterator_ops import OwnedIterator  # no public spelling


class PlanDataset(tf.data.Dataset):
    """The elements of `dataset`, as they are. What it `needs` lasts as long as it does.

    Iterated eagerly it gives them sooner, where they are a tensor, a flat tuple or a flat dict of
    tensors. Whatever else is done with it is tf.data's.
    """

    def __init__(self, dataset: tf.data.Dataset, needs: Any = None) -> None:
        self._dataset, self._needs = dataset, needs
        super().__init__(dataset._variant_tensor)

    def _inputs(self) -> list[tf.data.Dataset]:
        return [self._dataset]

    @property
    def element_spec(self) -> Any:
        """See `tf.data.Dataset`."""
        return self._dataset.element_spec

    def __iter__(self) -> Any:
        """See `tf.data.Dataset`."""
        fold = _fold(self.element_spec)
        if fold is None or not tf.executing_eagerly():
            return super().__iter__()
        with tf.device(self._variant_tensor.device):
            made = _Iterator(self)
        made.fold = fold
        return made


class _Iterator(OwnedIterator):
    """An iterator that asks TensorFlow's op for the next element, and does nothing else."""

    fold: Callable[[list[Any]], Any]

    def __next__(self) -> Any:
        # What runs later cannot say now that there are no more elements.
        if not (tf.executing_eagerly() and tf.config.experimental.get_synchronous_execution()):
            return super().__next__()
        try:
            parts = tf.raw_ops.IteratorGetNext(
                iterator=self._iterator_resource,
                output_types=self._flat_output_types,
                output_shapes=self._flat_output_shapes,
            )
        except tf.errors.OutOfRangeError:
            raise StopIteration from None
        return self.fold(parts)


def _fold(spec: Any) -> Callable[[list[Any]], Any] | None:
    """Makes the structure of its tensors; None where there is more to it."""
    if type(spec) is tf.TensorSpec:
        return lambda parts: parts[0]
    if type(spec) not in (tuple, dict):
        return None
    parts = spec.values() if type(spec) is dict else spec
    if any(type(part) is not tf.TensorSpec for part in parts):
        return None
    if type(spec) is tuple:
        return tuple
    places = {name: place for place, name in enumerate(sorted(spec))}  # as tf.nest flattens it
    return lambda parts: {name: parts[places[name]] for name in spec}
