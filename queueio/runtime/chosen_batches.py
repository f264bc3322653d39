"""A batch chosen by `tf.cond` after both were taken: the other one is thrown away.

`tf.cond(training, lambda: train_batch, lambda: test_batch)` takes from both queues in every call,
for the dequeues were made outside of the branches. What is not chosen is lost, and training ends
when the test queue does. TF1 never said so.

Said where one condition chooses between what two queues gave, and nothing else of the call uses it.
"""

from __future__ import annotations

from threading import get_ident
from typing import Any

import tensorflow.compat.v1 as tf

from queueio import settings
from queueio.errors import DataLossWarning, message
from queueio.graph.origin import line_of_thread, origin, warn_at
from queueio.graph.traversal import is_dequeue, taken_from
from queueio.runtime import ledger
from queueio.runtime.calls import SessionCall

LOOKED_AT = 100
"""Calls of a session that are looked at."""
_FAR = 200
"""Ops between a dequeue and the cond that are looked at."""

_Branch = tuple[str, int]
"""The name of a cond's predicate, and which of its branches: 0 where it is false, 1 where true."""


def look(call: SessionCall) -> bool:
    """Warn, once in a session, of batches of two queues between which a cond chooses.

    Returns whether there is nothing to say of calls like this one.

    Raises:
      tf.errors.DataLossError: under `strict`.
    """
    record = ledger.of(call.session)
    if record.conds_seen >= LOOKED_AT:
        return True
    record.conds_seen += 1
    try:
        both = _between(call)
    except Exception as failure:  # a diagnosis may fail, the program may not
        tf.logging.vlog(1, "queueio could not look at the conds of %r: %r", call.fetches, failure)
        return True
    if both is not None:
        record.conds_seen = LOOKED_AT
        _warn(*both)
    return True


def _between(call: SessionCall) -> tuple[Any, Any] | None:
    """Two dequeues of which a condition uses one or the other."""
    run = call.runs()
    taken = [op for op in run if is_dequeue(op) and op._get_control_flow_context() is None]
    if len(taken) < 2 or not any(op.type == "Switch" for op in run):
        return None
    inside, fetched = set(run), {getattr(item, "op", item) for item in call.fetched()}
    chosen: dict[_Branch, Any] = {}
    for op in taken:
        branch = _only_branch(op, inside, fetched)
        if branch is None:
            continue
        other = chosen.get((branch[0], 1 - branch[1]))
        if other is not None and taken_from(other) is not taken_from(op):
            return (op, other) if branch[1] else (other, op)
        chosen[branch] = op
    return None


def _only_branch(op: Any, inside: set[Any], fetched: set[Any]) -> _Branch | None:
    """The one branch of a cond that uses what an op gives; None where others do, or several."""
    found: set[_Branch] = set()
    seen, todo = {op}, [op]
    for each in todo:
        if each in fetched or len(seen) > _FAR:
            return None
        users = [u for t in each.outputs for u in t.consumers() if u in inside]
        if not users:
            return None
        for user in users:
            if user.type == "Switch":
                sides = [n for n, out in enumerate(user.outputs) if out.consumers()]
                found |= {(user.inputs[1].name, side) for side in sides}
            elif user not in seen:
                seen.add(user)
                todo.append(user)
    return next(iter(found)) if len(found) == 1 else None


def _warn(true: Any, false: Any) -> None:
    text = message(
        f"Every call takes {true.name!r} ({origin(true)}) and {false.name!r} ({origin(false)}), "
        "and throws away the one that tf.cond does not choose",
        "a dequeue made outside of the branches runs whichever of them is taken, so that examples "
        "are lost, and the first queue to end ends both",
        "Train on the one, and feed the other in its place",
        right="x, y = [tf.placeholder_with_default(t, t.shape) for t in (train_x, train_y)]; "
        "sess.run(accuracy, dict(zip([x, y], sess.run([test_x, test_y]))))",
    )
    if settings.current().strict:
        raise tf.errors.DataLossError(None, None, text)
    warn_at(line_of_thread(get_ident()), text, DataLossWarning)
