"""Give TensorFlow's own queue runners and coordinators our behaviour.

MonitoredSession and Supervisor make stock coordinators; an imported MetaGraph and stock builders
make stock queue runners; a user's subclass may stand on either. All of them call the methods of
two classes, so those methods are replaced there, and put back by `uninstall`. So is the way in
which TensorFlow's errors print themselves: what queueio adds to one stands at its end; and the lock
of a graph, which a signal's handler must not leave locked.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import tensorflow.compat.v1 as tf
from tensorflow.python.util.lock_util import GroupLock  # no public spelling

from queueio.runtime import group_lock
from queueio.runtime.notes import added_last
from queueio.runtime.threads.coordinator import Coordinator
from queueio.runtime.threads.queue_runner import QueueRunner

_METHODS: tuple[tuple[type, Any, tuple[str, ...]], ...] = (
    (
        tf.train.Coordinator,
        Coordinator,
        ("request_stop", "clear_stop", "join", "raise_requested_exception", "exceptions",
         "call_on_stop", "forget"),
    ),
    (tf.train.QueueRunner, QueueRunner, ("_run", "_close_on_stop", "create_threads")),
    (GroupLock, group_lock, ("acquire", "release")),
)  # fmt: skip
_stock: list[tuple[type, str, Any]] = []


def install() -> None:
    """Replace the methods, once."""
    if _stock:
        return
    for stock, ours, names in _METHODS:
        for name in names:
            _stock.append((stock, name, stock.__dict__.get(name)))
            setattr(stock, name, ours.__dict__[name])
    _wrap(tf.errors.OpError, "__str__", added_last)
    _wrap(tf.train.LooperThread, "run", _in_its_graph)


def _wrap(owner: type, name: str, wrapped: Callable[[Any], Any]) -> None:
    method = owner.__dict__[name]
    _stock.append((owner, name, method))
    setattr(owner, name, wrapped(method))


def _in_its_graph(stock: Callable[[Any], None]) -> Callable[[Any], None]:
    """A Supervisor's services ask the session for the global step; but where eager execution is
    on, a new thread begins with it, and a resource variable is then asked for its eager value.
    """

    @functools.wraps(stock)
    def run(self: Any) -> None:
        graph = getattr(getattr(self, "_sess", None), "graph", None)
        with graph.as_default() if graph is not None else nullcontext():
            stock(self)

    return run


def uninstall() -> None:
    """Put TensorFlow's methods back, and take away those it did not have."""
    for stock, name, method in _stock:
        if method is None:
            delattr(stock, name)
        else:
            setattr(stock, name, method)
    _stock.clear()
