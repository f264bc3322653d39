"""What a session call feeds, and the threads of queue runners never see.

A queue runner's thread runs its enqueue op by itself, ahead of the calls that take the batches and
without their `feed_dict`. A placeholder on that side of a queue has no value there; one with a
default keeps it, whatever a call feeds, and TF1 never said so.
"""

from __future__ import annotations

from threading import get_ident
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from queueio.errors import LostFeedWarning, message
from queueio.graph.origin import line_of_thread, origin, warn_at
from queueio.graph.static_values import static_value
from queueio.graph.traversal import op_of, taken_from
from queueio.runtime import ledger
from queueio.runtime.calls import SessionCall
from queueio.runtime.topology import Topology, key

LOOKED_AT = 100
"""Calls of a session that are looked at for the first time."""

_WAY_OUT = "Use it behind the batch, in ops that the call runs itself"


class Fed:
    """What the calls of a session feed in vain: by the key of a call, tensors and their stage."""

    def __init__(self) -> None:
        self.looks = LOOKED_AT
        self.known: dict[tuple[str, ...], list[tuple[Any, str]]] = {}


def unfed(error: BaseException, op: Any) -> str | None:
    """The way out where a queue runner's thread ran a placeholder; None for other errors.

    Args:
      error: what the thread's enqueue op raised.
      op: the op that raised it.
    """
    if "must feed a value" not in str(error) or not op.type.startswith("Placeholder"):
        return None
    return message(
        f"{op.name!r} has no value in the thread of a queue runner",
        "it runs by itself, without the feed_dict of any session call",
        f"{_WAY_OUT}; or feed the queue by hand, where a thread of your own calls "
        "sess.run(enqueue_op, feed_dict=…)",
    )


def look(call: SessionCall) -> bool:
    """Warn, once in a session, of a value that is fed to what the threads before a queue compute.

    Returns whether there is nothing to say of calls like this one.
    """
    if not isinstance(call.feed_dict, dict) or not call.feed_dict:
        return True
    record = ledger.of(call.session)
    fed = record.fed = record.fed or Fed()
    try:
        return _look(fed, call)
    except LostFeedWarning:  # the user turned warnings into errors
        raise
    except Exception as failure:  # a diagnosis may fail, the program may not
        tf.logging.vlog(1, "queueio could not look at the feeds of %r: %r", call.fetches, failure)
        return True


def _look(fed: Fed, call: SessionCall) -> bool:
    if call.key not in fed.known:
        if fed.looks <= 0:
            return True
        fed.looks -= 1
        fed.known[call.key] = _in_vain(call)
    for tensor, stage in fed.known[call.key]:
        if _changes(tensor, call):
            fed.looks, fed.known = 0, {}
            _warn(tensor, stage)
            return True
    return not fed.known[call.key]


def _in_vain(call: SessionCall) -> list[tuple[Any, str]]:
    """The fed tensors that threads of queue runners compute with, and the stage behind them."""
    graph = call.session.graph
    tensors = [graph.as_graph_element(item, allow_operation=False) for item in call.feed_dict]
    tensors = [t for t in tensors if isinstance(t, tf.Tensor) and t.op.type != "Placeholder"]
    run = set(call.runs()) if tensors else set()
    taken = {key(queue) for op in run if (queue := taken_from(op)) is not None}
    if not taken:
        return []
    topology = Topology(graph)
    found = []
    for name in sorted(taken & topology.queues.keys()):
        behind = topology.upstream(name)
        filled = [n for n in behind if topology.runners.get(n)]
        ops = {op for n in filled for op in topology.before(n)} - run
        inputs = {tensor.ref() for op in ops for tensor in op.inputs}
        found += [(t, topology.stage(topology.shown(name))) for t in tensors if t.ref() in inputs]
    return found


def _changes(tensor: Any, call: SessionCall) -> bool:
    """Whether a call feeds a tensor with another value than it has anyway, as far as is known."""
    has = static_value(tensor.op.inputs[0]) if _default(tensor) else None
    given = [v for item, v in call.feed_dict.items() if getattr(item, "name", item) == tensor.name]
    return has is None or not given or not np.array_equal(has, given[0])


def _default(tensor: Any) -> bool:
    return bool(op_of(tensor).type == "PlaceholderWithDefault")


def _warn(tensor: Any, stage: str) -> None:
    what = "its default" if _default(tensor) else "its own value"
    text = message(
        f"{tensor.name} ({origin(tensor.op)}) is fed in vain: what comes out of {stage} is made "
        f"with {what}",
        "queue runners' threads make it, ahead of this call and without its feed_dict",
        _WAY_OUT,
    )
    warn_at(line_of_thread(get_ident()), text, LostFeedWarning)
