"""`tf.contrib.learn.run_n` and `run_feeds`: what tensors give, in a session of their own."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from typing import Any

import tensorflow as tf

from queueio.runtime.threads.start import running
from queueio.runtime.topology import collected_runners

v1 = tf.compat.v1


def run_n(
    output_dict: Mapping[str, Any],
    feed_dict: Mapping[Any, Any] | None = None,
    restore_checkpoint_path: str | None = None,
    n: int = 1,
) -> list[dict[str, Any]]:
    """Runs tensors n times in a new session, whose variables, tables and queues it starts.

    Args:
      output_dict: names, each with a tensor or a nest of tensors.
      feed_dict: what is fed, the same in each step.
      restore_checkpoint_path: the checkpoint that the variables are read from, if any.
      n: the number of steps.

    Returns:
      For each step the values under the names of `output_dict`.

    Raises:
      ValueError: output_dict is empty or None.
      OutOfRangeError: the input ended before so many steps.
    """
    return run_feeds(output_dict, itertools.repeat(feed_dict, n), restore_checkpoint_path)


def run_feeds(
    output_dict: Mapping[str, Any],
    feed_dicts: Iterable[Mapping[Any, Any] | None],
    restore_checkpoint_path: str | None = None,
) -> list[dict[str, Any]]:
    """Runs tensors once for each dict of feeds, in a new session as that of `run_n`.

    Args:
      output_dict: names, each with a tensor or a nest of tensors.
      feed_dicts: what is fed in each step; None for nothing.
      restore_checkpoint_path: the checkpoint that the variables are read from, if any.

    Returns:
      For each step the values under the names of `output_dict`.

    Raises:
      ValueError: output_dict is empty or None.
      OutOfRangeError: the input ended before the feeds did.
    """
    if not output_dict:
        raise ValueError(f"output_dict is invalid: {output_dict}. Give each tensor a name.")
    graph = tf.nest.flatten(list(output_dict.values()))[0].graph
    with graph.as_default(), v1.Session() as sess:
        sess.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        sess.run(v1.tables_initializer())
        if restore_checkpoint_path:
            v1.train.Saver().restore(sess, restore_checkpoint_path)
        with running(sess) if collected_runners(graph) else nullcontext():
            return [sess.run(dict(output_dict), feed_dict) for feed_dict in feed_dicts]
