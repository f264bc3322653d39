"""What there is instead of a pipeline in what a script had built, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from queueio.words import times

if TYPE_CHECKING:
    from queueio.script.building import BuildingPhase


def why_none(phase: BuildingPhase) -> str:
    """Why no pipeline was found, as far as that can be told: sentences.

    Args:
      phase: what the script had built, without a pipeline.
    """
    ops: list[Any] = [op for graph in phase.graphs for op in graph.get_operations()]
    own_end = "its end, and no session had run a queue, reader or variable"
    until = f"until {phase.ended or own_end}"
    if not ops:
        after = " A pipeline that is built after that is not seen." if phase.ended else ""
        return f"It had built no graph {until}.{after}"
    queues = [op.name for op in ops if op.type.removesuffix("V2").endswith("Queue")]
    if queues:
        return _untaken(ops, queues, until) + (_EARLIER if phase.ended else "")
    if any("Iterator" in op.type for op in ops):
        return f"It reads with tf.data; its graph, built {until}, holds no queue."
    return f"There is no queue among the {times(len(ops), 'op')} that it had built {until}."


# A loop that calls `queue.dequeue()` itself adds an op in each turn; the first one comes too late.
_EARLIER = (
    " An op that is made after that is not seen: take a batch before, and fetch it each time."
)


def _untaken(ops: list[Any], queues: list[str], until: str) -> str:
    some = ", ".join(queues[:5]) + (", …" if len(queues) > 5 else "")
    if any(op.type.startswith("QueueDequeue") for op in ops):
        return f"What its queues ({some}) give goes into queues only, in what it built {until}."
    return f"Nothing takes from its queues ({some}) in what it built {until}."
