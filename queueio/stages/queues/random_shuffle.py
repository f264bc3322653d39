"""Gives examples in random order out of a pool that is kept filled.

Legacy:
    queue = tf.RandomShuffleQueue(10, min_after_dequeue=5, dtypes=[tf.int32], shapes=[[]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue_many([tf.range(8)])])
    tf.train.add_queue_runner(runner)
    value = queue.dequeue()

Modern:
    numbers = tf.data.Dataset.range(8, output_type=tf.int32).repeat()
    dataset = numbers.shuffle(5 + 1)

Emits:
    the dtypes and shapes of its elements

Differs:
    A dequeue waits until min_after_dequeue elements would remain, and draws from everything that
    is there; a `shuffle` buffer of min_after_dequeue + 1 is the smallest that mixes as well.
    Records of different epochs mix here, because the pool does not know of epochs: `repeat`
    before `shuffle`.

Raises:
    InvalidArgumentError: at the first call, when min_after_dequeue leaves no room below the
    capacity.
    OutOfRangeError: the queue is closed and holds fewer elements than asked for. Once it is
    closed, min_after_dequeue no longer holds back the rest.

A seed fixes the draws but not the order: what the pool holds at a draw depends on the threads.

Source:
    tf.RandomShuffleQueue of TensorFlow 1.15
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.compile.deferred_ops import only_strings, piece_rows
from queueio.compile.kernels.budget import CHUNK_BYTES
from queueio.compile.kernels.moves import Fill
from queueio.compile.kernels.pool import MOST_ROWS, pool_shuffle
from queueio.compile.stream import Stream
from queueio.plan import Node, Walk, lifts
from queueio.plan.node import Captures
from queueio.stages.queues.eager_safe import EagerSafe
from queueio.stages.queues.example_queue import ExampleQueue, common_fields

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


class RandomShuffleQueue(EagerSafe, tf.queue.RandomShuffleQueue):
    """Draws at random from what it holds; see `tf.queue.RandomShuffleQueue`, which it extends."""

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        """Makes the queue.

        Args:
          capacity: how many elements it holds.
          min_after_dequeue: how many elements stay behind after a dequeue, until it is closed.
          dtypes: the dtype of each component.
          shapes: the shape of each component; without them only single elements are dequeued.
          names: a name for each component, for elements that are dicts.
          seed: seed of the draws.
          shared_name: its name across the sessions of a cluster.
          name: name of the op.
        """
        super().__init__(
            capacity, min_after_dequeue, dtypes, shapes, names, seed, shared_name, name
        )
        self._capacity, self._needed_to_leave = capacity, min_after_dequeue


_UNBOUNDED = 1024
"""How many more elements than needed it holds where the queue has no capacity."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ShuffleQueue(ExampleQueue):
    """A queue that gives its elements in random order."""

    min_after_dequeue: int
    seed: tuple[int, int] | None
    """The seeds of the draws, if set: the graph's and the op's."""

    @property
    def kept_back(self) -> int:
        """Its `min_after_dequeue`."""
        return self.min_after_dequeue

    def to_dataset(self, *inputs: Any, captures: Captures = None) -> Any:
        """A shuffle buffer of the queue's capacity: the pool that fast producers keep full."""
        return inputs[0].shuffle(self._most, seed=self._one_seed)

    def to_stream(self, *inputs: Any, captures: Captures = None) -> Any:
        """The draw that the queue makes, on a chunk of rows at once."""
        stream, seed = inputs[0], self._one_seed
        if stream.packed:
            stream = stream.settled()
        if not stream.chunked:
            return Stream(stream.dataset.shuffle(self._filled(), seed=seed), captures=captures)
        later = stream.later
        soon = later is None or only_strings(later)
        rows = self.dequeued if soon else piece_rows(later, self.dequeued)
        if stream.record_shuffle is not None:
            unit, shuffled = rows, stream.record_shuffle.shuffled(self._filled(), rows, seed)
        else:
            row = stream.bytes_of_row
            unit, most = self._unit(row), self._filled()
            fill = Fill(most, min(self._ready, most), unit)
            at_once = 0 if stream.slow else MOST_ROWS
            shuffled = pool_shuffle(stream.dataset, fill, rows, seed, at_once, row)
        unbatched = stream.unbatched and (
            lambda: self.to_stream(stream.settled(), captures=captures)
        )
        return Stream(
            shuffled, chunked=True, multiple=unit, later=later, captures=stream.captures,
            batch=stream.batch, pads=stream.pads, unbatched=unbatched,
        )  # fmt: skip

    @property
    def _ready(self) -> int:
        """How many elements there must be before a batch can leave."""
        return self.min_after_dequeue + self.dequeued

    @property
    def _most(self) -> int:
        """How many elements it holds at most."""
        return self.capacity if self.capacity > 0 else self._ready + _UNBOUNDED

    def _filled(self) -> int:
        """How many to draw from: as a full queue, which half a batch has left at a draw."""
        if self.capacity < 0:
            return self._most
        return max(min(self._ready, self.capacity), self.capacity - self.dequeued // 2)

    def _unit(self, row: int | None) -> int:
        """How many rows leave a pool together: a batch, if that is not too much to wait for."""
        light = row is None or row * self.dequeued <= CHUNK_BYTES
        return self.dequeued if light and self._filled() >= self._ready else 1

    @property
    def _one_seed(self) -> int | None:
        return None if self.seed is None else (self.seed[0] * 1_000_003 + self.seed[1]) % 2**31

    def to_source(self, writer: Writer, wanted: Any) -> str:
        """`shuffle`, over as many examples as the queue held at most."""
        held = f"to {self.capacity}" if self.capacity > 0 else "or more, without a limit"
        size = writer.argument(
            "shuffle_buffer", self._most, "int",
            f"examples to draw from; the queue held {self.min_after_dequeue} {held}.",
            origin=self.origin,
        )  # fmt: skip
        stream = writer.upstream(self.input, wanted)
        notes = ["Examples mix across the borders of epochs, as they did in the queue."]
        return writer.step(self, stream, "shuffle", size, seed=writer.seed(self), notes=notes)


@lifts("RandomShuffleQueue", "RandomShuffleQueueV2")
def lift(op: Any, walk: Walk) -> Node:
    """A random shuffle queue; one that TensorFlow could not make is refused."""
    capacity, kept_back = (int(op.get_attr(name)) for name in ("capacity", "min_after_dequeue"))
    if kept_back < 0 or 0 <= capacity <= kept_back:
        raise walk.refuse(
            op,
            f"it fails at its first step: min_after_dequeue {kept_back} must be < capacity"
            f" {capacity}, and not negative",
            "Use a min_after_dequeue of 0 or more, and a capacity above it",
        )
    seed = (int(op.get_attr("seed")), int(op.get_attr("seed2")))
    return ShuffleQueue(
        min_after_dequeue=kept_back,
        seed=None if seed == (0, 0) else seed,
        **common_fields(op, walk),
    )
