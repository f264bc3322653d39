"""SequenceQueueingStateSaver: a queue of sequences, cut into segments that hand on their states."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.contrib.training.barrier import Barrier
from queueio.contrib.training.next_queued_sequence_batch import NextQueuedSequenceBatch, Received
from queueio.contrib.training.sequence_checks import (
    Inputs,
    check_dimensions,
    check_keys,
    check_multiple_of,
    prepared,
)
from queueio.eager import refuse_eager

v1 = tf.compat.v1
# What each segment has beside its sequences, context and states, in the order of the barrier.
_OWN = ("__length", "__total_length", "__next_key", "__sequence", "__sequence_count")
# What stands in the queue of capacity for an example; TF1 chose it, and nobody reads it.
_TOKEN = 21051976


class SequenceQueueingStateSaver:
    """Holds sequences cut into segments, and gives batches of the segments that are ready.

    A segment is ready when the state of the one before it was saved. A `QueueRunner` may run
    `prefetch_op`, with the saver in place of its queue.
    """

    def __init__(
        self,
        batch_size: Any,
        num_unroll: int,
        input_length: Any,
        input_key: Any,
        input_sequences: dict[str, Any],
        input_context: dict[str, Any],
        initial_states: dict[str, Any],
        capacity: int | None = None,
        allow_small_batch: bool = False,
        name: str | None = None,
    ) -> None:
        """Makes the barrier and what checks the example on its way in.

        Args:
          batch_size: how many segments make a batch, an integer or int32 scalar.
          num_unroll: how long a segment is.
          input_length: int32 scalar: how much of the sequences is no padding.
          input_key: string scalar, another one for each example that is under way.
          input_sequences: tensors by name, of shape [time, ...]. They are equally long, a multiple
            of `num_unroll`, and of known shape beyond that.
          input_context: tensors by name, of known shape: what holds for all segments.
          initial_states: tensors by name, of known shape: the states before the first segment.
          capacity: how many examples may be under way; None for any number.
          allow_small_batch: whether batches may be smaller once the input has ended.
          name: name of the scope (default "InputQueueingStateSaver").

        Raises:
          TypeError: an input is of another type than that.
          ValueError: a shape is not known, a key has a colon, there are no sequences or no states,
            or the capacity is smaller than a batch; also where eager execution is on.
        """
        refuse_eager("SequenceQueueingStateSaver", ValueError)
        input_key = _with_room(input_key, capacity, batch_size)
        # A token for each example under way: the barrier counts segments, and has no capacity.
        self._capacity_queue = tf.queue.FIFOQueue(
            -1 if capacity is None else capacity, dtypes=[tf.int32], shapes=[[]]
        )
        self._batch_size, self._num_unroll = batch_size, num_unroll
        self._allow_small_batch = allow_small_batch
        self._prefetch_op: Any = None
        self._next_batch: NextQueuedSequenceBatch | None = None
        with self.beside_queue():
            _check_states(initial_states)
            inputs = [*input_sequences.values(), *input_context.values()]
            with v1.name_scope(
                name, "InputQueueingStateSaver", [input_length, input_key, *inputs]
            ) as scope:
                self._name = str(scope)
                self._take_in(
                    Inputs.checked(input_length, input_key, input_sequences, input_context),
                    initial_states,
                )
                self._barrier = self._make_barrier()

    @property
    def name(self) -> str:
        """The saver's scope, with a slash at its end: a runner takes it for a queue's name."""
        return self._name

    @property
    def barrier(self) -> Barrier:
        """The barrier that holds the segments."""
        return self._barrier

    @property
    def batch_size(self) -> Any:
        """As given."""
        return self._batch_size

    @property
    def num_unroll(self) -> int:
        """As given."""
        return self._num_unroll

    @property
    def prefetch_op(self) -> Any:
        """The op that takes in one example; it waits while there are `capacity` under way."""
        if self._prefetch_op is None:
            with self._scope():
                self._prefetch_op = self._make_prefetch_op()
        return self._prefetch_op

    @property
    def next_batch(self) -> NextQueuedSequenceBatch:
        """The batch of segments: at each step those that are ready and came in first."""
        if self._next_batch is None:
            _ = self.prefetch_op  # its ops are made first, as their names tell
            with self._scope():
                self.received = self._take()
            self._next_batch = NextQueuedSequenceBatch(self)
        return self._next_batch

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """The op that ends the input: no further example comes in.

        Args:
          cancel_pending_enqueues: whether the examples under way are given up, too.
          name: name of the scope (default "SQSSClose").
        """
        with v1.name_scope(name, "SQSSClose", [self._prefetch_op]) as scope:
            barrier = self.barrier.close(cancel_pending_enqueues, "BarrierClose")
            queue = self._capacity_queue.close(cancel_pending_enqueues, "FIFOClose")
            return _after([barrier, queue], scope)

    def beside_queue(self) -> Any:
        """Within it, ops are made on the device of the queue: there is no other for barriers."""
        queue = self._capacity_queue.queue_ref
        return queue.graph.colocate_with(queue.op)

    def component(self, kind: str, name: str) -> int:
        """The barrier's component of a "sequence", "context" or "state"."""
        return self._components[f"__{kind}__{name}"]

    def _scope(self) -> Any:
        # Ending with a slash, it is opened again whatever scope is open now.
        return v1.name_scope(self._name)

    def _take_in(self, inputs: Inputs, initial_states: dict[str, Any]) -> None:
        """Checks an example, and notes the tensors of it that the other ops need."""
        self._length, self._key, self._states, sequences, self._context = prepared(
            inputs, initial_states
        )
        first = next(iter(sequences.values()))
        padded = tf.identity(tf.shape(first)[0], name="padded_length")
        self._padded = check_multiple_of(padded, self._num_unroll)
        self._sequences = {
            key: check_dimensions(value, [self._padded], f"sorted_sequences_{key}")
            for key, value in sequences.items()
        }
        kinds = {"sequence": sequences, "context": self._context, "state": self._states}
        names = [f"__{kind}__{key}" for kind, values in kinds.items() for key in values]
        self._components = {name: i for i, name in enumerate([*_OWN, *names])}
        said = ["Input length should be <= than length from sequences:", self._length]
        fits = v1.Assert(tf.less_equal(self._length, self._padded), [*said, " vs. ", self._padded])
        with tf.control_dependencies([fits]):
            self._length = tf.identity(self._length)

    def _make_barrier(self) -> Barrier:
        held = [*self._context.values(), *self._states.values()]
        segments = self._sequences.values()
        return Barrier(
            [tf.int32, tf.int32, tf.string, tf.int32, tf.int32]
            + [tensor.dtype for tensor in (*segments, *held)],
            [[]] * len(_OWN)
            + [[self._num_unroll, *tensor.shape[1:]] for tensor in segments]
            + [tensor.shape for tensor in held],
        )

    def _make_prefetch_op(self) -> Any:
        count = v1.div(self._padded, self._num_unroll)
        own, keys = self._of_segments(count)
        values = {f"__sequence__{k}": self._cut(k, v, count) for k, v in self._sequences.items()}
        values |= {f"__context__{k}": self._repeated(k, v, count) for k, v in self._context.items()}
        inserts = {
            name: self._insert(name, keys, value) for name, value in {**own, **values}.items()
        }
        token = self._capacity_queue.enqueue((_TOKEN,))
        # After the segments, so that all of them are inserted at once and have one index.
        with tf.control_dependencies([inserts["__sequence"], token]):
            states = [
                self._barrier.insert_many(
                    self.component("state", key),
                    tf.stack([keys[0]]),
                    tf.stack([value]),
                    name=f"BarrierInitialInsertState_{key}",
                )
                for key, value in self._states.items()
            ]
        return _after([token, *inserts.values(), *states], "StateSaverPrefetchGroup")

    def _of_segments(self, count: Any) -> tuple[dict[str, Any], Any]:
        """What each segment of an example has of its own, by component; and the keys."""
        ones = tf.ones(tf.expand_dims(count, 0), dtype=tf.int32)
        sequence = tf.range(count)
        length = tf.maximum(0, self._length - self._num_unroll * sequence)
        length = tf.minimum(self._num_unroll, length)
        total_length, counts = self._length * ones, count * ones
        digits = {"width": 5, "fill": "0"}
        numbers = [tf.strings.as_string(n, **digits) for n in (sequence, count)]
        keys = tf.strings.join(
            [numbers[0], "_of_", numbers[1], ":", self._key], name="StringJoinCurrentKeys"
        )
        stop = tf.expand_dims(tf.strings.join(["STOP:", self._key], name="StringJoinStop"), 0)
        next_keys = tf.concat([tf.slice(keys, [1], [-1]), stop], 0, name="concat_next_keys")
        found = (length, total_length, next_keys, sequence, counts)
        return dict(zip(_OWN, found, strict=True)), keys

    def _cut(self, key: str, value: Any, count: Any) -> Any:
        """A sequence as [segments, num_unroll, ...]."""
        sizes = value.shape.as_list()[1:]
        shape = tf.concat(
            [tf.expand_dims(count, 0), tf.expand_dims(self._num_unroll, 0), sizes],
            0,
            name=f"concat_sequences_{key}",
        )
        cut = tf.reshape(value, shape, name=f"reshape_sequences_{key}")
        return check_dimensions(cut, [count, self._num_unroll, *sizes], f"reshaped_sequences_{key}")

    def _repeated(self, key: str, value: Any, count: Any) -> Any:
        """A part of the context, once for each segment."""
        rank = value.shape.ndims
        row = tf.expand_dims(value, 0)
        times = tf.concat([tf.expand_dims(count, 0), [1] * rank], 0, name=f"concat_context_{key}")
        tiled = tf.tile(row, times, name=f"tile_context_{key}")
        return check_dimensions(tiled, [count, *value.shape.as_list()], f"expanded_context_{key}")

    def _insert(self, component: str, keys: Any, values: Any) -> Any:
        kind, _, key = component.removeprefix("__").partition("__")
        named = "".join(part.title() for part in kind.split("_"))
        if key or component not in _OWN:
            named = f"{'Sequences' if kind == 'sequence' else named}_{key}"
        return self._barrier.insert_many(
            self._components[component], keys, values, name=f"BarrierInsert{named}"
        )

    def _take(self) -> Received:
        indices, keys, values = self._barrier.take_many(
            self._batch_size, self._allow_small_batch, name="BarrierTakeMany"
        )
        length, total_length, next_key, sequence, count = values[: len(_OWN)]

        def part(kind: str, names: Any) -> dict[str, Any]:
            return {name: values[self.component(kind, name)] for name in names}

        batch_size = tf.squeeze(tf.shape(length))
        is_done = sequence + 1 >= count
        finished = tf.reduce_sum(tf.cast(is_done, tf.int32))
        with tf.control_dependencies([self._capacity_queue.dequeue_many(finished)]):
            states = {k: tf.identity(v) for k, v in part("state", self._states).items()}
        return Received(
            indices, keys, next_key, sequence, count, length, total_length,
            part("context", self._context), part("sequence", self._sequences), states,
            batch_size, is_done,
        )  # fmt: skip


def _after(ops: list[Any], name: str) -> Any:
    """An op behind all of these. Not tf.group: it makes further ones, as barriers have a device."""
    with tf.control_dependencies(ops):
        return tf.no_op(name=name)


def _check_states(initial_states: Any) -> None:
    if not isinstance(initial_states, dict):
        raise TypeError("initial_states must be a dictionary")
    if not initial_states:
        raise ValueError(
            "initial_states may not be empty: at least one state variable is required, as the"
            " segment after this one waits until a state was saved for it"
        )
    check_keys(initial_states, "state name")


def _with_room(key: Any, capacity: int | None, batch_size: Any) -> Any:
    """The key, after a check that as many examples as make a batch may be under way."""
    if capacity is None:
        return key
    if tf.is_tensor(batch_size):
        check = v1.assert_greater_equal(
            tf.cast(capacity, tf.int64),
            tf.cast(batch_size, tf.int64),
            message="capacity needs to be >= batch_size.",
        )
        with tf.control_dependencies([check]):
            return tf.identity(key)
    if capacity < batch_size:
        raise ValueError(f"capacity {capacity} needs to be >= batch_size {batch_size}")
    return key
