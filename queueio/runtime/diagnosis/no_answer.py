"""Nothing is left to run an op on, not even one that reads a queue's size."""

from __future__ import annotations

import os

from queueio.errors import message
from queueio.runtime import ledger
from queueio.runtime.calls import SessionCall
from queueio.runtime.diagnosis.state import SessionState
from queueio.runtime.diagnosis.verdict import Verdict


def diagnose(call: SessionCall, state: SessionState) -> Verdict | None:
    """The verdict on a call of such a session; None where it is closed, or at work."""
    if getattr(ledger.innermost(call.session), "_closed", False) or state.computed_since(
        call.snapshot
    ):
        return None
    text = message(
        "The session does not even answer how full its queues are",
        "every thread of its pool is inside an op that blocks",
        "Give it more, or take the blocking op (a Python function, a slow file) out of the graph",
        right="tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=16))",
    )
    return Verdict(text, "no answer", certain=False, patience=2)


def forked() -> Verdict:
    """The verdict on a call that waits in a process that was forked from one with sessions."""
    text = message(
        f"This process ({os.getpid()}) was forked from one in which sessions had run, and has none "
        "of their threads",
        "TensorFlow does not survive a fork",
        "Fork before the first session, or use the 'spawn' start method",
        right='multiprocessing.get_context("spawn")',
    )
    return Verdict(text, "forked", certain=False, patience=2)
