"""What a batch builder builds in the data engine: a queue of ready batches behind TF1's own."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import random_seed

from queueio import settings
from queueio.compile.cut import weight
from queueio.data_engine import asked, export, report, saver
from queueio.data_engine.position import Position
from queueio.data_engine.runner import BatchRunner
from queueio.errors import FallbackWarning, NoEquivalent, NotLifted, message
from queueio.origin import Origin, origin
from queueio.plan.components import gathered, spread

v1 = tf.compat.v1
_READY = 4
_MOST_READY = 16
_READY_BYTES = 1 << 20
_AT_ONCE = 8
"""Most batches that a thread makes between two looks at whether it shall stop."""


@dataclass(eq=False)
class Takeover:
    """The ready batches of one example queue.

    Attributes:
      queue: the example queue; its `size()` counts the examples of the ready batches as well.
      ready: the queue of ready batches, each one element.
    """

    queue: Any
    ready: Any
    runner: BatchRunner
    elements: tuple[Any, ...]

    def dequeue(self, name: str) -> list[Any]:
        """The op `name`, which takes a ready batch, and the batch's components.

        A sparse component is the component of its indices under TF1's number, int64 as the
        handles were; its other parts come last.
        """
        taken = self.ready.dequeue(name=name)
        flat = _in_order(
            list(taken) if isinstance(taken, (list, tuple)) else [taken], self.elements
        )
        batch = list(gathered(flat, self.elements))
        for tensor, spec in zip(batch, self.elements, strict=True):
            if not isinstance(tensor, tf.SparseTensor):
                tensor.set_shape(spec.shape)
        if not any(isinstance(tensor, tf.SparseTensor) for tensor in batch):
            return batch
        named = [tf.identity(part, name="control_dependency") for part in spread(batch)]
        return list(gathered(named, self.elements))


def take_over(
    queue: Any, runner: Any, take: Callable[..., Any], size: Any, scope: str
) -> Takeover | None:
    """Makes ready what the data engine needs, or says why the queues must do it.

    Args:
      queue: the example queue, with its enqueue ops.
      runner: its queue runner, which this replaces in QUEUE_RUNNERS.
      take: makes the tensors of a batch from the queue, as TF1 does, given an op name.
      size: the batch size.
      scope: the batch's name scope, with its slash.

    Raises:
      NotLifted, NoEquivalent: under `strict`, the pipeline cannot be lifted.
    """
    from queueio.lift.lifter import Lifter

    graph = v1.get_default_graph()
    name = scope.rstrip("/")
    try:
        Lifter(graph).stream_of(queue.queue_ref.op)
        if tf.get_static_value(size) is None:
            raise NotLifted("the batch size is known only when a session feeds it",
                            "Give batch_size as a Python number")  # fmt: skip
        if queue.queue_ref.op.get_attr("shared_name"):
            raise NotLifted("shared_name shares its queue with other processes of a cluster",
                            "Leave shared_name out where one process reads the data")  # fmt: skip
    except (NotLifted, NoEquivalent) as refusal:
        report.add(graph, name, "queue", str(refusal))
        fall_back(name, refusal, origin(queue.queue_ref.op))
        return None
    with v1.name_scope(scope + "queueio/"), _seeds_kept(graph):
        return _taken_over(queue, runner, take, int(tf.get_static_value(size)), name)


@contextmanager
def _seeds_kept(graph: Any) -> Iterator[None]:
    """Ops made later get the seeds that they got without ours: those count a graph's random ops."""
    counts = getattr(random_seed, "_graph_to_seed_dict", {})
    before = counts.get(graph)
    try:
        yield
    finally:
        if before is not None:
            counts[graph] = before
        else:
            counts.pop(graph, None)


def fall_back(name: str, refusal: Exception, made_at: Origin) -> None:
    """One visible warning at the line that made the pipeline; under `strict` the refusal."""
    if settings.current().strict:
        raise refusal
    told = FallbackWarning(message(f"pipeline {name!r} runs on TF1's queues", str(refusal)))
    if made_at.filename is None:
        warnings.warn(told, stacklevel=2)
    else:
        warnings.warn_explicit(told, FallbackWarning, made_at.filename, made_at.lineno)


def _taken_over(queue: Any, runner: Any, take: Any, size: int, name: str) -> Takeover:
    from queueio.compile.dataset import to_dataset
    from queueio.lift.fetches import lift

    graph = v1.get_default_graph()
    batch = take("dequeue")
    plan = lift(list(batch))
    elements = plan.root.elements
    # Not plan.to_dataset(): the runner tells of lost bytes, at the end of the input as queues do.
    iterator = v1.data.make_initializable_iterator(to_dataset(plan))
    forwarded = _to_order(spread(batch), elements)
    waiting = _batches_ready(elements)
    ready = tf.queue.FIFOQueue(waiting, [t.dtype for t in forwarded], name="ready")
    at_once = min(waiting, _AT_ONCE)
    place = Position(iterator, ready.dtypes, ready, waiting + 1, at_once)
    enqueues: list[Any] = []
    for _ in range(at_once):
        with tf.control_dependencies(enqueues[-1:]):
            made = _to_order(spread(iterator.get_next()), elements)
        with tf.control_dependencies([place.advance(made)]):
            enqueues.append(ready.enqueue(made, name="enqueue_made"))
    forward = ready.enqueue(forwarded, name="enqueue_dequeued")
    _count_ready_batches(queue, ready, size)
    batches = BatchRunner(
        name,
        runner,
        ready,
        enqueues,
        forward,
        iterator.initializer,
        graph,
        queue.queue_ref.op,
        place,
    )
    saver.add(graph, batches)
    asked.add(graph, batches)
    export.install()
    collection = graph.get_collection_ref(v1.GraphKeys.QUEUE_RUNNERS)
    collection[collection.index(runner)] = batches
    return Takeover(queue, ready, batches, elements)


def _batches_ready(elements: tuple[Any, ...]) -> int:
    """How many batches wait ready: more of small ones, where a step costs more than the work."""
    sparse = any(isinstance(spec, tf.SparseTensorSpec) for spec in elements)
    size = float("inf") if sparse else sum(weight(spec.shape, spec.dtype) for spec in elements)
    return int(max(_READY, min(_READY_BYTES / max(size, 1), _MOST_READY)))


def _count_ready_batches(queue: Any, ready: Any, size: int) -> None:
    """Makes `queue.size()`, and with it the summaries, count examples wherever they wait."""
    short = queue.name.rpartition("/")[2]
    waiting = queue.size(name="size") + size * ready.size()

    def counted(name: str | None = None) -> Any:
        return tf.identity(waiting, name=name or f"{short}_Size")

    queue.size = counted


def _to_order(flat: list[Any], elements: tuple[Any, ...]) -> list[Any]:
    """One tensor for each component, then the further parts of the sparse ones."""
    first, rest = [], []
    left = list(flat)
    for spec in elements:
        first.append(left.pop(0))
        if isinstance(spec, tf.SparseTensorSpec):
            rest += [left.pop(0), left.pop(0)]
    return first + rest


def _in_order(flat: list[Any], elements: tuple[Any, ...]) -> list[Any]:
    """The reverse of `_to_order`."""
    first, rest = list(flat[: len(elements)]), list(flat[len(elements) :])
    ordered: list[Any] = []
    for tensor, spec in zip(first, elements, strict=True):
        ordered.append(tensor)
        if isinstance(spec, tf.SparseTensorSpec):
            ordered += [rest.pop(0), rest.pop(0)]
    return ordered
