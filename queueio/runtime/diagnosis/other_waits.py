"""Waits for what is in no queue: gradients in an accumulator, elements in a barrier.

`SyncReplicasOptimizer` gathers gradients in accumulators; a barrier gives elements of which all
components have come.
"""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from queueio.errors import message
from queueio.graph.origin import origin
from queueio.graph.static_values import static_value
from queueio.graph.traversal import is_barrier_take, is_gradient_take, op_of, root
from queueio.runtime import ledger
from queueio.runtime.calls import SessionCall
from queueio.runtime.diagnosis import by_hand, queues
from queueio.runtime.diagnosis.verdict import Verdict
from queueio.words import times


def diagnose(call: SessionCall) -> Verdict | None:
    """The verdict on a call that takes more of these than are there; None for all others."""
    for op in call.runs():
        if is_barrier_take(op) or is_gradient_take(op):
            wanted, there = static_value(op.inputs[1]), _held(op, call)
            if wanted is not None and there is not None and there < wanted:
                return _verdict(op, int(wanted), there, call)
    return None


def _held(take: Any, call: SessionCall) -> int | None:
    """How many could be taken now; None where the session does not say."""
    counts = {
        "BarrierTakeMany": tf.raw_ops.BarrierReadySize,
        "ResourceAccumulatorTakeGradient": tf.raw_ops.ResourceAccumulatorNumAccumulated,
    }
    count = counts.get(take.type, tf.raw_ops.AccumulatorNumAccumulated)
    with queues.opened(call.session.graph, "queueio_watch/"):
        made = op_of(count(handle=take.inputs[0])).outputs[0]
    answers = queues.ask(call.session, [made])
    return int(answers[0]) if answers else None


def _verdict(take: Any, wanted: int, there: int, call: SessionCall) -> Verdict:
    made = root(take.inputs[0]).op
    if is_barrier_take(take):
        noun, why = "element", "an element is there when each of its components was inserted"
        do = "Run insert_many for all components in another thread, or close the barrier"
    else:
        noun, why = "gradient", "one with a local_step before the global step of it is dropped"
        do = "Run apply_grad as often in other threads, with the step that take_grad left"
    what = (
        f"it takes {times(wanted, noun)} from {made.type} {made.name!r} ({origin(made)}), which "
        f"has {there}"
    )
    session = ledger.innermost(call.session)
    running = any(thread.state == "running" for thread in ledger.of(session).threads())
    elsewhere = bool(getattr(session, "sess_str", ""))
    others = running or elsewhere or bool(by_hand.threads_beside(call))
    certain = not others
    text = message(what, why, do)
    return Verdict(text, f"elsewhere {made.name}", certain, 1 if certain else 4)
