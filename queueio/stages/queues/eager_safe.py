"""Queues that refuse, outside of graphs, what would wait for ever.

Outside of a graph there are no other threads: an enqueue into a full queue, or a dequeue from
one with too few elements, waits for somebody who cannot come.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.errors import message


class EagerSafe:
    """Mixed into TensorFlow's queue classes; `size` is in elements, as theirs."""

    _capacity: int
    _needed_to_leave = 0

    def enqueue(self, vals: Any, name: str | None = None) -> Any:
        """Enqueues one element.

        Args:
          vals: a tensor, or a list or dict of tensors, of the queue's dtypes and shapes.
          name: name of the op.

        Returns:
          The operation.

        Raises:
          ValueError: in eager mode, if the queue is full.
        """
        self._refuse_if_full(1)
        return super().enqueue(vals, name=name)  # type: ignore[misc]

    def enqueue_many(self, vals: Any, name: str | None = None) -> Any:
        """Enqueues rows, each an element.

        Args:
          vals: as for `enqueue`, each tensor with a dimension more, which counts the elements.
          name: name of the op.

        Returns:
          The operation.

        Raises:
          ValueError: in eager mode, if they do not all fit.
        """
        if tf.executing_eagerly():
            first = vals[next(iter(vals))] if isinstance(vals, dict) else vals
            first = first[0] if isinstance(first, (list, tuple)) else first
            self._refuse_if_full(int(tf.shape(first)[0]))
        return super().enqueue_many(vals, name=name)  # type: ignore[misc]

    def dequeue(self, name: str | None = None) -> Any:
        """Dequeues one element.

        Args:
          name: name of the op.

        Returns:
          A tensor, or a list or dict of tensors, of the queue's dtypes and shapes.

        Raises:
          ValueError: in eager mode, if there is none.
        """
        self._refuse_if_short(1)
        return super().dequeue(name=name)  # type: ignore[misc]

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Dequeues some elements as one.

        Args:
          n: how many (int32 scalar).
          name: name of the op.

        Returns:
          As `dequeue`, each tensor with a first dimension of `n`.

        Raises:
          ValueError: in eager mode, if there are fewer.
        """
        self._refuse_if_short(n)
        return super().dequeue_many(n, name=name)  # type: ignore[misc]

    def _refuse_if_full(self, count: int) -> None:
        if not tf.executing_eagerly() or self._closed():
            return
        size = int(self.size())  # type: ignore[attr-defined]
        if 0 < self._capacity < size + count:
            raise ValueError(
                message(
                    f"cannot enqueue {count} into {self.name!r}"  # type: ignore[attr-defined]
                    f" (size {size}, capacity {self._capacity})",
                    "outside of a graph no other thread can make room, so this would wait for ever",
                    "Dequeue first, or make the queue with a larger capacity",
                )
            )

    def _refuse_if_short(self, count: Any) -> None:
        if not tf.executing_eagerly() or self._closed():
            return
        size = int(self.size())  # type: ignore[attr-defined]
        need = int(count) + self._needed_to_leave
        if size < need:
            raise ValueError(
                message(
                    f"cannot dequeue {int(count)} from {self.name!r}"  # type: ignore[attr-defined]
                    f" (size {size}, needs {need})",
                    "outside of a graph no other thread can fill it, so this would wait for ever",
                    "Enqueue first, or close the queue",
                )
            )

    def _closed(self) -> bool:
        return bool(self.is_closed())  # type: ignore[attr-defined]
