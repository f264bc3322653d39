"""Why what comes out of a barrier is refused: session calls decide which segments come, and when.

tf.contrib's state saver keeps sequences in a barrier. TensorFlow 1.15.5, run, says what "no state
feeds back" would leave there. Without a save only first segments come, as a later one waits for the
state of the one before. And the token of an example that is done is taken by the op of a state, so
where no call fetches a state, batches end after `capacity` examples: the next call waits for ever.
What needs neither is a sequence of one segment, whose initial state is fetched: tf.train.batch.
"""

from __future__ import annotations

from typing import Any

from queueio.graph.handled import handling
from queueio.graph.origin import origin
from queueio.graph.refusal import refuse
from queueio.graph.traversal import ancestors, is_barrier_take, root


def refuse_barrier(op: Any) -> Exception:
    """The refusal of an op of a barrier, as tf.contrib's state saver has one."""
    return refuse(
        op,
        "a barrier gives an element when the program has put in its last part: which segments of"
        f" sequences come next depends on the states that the session saves. {_saving(op)}",
        "Run it on the queue engine; or keep the state in the model, and lift whole sequences, as"
        " tf.train.batch(…, dynamic_pad=True) gives them",
        never=True,
    )


def _saving(op: Any) -> str:
    saves = _saves(op)
    if not saves:
        return (
            "Here nothing saves one, so only first segments come, and room for more than `capacity`"
            " examples is made only by calls that fetch a state"
        )
    where = origin(saves[0])
    return f"Here {saves[0].name!r} saves one" + (f" ({where})" if where else "")


def _saves(op: Any) -> list[Any]:
    """The ops that put in what was made of elements that were taken out."""
    barrier = root(op.inputs[0]).op
    touching = [each for each in handling(op.graph) if _is_of(each, barrier)]
    return [
        each
        for each in touching
        if each.type == "BarrierInsertMany" and any(map(is_barrier_take, ancestors([each])))
    ]


def _is_of(op: Any, barrier: Any) -> bool:
    return op.type.startswith("Barrier") and bool(op.inputs) and root(op.inputs[0]).op is barrier
