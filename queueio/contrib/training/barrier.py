"""TensorFlow's Barrier: elements by key, each taken once all of its components are there.

`tf.compat.v1` has the ops and no class for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf


class Barrier:
    """Holds elements until all of their components have been inserted under the same key."""

    def __init__(
        self,
        types: Sequence[Any],
        shapes: Sequence[Any],
        shared_name: str | None = None,
        name: str = "barrier",
    ) -> None:
        """Makes the barrier's op.

        Args:
          types: the dtype of each component.
          shapes: the shape of each component of one element, fully defined.
          shared_name: its name across the sessions of a cluster.
          name: name of the op.

        Raises:
          ValueError: a component would have no elements.
        """
        self._types = list(types)
        self._shapes = [tf.TensorShape(shape) for shape in shapes]
        for position, shape in enumerate(self._shapes):
            if shape.num_elements() == 0:
                raise ValueError(
                    f"Empty tensors are not supported, but received shape '{shape}' at index"
                    f" {position}"
                )
        self._barrier_ref = tf.raw_ops.Barrier(
            component_types=self._types,
            shapes=self._shapes,
            shared_name=shared_name or "",
            name=name,
        )

    @property
    def barrier_ref(self) -> Any:
        """The op's handle."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        """The name of the barrier's op."""
        return str(self._barrier_ref.op.name)

    def insert_many(
        self, component_index: int, keys: Any, values: Any, name: str | None = None
    ) -> Any:
        """Inserts one component of several elements.

        Args:
          component_index: which component.
          keys: strings of shape [n].
          values: a tensor of shape [n, ...].
          name: name of the op.

        Returns:
          The op that inserts.
        """
        return tf.raw_ops.BarrierInsertMany(
            handle=self._barrier_ref,
            keys=keys,
            values=values,
            component_index=component_index,
            name=self._named(name, "InsertMany"),
        )

    def take_many(
        self,
        num_elements: Any,
        allow_small_batch: bool = False,
        timeout: int | None = None,
        name: str | None = None,
    ) -> Any:
        """Takes complete elements, those first whose first component was inserted first.

        Args:
          num_elements: how many, int32 scalar.
          allow_small_batch: whether a closed barrier may give fewer.
          timeout: as the op's `timeout_ms`.
          name: name of the op.

        Returns:
          (indices, keys, values): int64 [n], strings [n], and a list of tensors [n, ...].
        """
        taken = tf.raw_ops.BarrierTakeMany(
            handle=self._barrier_ref,
            num_elements=num_elements,
            component_types=self._types,
            allow_small_batch=allow_small_batch,
            timeout_ms=-1 if timeout is None else timeout,
            name=self._named(name, "TakeMany"),
        )
        op = taken.keys.op
        size = None if allow_small_batch else tf.get_static_value(op.inputs[1])
        element_shapes = [tf.TensorShape([]), tf.TensorShape([]), *self._shapes]
        for output, shape in zip(op.outputs, element_shapes, strict=True):
            output.set_shape(tf.TensorShape([size]).concatenate(shape))
        return taken.indices, taken.keys, list(taken.values)

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """The op after which no new keys are inserted.

        Args:
          cancel_pending_enqueues: whether what was begun is not completed, either.
          name: name of the op.
        """
        return tf.raw_ops.BarrierClose(
            handle=self._barrier_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=self._named(name, "Close"),
        )

    def ready_size(self, name: str | None = None) -> Any:
        """How many elements are complete: an int32 scalar."""
        return tf.raw_ops.BarrierReadySize(
            handle=self._barrier_ref, name=self._named(name, "ReadySize")
        )

    def incomplete_size(self, name: str | None = None) -> Any:
        """How many elements still miss a component: an int32 scalar."""
        return tf.raw_ops.BarrierIncompleteSize(
            handle=self._barrier_ref, name=self._named(name, "IncompleteSize")
        )

    def _named(self, name: str | None, what: str) -> str:
        return name or f"{self.name.rpartition('/')[2]}_Barrier{what}"
