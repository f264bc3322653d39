"""Cuts sequences into segments, batches these, and hands each example's state on from one to next.

Legacy:
    n = tf.train.range_input_producer(2, num_epochs=1, shuffle=False).dequeue()
    batch = tf.contrib.training.batch_sequences_with_states(
        input_key=tf.as_string(n), input_sequences={"x": tf.fill([3], n)}, input_context={},
        input_length=None, initial_states={"sum": tf.constant(0)}, num_unroll=2, batch_size=2)
    after = batch.state("sum") + tf.reduce_sum(batch.sequences["x"], 1)
    save = batch.save_state("sum", after)

Modern:
    none: a state that the model computes comes back into the input; write the loop over the
    segments of a padded batch into the model, with the state in its variables

Emits:
    a `NextQueuedSequenceBatch`: `sequences` [batch, num_unroll, ...], `context` [batch, ...], key,
    length and state of each segment

Differs:
    What the session saves decides which segment comes next, so no dataset can stand in: the data
    engine leaves such a pipeline to the queues, and with strict it fails. `input_context` is left
    as it was given. To stop after the last segment could hang TensorFlow 1.15 for ever. As in
    TensorFlow 1.15, a MetaGraph with the saver's runner cannot be imported: it names the saver,
    which is no op.

Raises:
    OutOfRangeError: after the last segment. InvalidArgumentError in the run when lengths do not
    match. ValueError and TypeError for shapes that are not known, and for no state at all.

Segments have the keys `00000_of_00003:<key of the example>`, the next one's is `STOP:…` at the end,
and keys of examples under way must differ. Every state must be saved at every step: a segment waits
for the state of the one before, so without a save only first segments come. And a state must be
fetched at every step: that makes room for further examples, and without it the batches end, waiting
for ever, after `capacity` examples. So no pipeline of several segments runs without a state that
comes back; where every sequence is one segment, `tf.train.batch` gives the same and lifts. At the
end of the input a batch may be smaller; a session call that was waiting for a whole one when the
input ended raises instead. Of a sparse sequence the dense shape then still says `batch_size`, as it
did.

Source:
    tf.contrib.training.batch_sequences_with_states of TensorFlow 1.15
"""

from __future__ import annotations

import threading
import time
from typing import Any

import tensorflow as tf

from queueio.contrib.training.next_queued_sequence_batch import NextQueuedSequenceBatch
from queueio.contrib.training.sequence_padding import checked_multiples, padded
from queueio.contrib.training.sparse_sequences import (
    context_as_sequences,
    context_of,
    restore,
    stored,
)
from queueio.contrib.training.state_saver import SequenceQueueingStateSaver
from queueio.eager import refuse_eager
from queueio.runtime.threads.ends import quietly
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.threads.start import add_queue_runner
from queueio.runtime.threads.thread import wait_for_stop_or_end

v1 = tf.compat.v1
_PATIENCE = 0.5
"""For so many seconds a stop leaves it to the threads to end by themselves."""


def batch_sequences_with_states(
    input_key: Any,
    input_sequences: dict[str, Any],
    input_context: dict[str, Any],
    input_length: Any,
    initial_states: dict[str, Any],
    num_unroll: int,
    batch_size: Any,
    num_threads: int = 3,
    capacity: int = 1000,
    allow_small_batch: bool = True,
    pad: bool = True,
    make_keys_unique: bool = False,
    make_keys_unique_seed: int | None = None,
    name: str | None = None,
) -> NextQueuedSequenceBatch:
    """Makes batches of segments of sequences, with a state that goes from one to the next.

    Args:
      input_key: string scalar, another one for each example that is under way.
      input_sequences: dense or sparse tensors by name, of shape [time, ...], equally long.
      input_context: dense or sparse tensors by name: what holds for all segments of an example.
      input_length: int32 scalar: how much of the sequences is no padding; None for all of it,
        with `pad` only.
      initial_states: tensors by name, of known shape: the states before the first segment.
      num_unroll: how long a segment is, an integer.
      batch_size: how many segments make a batch, an integer or int32 scalar.
      num_threads: how many threads take in examples. With more than one the order is not defined.
      capacity: how many examples may be under way.
      allow_small_batch: whether batches may be smaller once the input has ended.
      pad: whether sequences are padded to a multiple of `num_unroll`; else they must be one.
      make_keys_unique: whether a random number is put behind each key.
      make_keys_unique_seed: seed of these numbers.
      name: name of the scope (default "batch_sequences_with_states").

    Returns:
      The batch. Its runner, whose queue is the saver, is in QUEUE_RUNNERS.

    Raises:
      TypeError: an input is of another type than that.
      ValueError: a shape is not known, a key has a colon, there are no sequences or no states, or
        the capacity is smaller than a batch; also where eager execution is on.
    """
    refuse_eager("batch_sequences_with_states", ValueError)
    values = [*input_sequences.values(), *input_context.values(), *initial_states.values()]
    with v1.name_scope(name, "batch_sequences_with_states", values) as scope:
        if pad:
            length, input_sequences = padded(input_sequences, num_unroll)
            input_length = length if input_length is None else input_length
        elif input_sequences:
            input_sequences = checked_multiples(input_sequences, num_unroll)
        context, sequences = context_as_sequences(input_context, input_sequences, num_unroll)
        sequences, stores = stored(sequences, scope)
        if make_keys_unique:
            input_key = _with_number(input_key, make_keys_unique_seed)
        saver = SequenceQueueingStateSaver(
            batch_size,
            num_unroll,
            input_length=input_length,
            input_key=input_key,
            input_sequences=sequences,
            input_context=context,
            initial_states=initial_states,
            capacity=capacity,
            allow_small_batch=allow_small_batch,
        )
        _summarize(saver.barrier)
        _add_runner(saver, num_threads)
        batch = saver.next_batch
        restore(batch.sequences, stores, batch_size, num_unroll)
        context_of(batch.sequences, batch.context)
        return batch


class _SaverRunner(QueueRunner):
    """Cancels the saver at a stop, unless the end of its input has closed it.

    Of two closes of a barrier the second may never return, and the session could not be closed: it
    was so in TensorFlow 1.15. Threads that failed have closed nothing.
    """

    def _close_on_stop(self, sess: Any, cancel_op: Any, coord: Any) -> None:
        run = getattr(threading.current_thread(), "run_record", None)
        wait_for_stop_or_end(coord, run)
        latest = time.monotonic() + _PATIENCE
        while run is not None and not run.ended and time.monotonic() < latest:
            time.sleep(0.01)
        if coord.should_stop() and (run is None or not run.closed):
            quietly(sess, cancel_op)


def _with_number(key: Any, seed: int | None) -> Any:
    number = v1.random_uniform((), minval=0, maxval=100000000, dtype=tf.int32, seed=seed)
    return tf.strings.join([key, tf.strings.as_string(number)])


def _summarize(barrier: Any) -> None:
    ready = tf.cast(barrier.ready_size(), tf.float32)
    v1.summary.scalar(f"queue/{barrier.name}/ready_segment_batches_", ready)


def _add_runner(saver: SequenceQueueingStateSaver, num_threads: int) -> None:
    ends = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
    add_queue_runner(
        _SaverRunner(saver, [saver.prefetch_op] * num_threads, queue_closed_exception_types=ends)
    )
