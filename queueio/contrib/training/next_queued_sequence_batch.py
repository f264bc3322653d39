"""A batch of segments as tensors: what `SequenceQueueingStateSaver.next_batch` gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from queueio.contrib.training.sequence_checks import check_shape

v1 = tf.compat.v1


@dataclass(frozen=True, eq=False)
class Received:
    """What was taken out of the barrier, batch by batch.

    Attributes:
      index, key, next_key, sequence, sequence_count, length, total_length: vectors.
      context, sequences, states: tensors by name, with a leading dimension of the batch.
      batch_size: a scalar. is_done: bool, whether a segment is the last one of its example.
    """

    index: Any
    key: Any
    next_key: Any
    sequence: Any
    sequence_count: Any
    length: Any
    total_length: Any
    context: dict[str, Any]
    sequences: dict[str, Any]
    states: dict[str, Any]
    batch_size: Any
    is_done: Any


class NextQueuedSequenceBatch:
    """One batch of segments, and where the states of the next segments are saved."""

    def __init__(self, state_saver: Any) -> None:
        """Made by the state saver.

        Args:
          state_saver: the `SequenceQueueingStateSaver`.
        """
        self._state_saver = state_saver

    @property
    def total_length(self) -> Any:
        """The lengths of the whole examples, int32 [batch_size]."""
        return self._received.total_length

    @property
    def length(self) -> Any:
        """How much of each segment is no padding, int32 [batch_size]: from 0 to num_unroll."""
        return self._received.length

    @property
    def batch_size(self) -> Any:
        """How many segments there are, an int32 scalar."""
        return self._received.batch_size

    @property
    def insertion_index(self) -> Any:
        """Which example each segment is of, int64 [batch_size], counted from -2**63."""
        return self._received.index

    @property
    def key(self) -> Any:
        """The keys of the segments, strings [batch_size]: "00000_of_00003:<the example's>"."""
        return self._received.key

    @property
    def next_key(self) -> Any:
        """The keys of the segments after these; "STOP:<the example's>" after the last."""
        return self._received.next_key

    @property
    def sequence(self) -> Any:
        """Which segment of its example each one is, int32 [batch_size]."""
        return self._received.sequence

    @property
    def sequence_count(self) -> Any:
        """How many segments its example has, int32 [batch_size]."""
        return self._received.sequence_count

    @property
    def context(self) -> dict[str, Any]:
        """By name, what holds for all of the example: tensors [batch_size, ...]."""
        return self._received.context

    @property
    def sequences(self) -> dict[str, Any]:
        """By name, the segments: tensors [batch_size, num_unroll, ...]."""
        return self._received.sequences

    def state(self, state_name: str) -> Any:
        """The state before these segments: initial, or what `save_state` saved.

        Args:
          state_name: a key of the saver's `initial_states`.

        Returns:
          A tensor [batch_size, ...].

        Raises:
          KeyError: there is no such state.
        """
        return self._received.states[state_name]

    def save_state(self, state_name: str, value: Any, name: str | None = None) -> Any:
        """Saves a state for the segments after these. To be run at each step, for every state.

        Args:
          state_name: a key of the saver's `initial_states`.
          value: the state after these segments, [batch_size, ...], like `state(state_name)`.
          name: name of the scope (default "InputQueueingStateSaver_SaveState").

        Returns:
          The op that saves.

        Raises:
          KeyError: there is no such state.
          ValueError: the value is known to have another shape.
        """
        received, saver = self._received, self._state_saver
        if state_name not in received.states:
            raise KeyError(f"state was not declared: {state_name}")
        with (
            v1.name_scope(name, "InputQueueingStateSaver_SaveState", values=[value]),
            saver.beside_queue(),
        ):
            going_on = tf.reshape(tf.where(tf.logical_not(received.is_done)), [-1])
            keys = tf.gather(received.next_key, going_on)
            value = tf.identity(value, name=f"convert_{state_name}")
            value = check_shape(value, tf.shape(received.states[state_name]))
            return saver.barrier.insert_many(
                saver.component("state", state_name),
                keys,
                tf.gather(value, going_on),
                name=f"BarrierInsertState_{state_name}",
            )

    @property
    def _received(self) -> Received:
        received: Received = self._state_saver.received
        return received
