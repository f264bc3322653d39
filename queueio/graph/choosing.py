"""A choice among queues, or among what was taken from them: what to do in its place."""

from __future__ import annotations

from typing import Any

from queueio.graph.refusal import refuse
from queueio.graph.static_values import static_value

# Not to take from all and to choose by a cond: a batch that was taken and is not chosen is lost.
FEED = (
    "train on one of the batches, and feed the other in its place (tf.placeholder_with_default):"
    " one that is taken and that a cond does not choose is lost"
)


def refuse_chosen(op: Any, choice: Any, does: str) -> Exception:
    """Why nothing is known of what `QueueBase.from_list` chooses from.

    Args:
      op: the op that is refused.
      choice: the op that gives the queue.
      does: what a queue is asked for, such as "it takes from".
    """
    place = static_value(choice.inputs[1]) if choice.type == "GatherV2" else None
    if place is None:
        told = f"which queue {does} is decided only when it runs"
        return refuse(op, told, f"Take from each queue by itself; {FEED}")
    told = f"its queue is always the one in place {int(place)} of QueueBase.from_list's"
    return refuse(op, f"{told}, and a choice is not looked through", "Use that queue itself")
