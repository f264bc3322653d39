"""The one way from example tensors through a queue to a batch.

The eight functions differ in three things only: how many producers there are, what kind of queue
holds the examples, and whether some are left out. This module is what they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import tensorflow as tf

from queueio import settings
from queueio.eager import refuse_eager
from queueio.errors import message
from queueio.forensics.traps import check_listed, check_shapes
from queueio.graph.called import note_keys
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.threads.start import add_queue_runner
from queueio.stages.queues.join import joined_dtypes, joined_shapes
from queueio.stages.queues.keep_if import checked_keep_input, enqueue_if
from queueio.stages.queues.sparse import restore_sparse, sparse_maps

v1 = tf.compat.v1


class QueueMaker(Protocol):
    """The kind of queue that holds the examples."""

    def make(self, dtypes: list[Any], shapes: list[Any], shared_name: str | None) -> Any:
        """The queue, in the current scope."""

    def summarize(self, queue: Any) -> None:
        """Adds the summary of how full it is."""


class Batching(NamedTuple):
    """What a batch is: its size, and what each example looks like on its way in."""

    size: Any
    enqueue_many: bool = False
    shapes: Any = None
    allow_smaller_final_batch: bool = False
    shared_name: str | None = None
    name: str | None = None


def build(
    call: str,
    producers: Sequence[Any],
    batch: Batching,
    queue: QueueMaker,
    keep_input: Any = True,
    num_threads: int = 1,
) -> Any:
    """Builds a queue, the ops that fill it and the op that takes a batch out of it.

    Args:
      call: the public function's scope: "batch", "shuffle_batch", "batch_join", …
      producers: for each producer its list or dict of tensors.
      batch: the batch's size and options.
      queue: the kind of queue.
      keep_input: bool (tensor): whether, or which rows, to enqueue.
      num_threads: how many threads run the (single) producer's enqueue op.

    Returns:
      The batch: a dict for dicts, else a list, or the one tensor of a list of one.

    Raises:
      ValueError: eager execution is on; the batch size is several numbers, or none.
      tf.errors.OperatorNotAllowedInGraphError: a tensor is given in the place of a list.
    """
    refuse_eager(call, ValueError)
    batch = batch._replace(size=_one_number(batch.size))
    for tensors in producers:
        check_listed(tensors, call, join=call.endswith("join"))
    tensor_lists = _lists(producers)
    values = [tensor for tensors in tensor_lists for tensor in tensors]
    with v1.name_scope(batch.name, call, [*values, keep_input]) as scope:
        tensor_lists = [[_tensor(value) for value in tensors] for tensors in tensor_lists]
        if not tensor_lists[0]:
            raise ValueError(f"Expected at least one tensor in {call}().")
        keep_input = checked_keep_input(keep_input, batch.enqueue_many)
        maps = sparse_maps(tensor_lists, batch.enqueue_many, scope)
        tensor_lists = [
            [
                m.store(t, batch.enqueue_many, keep_input) if m else t
                for m, t in zip(maps, tensors, strict=True)
            ]
            for tensors in tensor_lists
        ]
        if isinstance(producers[0], dict):
            note_keys(v1.get_default_graph(), scope.rstrip("/"), sorted(producers[0], key=str))
        dtypes = joined_dtypes(tensor_lists)
        shapes = batch.shapes
        if shapes is None:
            shapes = joined_shapes(tensor_lists, batch.enqueue_many)
        if not getattr(queue, "dynamic_pad", False):
            check_shapes(tensor_lists[0], shapes, call, batch.enqueue_many)
        example_queue = queue.make(dtypes, shapes, batch.shared_name)
        enqueue_ops = [
            enqueue_if(example_queue, tensors, batch.enqueue_many, keep_input)
            for tensors in tensor_lists
        ]
        runner = QueueRunner(example_queue, enqueue_ops * num_threads)
        add_queue_runner(runner)
        take = example_queue.dequeue_many
        if batch.allow_smaller_final_batch:
            take = example_queue.dequeue_up_to

        def taken(name: str) -> list[Any]:
            return restore_sparse(maps, _listed(take(batch.size, name=name)))

        if settings.current().engine == "data":
            from queueio.data_engine import take_over

            ready = take_over(example_queue, runner, taken, batch.size, scope)
            if ready is not None:
                queue.summarize(example_queue)
                return _like(producers[0], _reported(ready.dequeue(scope), scope))
        queue.summarize(example_queue)
        return _like(producers[0], _reported(taken(scope), scope))


def _one_number(size: Any) -> Any:
    """A batch size, taken out of its list.

    TF1 took `[32]`, as a flag that is a list gives it, for 32; TensorFlow 2 fails there. Of
    `[32, 2]` the process died in both, or the first was taken.
    """
    known = tf.get_static_value(size) if tf.is_tensor(size) else size
    if isinstance(known, np.ndarray) and known.ndim:
        known = known.tolist()
    if not isinstance(known, (list, tuple)):
        return size
    if len(known) != 1:
        what = f"batch_size is {known}"
        raise ValueError(message(what, "it is how many examples make a batch", "Give one number"))
    return _one_number(known[0])


def _reported(batch: list[Any], scope: str) -> list[Any]:
    """`batch`, whose examples are counted where a report of the run was asked for."""
    if settings.current().report:
        from queueio.data_engine import report

        report.counts(v1.get_default_graph(), scope.rstrip("/"), batch[0])
    return batch


def _lists(producers: Sequence[Any]) -> list[list[Any]]:
    """Each producer's tensors as a list; of a dict in the order of its keys as strings."""
    if not producers:
        raise ValueError("Expected at least one set of tensors")
    first = producers[0]
    if not isinstance(first, dict):
        return [list(tensors) for tensors in producers]
    for tensors in producers[1:]:
        if set(tensors) != set(first):
            raise ValueError(
                "All dictionaries in tensors_list must have the same keys,"
                f" not {sorted(first, key=str)} and {sorted(tensors, key=str)}."
            )
    return [[tensors[key] for key in sorted(tensors, key=str)] for tensors in producers]


def _tensor(value: Any) -> Any:
    if isinstance(value, (tf.SparseTensor, tf.IndexedSlices)):
        return value
    return tf.convert_to_tensor(value)


def _listed(dequeued: Any) -> list[Any]:
    return list(dequeued) if isinstance(dequeued, (list, tuple)) else [dequeued]


def _like(producer: Any, tensors: list[Any]) -> Any:
    """The batch in the structure of one producer; TF1 gives one tensor bare, but for a dict."""
    if isinstance(producer, dict):
        return dict(zip(sorted(producer, key=str), tensors, strict=True))
    return tensors if len(tensors) > 1 else tensors[0]
