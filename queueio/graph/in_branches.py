"""Ops in a branch of a cond or in the body of a loop, which no session call may run.

A pipeline that is built in `tf.cond(is_train, lambda: batch(train), lambda: batch(test))` has its
enqueue ops there, and those that close its queues: its queue runners end with an error, and its
batch is waited for without end.
"""

from __future__ import annotations

from typing import Any

from queueio.graph.choosing import FEED

WHY = "it is in a branch of a cond or in the body of a loop, and no session call may run such an op"
DO = f"Build the pipeline outside of the cond or loop, up to what its batch gives; {FEED}"


def is_runnable(op: Any) -> bool:
    """Whether a session call, and with it a queue runner, may run an op."""
    return bool(op.graph.is_fetchable(op))
