"""How many calls of a stage run side by side: a fixed number, not one that is tuned.

Chunks are few and alike, so there is nothing to tune; tf.data's model of the pipeline would cost
more than it finds, a third of a microsecond for every record that a reader gives.
"""

from __future__ import annotations

import os
from typing import Any

import tensorflow as tf

_MOST = 8


def calls() -> int:
    """Calls of one stage at a time: one for each processor, two at least, up to eight."""
    return max(2, min(len(os.sched_getaffinity(0)), _MOST))


def at_once(in_order: bool) -> dict[str, Any]:
    """Arguments of `Dataset.map`: side by side, unless elements must pass one after the other.

    Those for the order go with the calls only: alone they have no effect, and tf.data warns.
    """
    return {} if in_order else {"num_parallel_calls": calls(), "deterministic": True}


def untuned(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """`dataset` without the tuner; options set later on win over this one."""
    options = tf.data.Options()
    options.autotune.enabled = False
    return dataset.with_options(options)
