"""Evaluates a tensor again and again and hands out its rows through a queue.

Legacy:
    queue = tf.train.input_producer(tf.constant([[1, 2], [3, 4]]), num_epochs=2, shuffle=False)
    row = queue.dequeue()

Modern:
    dataset = tf.data.Dataset.from_tensor_slices(tf.constant([[1, 2], [3, 4]])).repeat(2)

Emits:
    the tensor's dtype, the shape of one row

Differs:
    With shuffle=True the rows of each epoch are shuffled as a whole, so an epoch's last row
    never comes after the next epoch's first: `shuffle(number of rows)` before `repeat`, never
    after it. The number of epochs counts evaluations, in a local variable.

Raises:
    ValueError: the shape of a row is not known and `element_shape` does not give it.
    OutOfRangeError: at the dequeue after the last row of the last epoch.

The tensor is evaluated anew for each epoch: if it draws random numbers or reads a variable,
every epoch sees fresh values.

Source:
    tf.train.input_producer of TensorFlow 1.15
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.compile.ends import map_until_end
from queueio.compile.in_session import in_session, mapped_ops
from queueio.compile.kernels.as_written import mapped, rebatched, unbatched
from queueio.compile.kernels.budget import known_bytes, rows_within
from queueio.compile.python_ends import evaluate_until_told
from queueio.compile.stream import CHUNK_ROWS, Stream, is_dense
from queueio.eager import refuse_eager
from queueio.errors import message
from queueio.forensics.traps import example_sizes
from queueio.graph.bodies import ending_ops
from queueio.graph.origin import origin
from queueio.graph.summaries import per_place
from queueio.plan import Node, Role, Walk, lifts
from queueio.plan.components import gathered
from queueio.plan.node import Captures
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.threads.start import add_queue_runner
from queueio.stages.filenames.epochs import left_to_count, limit_epochs

if TYPE_CHECKING:
    from queueio.emit.writer import Writer

v1 = tf.compat.v1


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> Any:
    """Outputs the rows of a tensor to a queue.

    Args:
      input_tensor: a tensor of rank one or more.
      element_shape: the shape of a row, where it is not known.
      num_epochs: how often the rows are produced; None for ever. The counter is a local variable.
      shuffle: whether the rows are shuffled within each epoch.
      seed: seed of that shuffle.
      capacity: how many rows the queue holds.
      shared_name: the queue's name across the sessions of a cluster.
      summary_name: tag of a scalar summary of the queue's size as a fraction of its capacity.
      name: name of the scope and of the queue.
      cancel_op: op that cancels the queue, for its runner.

    Returns:
      A FIFO queue of rows, of the dtype and shape of those of `input_tensor`; its `QueueRunner` is
      in the collection QUEUE_RUNNERS.

    Raises:
      ValueError: the shape of a row is not known.
      RuntimeError: eager execution is on.
    """
    refuse_eager("input_producer")
    with v1.name_scope(name, "input_producer", [input_tensor]):
        tensor = tf.convert_to_tensor(input_tensor, name="input_tensor")
        row_shape = _row_shape(tensor, element_shape)
        if shuffle:
            tensor = tf.random.shuffle(tensor, seed=seed)
        tensor = limit_epochs(tensor, num_epochs)
        queue = tf.queue.FIFOQueue(
            capacity=capacity,
            dtypes=[tensor.dtype.base_dtype],
            shapes=[row_shape],
            shared_name=shared_name,
            name=name,
        )
        enqueue = queue.enqueue_many([tensor])
        add_queue_runner(QueueRunner(queue, [enqueue], cancel_op=cancel_op))
        if summary_name is not None:
            fraction = tf.cast(queue.size(), tf.float32) * per_place(capacity)
            v1.summary.scalar(summary_name, fraction)
        return queue


def _row_shape(tensor: Any, element_shape: Any) -> Any:
    shape = tensor.shape[1:].merge_with(element_shape)
    if not shape.is_fully_defined():
        sizes = [] if shape.rank is None else example_sizes(shape)
        raise ValueError(
            message(
                f"cannot tell the shape of a row of {tensor.name} (shape {tensor.shape},"
                f" made at {origin(tensor)})",
                "a queue of rows must know it. Either `input_tensor` must have a fully defined"
                " shape or `element_shape` must be specified",
                "Give the shape of a row as element_shape, or call set_shape on the tensor",
                wrong="input_producer(tensor)",
                right=f"input_producer(tensor, element_shape={sizes})",
            )
        )
    return shape


_STRINGS = 64
"""Rows of a chunk that holds strings: most are names, but who knows."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Source(Node):
    """Tensors evaluated `num_epochs` times (None: for ever)."""

    fragment: Any
    num_epochs: int | None
    counter: Any
    """The op that counts the epochs in TF1's graph."""
    enqueue_many: bool
    """Whether the rows of the tensors are the elements, or the tensors themselves."""
    shuffle: bool
    """Whether the rows are shuffled in each epoch, by an op of the fragment."""
    seed: tuple[int, int] | None
    """The seeds of that shuffle, if set: the graph's and the op's."""
    threads: int = 1
    """How many threads evaluate them, each of which stops where an op ends the stream."""
    ahead: int = 1
    """How many evaluations the queue that they fill holds: so many may be ahead of need."""

    hidden = Node.hidden | {"fragment", "counter", "threads", "ahead"}
    evaluates = True

    @property
    def counts_with(self) -> Any:
        """Its counter."""
        return self.counter

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """Evaluates the fragment once per epoch, its shuffle included: TF1's own order."""
        evaluated = self._evaluated(captures)
        if self.enqueue_many:
            return unbatched(evaluated)
        return evaluated.map(lambda *flat: gathered(flat, self.elements))

    def to_stream(self, *inputs: Any, captures: Captures = None) -> Any:
        """The rows of one evaluation are a chunk as they come."""
        if not (self.enqueue_many and is_dense(self.elements)):
            return super().to_stream(*inputs, captures=captures)
        rows = self._evaluated(captures)
        if self._ends:  # what a generator gives is not drawn ahead of need
            return Stream(rows, chunked=True, captures=captures, slow=True)
        row = known_bytes(self.elements)
        most = _STRINGS if row is None else rows_within(row, CHUNK_ROWS)
        return Stream(rebatched(rows, most), chunked=True, captures=captures)

    def _evaluated(self, captures: Captures) -> Any:
        """A dataset of the flat tensors of each evaluation."""
        epochs = tf.data.Dataset.range(left_to_count(self.counter, captures))

        fragment = in_session(self.fragment)

        def shaped(*made: tf.Tensor) -> tuple[tf.Tensor, ...]:
            return tuple(map(self._shaped, made, self.elements)) if self.enqueue_many else made

        def evaluate(epoch: Any) -> tuple[Any, ...]:
            return shaped(*fragment.call(captures=captures))

        if not self._ends:
            return mapped_ops(epochs, evaluate, self.fragment.ops)
        if self.threads > 1:
            told = evaluate_until_told(epochs, fragment, self.threads, self.ahead, captures)
            if told is not None:
                return mapped(told, shaped)
        return map_until_end(epochs, evaluate, self.threads)

    def _shaped(self, rows: tf.Tensor, spec: tf.TensorSpec) -> tf.Tensor:
        if rows.shape.rank is not None or spec.shape.rank is None:
            return rows
        return tf.ensure_shape(rows, [None, *spec.shape])

    @property
    def in_large_chunks(self) -> bool:
        """The rows of its evaluations are put together, unless one of them may be the last."""
        return self.enqueue_many and not self._ends

    @property
    def _ends(self) -> bool:
        return bool(ending_ops(self.fragment.ops))

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """`from_tensor_slices`, shuffled as a whole in each epoch, repeated."""
        return writer.rows(self, wanted)


@lifts(Role.SOURCE)
def lift(
    walk: Walk,
    op: Any,
    fragment: Any,
    elements: tuple[Any, ...],
    counter: Any,
    enqueue_many: bool,
) -> Node:
    """An enqueue whose inputs depend on no stream."""
    shuffles = [o for o in fragment.ops if o.type == "RandomShuffle"]
    seeds = [(o.get_attr("seed"), o.get_attr("seed2")) for o in shuffles]
    return Source(
        name=op.name,
        origin=origin(op),
        elements=elements,
        fragment=fragment,
        num_epochs=None if counter is None else int(counter.get_attr("limit")),
        counter=counter,
        enqueue_many=enqueue_many,
        shuffle=bool(shuffles),
        seed=next((seed for seed in seeds if seed != (0, 0)), None),
        threads=walk.threads_of_producer(),
        ahead=_room(op),
    )


def _room(enqueue: Any) -> int:
    """The capacity of the queue that an op fills; 1 where that is not known."""
    filled = [t.op for t in enqueue.inputs[:1] if "capacity" in t.op.node_def.attr]
    return max([1, *(int(op.get_attr("capacity")) for op in filled)])
