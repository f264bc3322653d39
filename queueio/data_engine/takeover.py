"""What a batch builder builds in the data engine: a queue of ready batches behind TF1's own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from queueio.compile.cut import weight
from queueio.compile.kernels.budget import HEAVY_BYTES, known_bytes
from queueio.data_engine import asked, export, report, saver, steps
from queueio.data_engine.iterator_runner import IteratorRunner, Places
from queueio.data_engine.position import Position
from queueio.data_engine.room import rests_at
from queueio.data_engine.runner import BatchRunner
from queueio.data_engine.sealed import Sealed
from queueio.data_engine.steps import Steps
from queueio.errors import NotLifted, Refusal
from queueio.graph.origin import origin
from queueio.graph.unnoticed import unnoticed
from queueio.plan.components import gathered, spread
from queueio.plan.node import Node
from queueio.plan.tree import PlanTree
from queueio.runtime.diagnosis.state import capacity, kept_back
from queueio.runtime.topology import ENGINE_SCOPE
from queueio.stages.batching.dequeue import check_size

v1 = tf.compat.v1
_READY = 4
_MOST_READY = 16
_READY_BYTES = 1 << 20
_WIDE_BYTES = 8 << 20
_AT_ONCE = 8
"""Most batches that a thread makes between two looks at whether it shall stop."""


@dataclass(eq=False)
class Takeover:
    """The ready batches of one example queue.

    Attributes:
      queue: the example queue; its `size()` counts the examples of the ready batches as well, up
        to its capacity.
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
        stream = Lifter(graph).stream_of(queue.queue_ref.op)
        known = tf.get_static_value(size)
        if known is None:
            raise NotLifted("the batch size is known only when a session feeds it",
                            "Give batch_size as a Python number")  # fmt: skip
        check_size(queue.queue_ref.op, int(known))
        if queue.queue_ref.op.get_attr("shared_name"):
            raise NotLifted("shared_name shares its queue with other processes of a cluster",
                            "Leave shared_name out where one process reads the data")  # fmt: skip
    except Refusal as refusal:
        runner.refusal = refusal
        report.add(graph, name, "queue", str(refusal))
        report.fall_back(name, refusal, origin(queue.queue_ref.op))
        return None
    with v1.name_scope(f"{scope}{ENGINE_SCOPE}/"), unnoticed(graph):
        made = _taken_over(queue, runner, take, int(known), name, stream)
    collection = graph.get_collection_ref(v1.GraphKeys.QUEUE_RUNNERS)
    collection[collection.index(runner)] = made.runner
    return made


def _taken_over(queue: Any, runner: Any, take: Any, size: int, name: str, stream: Node) -> Takeover:
    from queueio.lift.fetches import lift

    graph = v1.get_default_graph()
    batch = take("dequeue")
    plan = lift(list(batch), known={queue.queue_ref.op: stream})
    elements = plan.root.elements
    forwarded = _to_order(spread(batch), elements)
    waiting = _batches_ready(elements)
    ready = tf.queue.FIFOQueue(waiting, [t.dtype for t in forwarded], name="ready")
    forward = ready.enqueue(forwarded, name="enqueue_dequeued")
    _count_ready_batches(queue, ready, size, waiting)
    build = functools.partial(_filler, plan, ready, waiting, name)
    batches = BatchRunner(name, runner, ready, forward, build, queue.queue_ref.op, plan)
    saver.add(graph, batches)
    asked.add(graph, batches)
    export.install()
    return Takeover(queue, ready, batches, elements)


def _filler(
    plan: PlanTree, ready: Any, waiting: int, name: str,
    classic: Any, dequeue: Any, resumed: Places,
) -> IteratorRunner:  # fmt: skip
    """Adds a plan's iterator to the default graph, and what fills `ready` from it."""
    source, place, stepping = _made(plan, ready, waiting)
    return IteratorRunner(
        ready,
        classic.queue,
        stepping,
        source,
        fills=classic.enqueue_ops[0],
        dequeue=dequeue,
        place=place,
        title=name,
        resumed=resumed,
    )


def _made(plan: PlanTree, ready: Any, waiting: int) -> tuple[Sealed, Position, Steps]:
    """The iterator of a plan, where it stands, and what puts its batches into `ready`."""
    from queueio.compile.dataset import in_chunks, in_stacks, stack_size

    elements, at_once = plan.root.elements, min(waiting, _AT_ONCE)
    # Neither is plan.to_dataset(): the runner tells of lost bytes, at the end of the input.
    most = min(stack_size(plan), max(1, waiting // 2))
    if most > 1:
        stacks = tuple(tf.TensorSpec([None, *s.shape], s.dtype) for s in elements)
        source = Sealed(plan, functools.partial(in_stacks, plan, most), stacks)
        place = Position(source.iterator, ready.dtypes, ready, waiting, False, True)
        parts = source.iterator.get_next()
        made = [parts[i] for i in tf.nest.flatten(plan.structure)]
        return source, place, steps.in_stacks(made, ready, place, most)
    source = Sealed(plan, functools.partial(in_chunks, plan, waits_elsewhere=True),
                    plan.element_spec)  # fmt: skip
    size_known = known_bytes(elements)
    weighed = size_known is None or size_known > HEAVY_BYTES
    place = Position(source.iterator, ready.dtypes, ready, waiting, weighed)

    def batch() -> list[Any]:
        return _to_order(spread(source.iterator.get_next()), elements)

    return source, place, steps.one_by_one(batch, ready, place, at_once)


def _batches_ready(elements: tuple[Any, ...]) -> int:
    """How many batches wait ready: more of small ones, where a step costs more than the work."""
    if any(isinstance(spec, tf.SparseTensorSpec) for spec in elements):
        return _READY
    size = max(sum(weight(spec.shape, spec.dtype) for spec in elements), 1)
    wide = _READY if known_bytes(elements) is None else min(_READY, _WIDE_BYTES / size)
    return int(max(1, wide, min(_READY_BYTES / size, _MOST_READY)))


def _count_ready_batches(queue: Any, ready: Any, size: int, waiting: int) -> None:
    """Makes `queue.size()`, and with it the summaries, count examples wherever they wait.

    Those of the ready batches; and, where there are any, those that a pool keeps back. Never more
    than the queue's capacity, since a fraction of it shall stay one; and as many as that where so
    many batches are ready that no more are made: a program may wait until the queue is full.
    """
    short, op = queue.name.rpartition("/")[2], queue.queue_ref.op
    bound = capacity(op)
    room = tf.int32.max if bound is None else bound
    most = [0, *(min(size * batches + kept_back(op), room) for batches in range(1, waiting + 1))]
    rests = waiting + 1 if bound is None else rests_at(waiting, min(waiting, _AT_ONCE))
    # A table, for an open queue and for a closed one: a graph takes longer to get ops than a table.
    table = tf.constant([[*most[:rests], *[room] * (waiting + 1 - rests)], most], tf.int32)
    closed = tf.cast(queue.is_closed(name="is_closed"), tf.int32)
    elsewhere = tf.gather_nd(table, tf.stack([closed, ready.size()]))
    counted = elsewhere + tf.minimum(queue.size(name="size"), room - elsewhere)

    def as_queue(name: str | None = None) -> Any:
        return tf.identity(counted, name=name or f"{short}_Size")

    queue.size = as_queue


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
