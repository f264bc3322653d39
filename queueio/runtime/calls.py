"""Calls of sessions: which are in flight, what each runs, and what is put around them.

Everything that may wait, look or be told works on these; `watch` makes them. This is the one place
where methods of TensorFlow's sessions are replaced (`wrap`); MonitoredSessions call them as well.
"""

from __future__ import annotations

import functools
import weakref
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from threading import get_ident as _get_ident
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf
from tensorflow.python.client import session as session_lib

from queueio.graph.hanging import hanging
from queueio.graph.index import unchanged
from queueio.graph.traits import row_of
from queueio.graph.traversal import (
    ancestors,
    is_dequeue,
    is_enqueue,
    is_queue,
    op_of,
    replaced,
    run_by,
)
from queueio.runtime.here import Prepared

_LASTING = (tf.Operation, tf.Tensor)
"""What a graph holds for ever."""
_KEPT = (*_LASTING, tf.SparseTensor, tf.Variable)
"""What stays what it is as long as somebody holds it."""
_MOST_KEPT = 64
_here = ContextVar("here", default=False)


class SessionCall:
    """One call of a session, from the first listener to its result.

    Attributes:
      thread, started: the thread that makes it, and since when it is in flight.
      pressed: Ctrl-C came and ends it; `verdict`: what else ended it, in words.
      first, snapshot, due, told: what was seen of it when it was blocked (`stall`).
      then: what is to be done once it has done its work.
      previous_fd: who listened for signals before it.
    """

    __slots__ = ("_reach", "due", "feed_dict", "fetches", "first", "pressed", "previous_fd",
                 "session", "snapshot", "started", "then", "thread", "told",
                 "verdict")  # fmt: skip

    def __init__(
        self, session: Any, fetches: Any, feed_dict: Any = None, like: SessionCall | None = None
    ) -> None:
        """Makes the call; `like` is one of the same fetches, whose names need not be read again."""
        self._reach: _Reach = like._reach if like else _reach(session, fetches, feed_dict)
        self.session = session
        self.fetches = fetches
        self.feed_dict = feed_dict
        self.thread = _get_ident()
        self.verdict: str | None = None
        self.pressed = False
        self.told = False
        self.snapshot: Any = None
        self.first: Any = None
        self.then: list[Callable[[], object]] = []
        self.previous_fd = -1
        self.started = self.due = 0.0

    def fetched(self) -> list[Any]:
        """The tensors, variables and ops of `fetches`, however nested, as far as readable."""
        return self._reach.items

    def ops(self) -> list[Any]:
        """The ops behind `fetches`."""
        return self._reach.ops

    def enqueues(self) -> list[Any]:
        """The enqueue ops that it asks for, by themselves or in a group."""
        return self._reach.enqueues

    def fed(self) -> set[Any]:
        """The ops that do not run because `feed_dict` gives what they would make."""
        return self._reach.fed

    def runs(self) -> list[Any]:
        """The ops that the call runs, nearest first: not what makes only what is fed."""
        return run_by(self.ops(), self.fed())

    def prepared(self, options: Any) -> Prepared | None:
        """The call made ready once, where all that it does is to take out of queues.

        It is found out only of calls that come again, and ask nothing by their `options`.
        """
        reach, session = self._reach, self.session
        asks = options is not None and options.ByteSize()
        if asks or session._target or session._closed:
            return None
        if not (reach.comes_again and reach.only_takes):
            return None
        found: Prepared | None = reach.prepared.get(session)
        if found is None:
            try:
                found = reach.prepared[session] = Prepared(session, reach.fetches)
            except (tf.errors.OpError, TypeError, ValueError, RuntimeError):
                return None  # the session says why, in its own words
        return found

    @property
    def key(self) -> tuple[str, ...]:
        """The names of what is fetched and fed: calls of the same key do the same."""
        return self._reach.key


class _Reach:
    """What the fetches and feeds of a call are, read once.

    Attributes:
      comes_again: whether the next call of the same fetches finds this.
      prepared: the sessions in which it is made ready.
      settled: the session in which no listener has anything to say of such calls any more, as a
        weak reference, and the state of the listeners when that was so.
    """

    def __init__(self, session: Any, fetches: Any, feeds: Any) -> None:
        self._graph, self.fetches, self._feeds = session.graph, fetches, feeds
        self.comes_again = False
        self.prepared: Any = weakref.WeakKeyDictionary()
        self.settled: tuple[weakref.ref[Any] | None, object] = None, None

    @functools.cached_property
    def items(self) -> list[Any]:
        found: list[Any] = []
        _collect(self.fetches, self._graph, found)
        return found

    @functools.cached_property
    def ops(self) -> list[Any]:
        return list(dict.fromkeys(map(op_of, self.items)))

    @functools.cached_property
    def enqueues(self) -> list[Any]:
        groups = [op for op in self.ops if op.type == "NoOp"]
        asked = dict.fromkeys((*self.ops, *(each for op in groups for each in op.control_inputs)))
        return [op for op in asked if is_enqueue(op)]

    @functools.cached_property
    def given(self) -> list[Any]:
        found: list[Any] = []
        _collect(list(self._feeds or ()), self._graph, found)
        return found

    @functools.cached_property
    def fed(self) -> set[Any]:
        return replaced(self.items, self.given)

    @functools.cached_property
    def only_takes(self) -> bool:
        # A model is not walked through: its first op that computes tells.
        behind = () if self._feeds else ancestors(self.ops, lambda op: not _moves(op))
        return any(map(is_dequeue, behind)) and all(map(_moves, behind))

    @functools.cached_property
    def key(self) -> tuple[str, ...]:
        return (*(item.name for item in self.items), "", *sorted(item.name for item in self.given))


def _moves(op: Any) -> bool:
    """Whether an op takes out of a queue, or next to no time."""
    row = row_of(op.type)
    return is_dequeue(op) or is_queue(op) or row.views or op.type in ("Const", "NoOp")


def _reach(session: Any, fetches: Any, feed_dict: Any) -> _Reach:
    """That of an earlier call of the same ops and tensors, as a training loop makes them."""
    feeds = tuple(feed_dict) if feed_dict.__class__ is dict else ()  # their values may be large
    parts: list[Any] = []
    if (feed_dict and not feeds) or not (_tell_apart(fetches, parts) and _tell_apart(feeds, parts)):
        return _Reach(session, fetches, feed_dict)
    known: dict[Any, _Reach] = hanging(session.graph, "reaches", dict)
    key = tuple(parts)
    found: _Reach | None = known.get(key)
    if found is None:
        if not all(_is_there(session.graph, part) for part in parts):
            return _Reach(session, fetches, feed_dict)
        if len(known) >= _MOST_KEPT:
            known.clear()
        # Keeps them, so that their ids stay theirs.
        found = known[key] = _Reach(session, _copy(fetches), feeds)
        found.comes_again = True
    return found


def _tell_apart(items: Any, key: list[Any]) -> bool:
    """Writes down what tells fetches or feeds from others of the same graph.

    Returns whether that is so: their parts last, and so do what stands for them.
    """
    if isinstance(items, _KEPT):
        key.append(id(items))
        return True
    kind = items.__class__
    if kind is str:
        key.append(_Name(items))
        return True
    if kind is dict or kind is OrderedDict:
        key += (kind, len(items), *items)
        parts = items.values()
    elif kind is list or kind is tuple or _is_namedtuple(kind):
        key += (kind, len(items))
        parts = items
    else:
        return False
    return all(_tell_apart(part, key) for part in parts)


class _Name(NamedTuple):
    """The name of an op or tensor: of none but that one, as soon as it is there."""

    name: str


def _is_there(graph: Any, part: Any) -> bool:
    """Whether what a name stands for is in the graph."""
    found: list[Any] = []
    if isinstance(part, _Name):
        _collect_named(part.name, graph, found)
    return bool(found) or not isinstance(part, _Name)


def _copy(fetches: Any) -> Any:
    """The same fetches, in lists and dicts that the program cannot change."""
    kind = fetches.__class__
    if kind is dict or kind is OrderedDict:
        return kind((name, _copy(part)) for name, part in fetches.items())
    if kind is list or kind is tuple:
        return kind(map(_copy, fetches))
    return kind(*map(_copy, fetches)) if _is_namedtuple(kind) else fetches


def _is_namedtuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


class Along(NamedTuple):
    """Tensors that a call fetches besides its own, and who gets their values."""

    tensors: list[Any]
    give: Callable[[list[Any]], None]


in_flight: dict[int, SessionCall] = {}
"""The calls that have begun and not ended, by their ids."""
_listeners: list[Callable[[SessionCall], bool]] = []
_state = object()
"""Another one whenever a listener may have something to say of calls that it had nothing of."""
along: list[Callable[[SessionCall], Along | None]] = []
"""Asked, before a call or a callable is made, what it shall fetch besides."""
_stock: dict[str, Any] = {}
"""TensorFlow's own methods of a session, while others stand in their places."""


def others_in_flight(call: SessionCall, session: Any = None) -> list[SessionCall]:
    """The calls that are in flight beside this one; with a session, those that it was asked for."""
    beside = [each for each in list(in_flight.values()) if each is not call]
    return beside if session is None else [each for each in beside if each.session is session]


def listen(listener: Callable[[SessionCall], bool]) -> None:
    """Has `listener` told of each call of a session before it begins; a second time does nothing.

    It returns whether it has nothing to say of further calls like this one in the session.
    """
    if listener not in _listeners:
        _listeners.append(listener)
    ask_again()


def unlisten(listener: Callable[[SessionCall], bool]) -> None:
    """The reverse of `listen`."""
    _listeners.remove(listener)


def ask_again() -> None:
    """Has the listeners told of all calls again, whatever they returned."""
    global _state
    _state = object()


def tell(call: SessionCall) -> None:
    """Tells the listeners of a call, where one of them may have something to say."""
    reach, state = call._reach, _state
    session, known = reach.settled
    if known is state and session is not None and session() is call.session:
        return
    with unchanged():
        settled = [listen(call) for listen in _listeners]
    if all(settled):
        reach.settled = weakref.ref(call.session), state


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


def make_unwatched(sess: Any, op: Any, here: bool = False) -> Callable[[], object]:
    """`sess.make_callable(op)` without the watch: a queue runner's thread is meant to wait.

    `here`: its ops run in the thread that calls it (`HERE`).
    """
    make = getattr(sess, "make_callable", None)
    if make is None:
        return lambda: sess.run(op)
    before = _here.set(here)
    try:
        made: Callable[[], object] = make(op)
    finally:
        _here.reset(before)
    made = getattr(made, "__wrapped__", made)
    return _raising(made) if hasattr(sess, "_sess") else made


def _raising(made: Callable[[], object]) -> Callable[[], object]:
    """The same, raising an error that is its result: a debugger's session gives back what fails.

    A thread that took it for success would try again for ever, and its queue would never close.
    """

    def run() -> object:
        result = made()
        if isinstance(result, tf.errors.OpError):
            raise result
        return result

    return run


def made_here(session: Any, fetches: Any) -> Callable[[], object] | None:
    """What `make_unwatched` makes where its ops shall run `here`; None where they shall not.

    Nor do they where their session is another process.
    """
    if not _here.get() or session._target:
        return None
    prepared = Prepared(session, fetches)
    return lambda: prepared(session)


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
        _collect([item.indices, item.values, item.dense_shape], graph, found)
    elif hasattr(item, "node_def") or hasattr(item, "op"):
        found.append(item)
    elif hasattr(item, "__attrs_attrs__"):
        _collect(list(vars(item).values()), graph, found)


def _collect_named(name: Any, graph: Any, found: list[Any]) -> None:
    try:
        _collect(graph.as_graph_element(name), graph, found)
    except (KeyError, ValueError, TypeError):
        return
