"""Which components of a queue are handles of sparse tensors, through however many queues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from queueio.graph.index import Enqueue, Index
from queueio.graph.traversal import is_dequeue, root, upstream
from queueio.lift.enqueue import conditions, outside, put
from queueio.lift.sparse import Stored, stored


def sparse_components(
    index: Index, queue_op: Any, seen: frozenset[Any] = frozenset()
) -> frozenset[int]:
    """Which components of a queue are handles of sparse tensors."""
    return frozenset(
        place
        for enqueue in index.uses[queue_op].enqueues
        for place, component in enumerate(_components(enqueue))
        if isinstance(component, Stored) or _handed_on(index, component, seen | {queue_op})
    )


def _components(enqueue: Enqueue) -> Sequence[Any]:
    if len(conditions(enqueue)) < 2:
        taken = put(enqueue)
        return taken.components if taken.inside is None else ()
    tensors = [outside(tensor, enqueue) for tensor in list(enqueue.op.inputs)[1:]]
    return [tensor if tensor is None else stored(tensor) or tensor for tensor in tensors]


def _handed_on(index: Index, tensor: Any, seen: frozenset[Any]) -> bool:
    """Whether a tensor comes out of another queue, where it is such a handle."""
    if tensor is None or tensor.dtype.base_dtype != tf.int64:
        return False
    taken = root(tensor)
    if not is_dequeue(taken.op) or upstream(taken.op) in seen:
        return False
    return taken.value_index in sparse_components(index, upstream(taken.op), seen)
