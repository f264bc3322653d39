"""Calls of sessions: which are in flight, what each runs, and what is put around them.

Everything that may wait, look or be told works on these; `watch` makes them. This is the one place
where methods of TensorFlow's sessions are replaced (`wrap`); MonitoredSessions call them as well.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident as _get_ident
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf
from tensorflow.python.client import session as session_lib

from queueio.graph.traversal import op_of


class SessionCall:
    """One call of a session, from the first listener to its result.

    Attributes:
      thread, started: the thread that makes it, and since when it is in flight.
      pressed: Ctrl-C came and ends it; `verdict`: what else ended it, in words.
      first, snapshot, due, told: what was seen of it when it was blocked (`stall`).
      previous_fd: who listened for signals before it.
    """

    __slots__ = ("due", "feed_dict", "fetches", "first", "pressed", "previous_fd", "session",
                 "snapshot", "started", "thread", "told", "verdict")  # fmt: skip

    def __init__(self, session: Any, fetches: Any, feed_dict: Any = None) -> None:
        self.session = session
        self.fetches = fetches
        self.feed_dict = feed_dict
        self.thread = _get_ident()
        self.verdict: str | None = None
        self.pressed = False
        self.told = False
        self.snapshot: Any = None
        self.first: Any = None
        self.previous_fd = -1
        self.started = self.due = 0.0

    def fetched(self) -> list[Any]:
        """The tensors, variables and ops of `fetches`, however nested, as far as readable."""
        found: list[Any] = []
        _collect(self.fetches, self.session.graph, found)
        return found

    def ops(self) -> list[Any]:
        """The ops behind `fetches`."""
        return list(dict.fromkeys(map(op_of, self.fetched())))

    def fed(self) -> set[Any]:
        """The ops whose outputs are given by `feed_dict`."""
        found: list[Any] = []
        _collect(list(self.feed_dict or ()), self.session.graph, found)
        return set(map(op_of, found))


class Along(NamedTuple):
    """Tensors that a call fetches besides its own, and who gets their values."""

    tensors: list[Any]
    give: Callable[[list[Any]], None]


in_flight: dict[int, SessionCall] = {}
"""The calls that have begun and not ended, by their ids."""
listeners: list[Callable[[SessionCall], None]] = []
"""Told of each call of a session before it begins."""
along: list[Callable[[SessionCall], Along | None]] = []
"""Asked, before a call or a callable is made, what it shall fetch besides."""
_stock: dict[str, Any] = {}
"""TensorFlow's own methods of a session, while others stand in their places."""


def wrap(**around: Callable[[Callable[..., Any]], Any]) -> Callable[[], None]:
    """Puts something around methods of every session; returns what takes it away again.

    What was put around them before stays, inside.

    Args:
      around: by the method's name, a function of the method as it is that gives the one to call.
    """
    before = {name: getattr(session_lib.BaseSession, name) for name in around}
    for name, make in around.items():
        _stock.setdefault(name, before[name])
        setattr(session_lib.BaseSession, name, make(before[name]))

    def unwrap() -> None:
        for name, method in before.items():
            setattr(session_lib.BaseSession, name, method)
            if _stock.get(name) is method:
                del _stock[name]

    return unwrap


def make_unwatched(sess: Any, op: Any) -> Callable[[], object]:
    """`sess.make_callable(op)` without the watch: a queue runner's thread is meant to wait."""
    make = getattr(sess, "make_callable", None)
    if make is None:
        return lambda: sess.run(op)
    made: Callable[[], object] = make(op)
    return getattr(made, "__wrapped__", made)


def run_unwatched(session: Any, *args: Any, **kwargs: Any) -> Any:
    """`session.run(...)` without the watch, for questions of our own."""
    return _stock.get("run", session_lib.BaseSession.run)(session, *args, **kwargs)


def _collect(item: Any, graph: Any, found: list[Any]) -> None:
    if isinstance(item, (tf.Operation, tf.Tensor)):
        found.append(item)
    elif item is None:
        return
    elif isinstance(item, (str, bytes)):
        _collect_named(item, graph, found)
    elif isinstance(item, dict):
        for value in item.values():
            _collect(value, graph, found)
    elif isinstance(item, (list, tuple)):
        for value in item:
            _collect(value, graph, found)
    elif hasattr(item, "indices") and hasattr(item, "values"):  # sparse tensors, slices
        _collect([item.indices, item.values], graph, found)
    elif hasattr(item, "node_def") or hasattr(item, "op"):
        found.append(item)
    elif hasattr(item, "__attrs_attrs__"):
        _collect(list(vars(item).values()), graph, found)


def _collect_named(name: Any, graph: Any, found: list[Any]) -> None:
    try:
        _collect(graph.as_graph_element(name), graph, found)
    except (KeyError, ValueError, TypeError):
        return
