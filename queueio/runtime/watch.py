"""The one place where TensorFlow is wrapped: `Session.run`, and the callables a session makes.

Around each call it does three things: note that the call is in flight, so that the watcher can
say why it hangs; extend the error it ends with by the reason; and let Ctrl-C through while the
call is blocked. That costs a few microseconds. Queue runner threads go round it: they are meant
to wait.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from threading import get_ident as _get_ident
from typing import Any, NoReturn

import tensorflow.compat.v1 as tf
from tensorflow.python.client import session as session_lib

from queueio import settings
from queueio.errors import QueueStalled
from queueio.runtime import adopt, fork, interrupt, ledger, root_cause, torn, watcher
from queueio.runtime.topology import ENQUEUES
from queueio.runtime.watcher import Call

_REPLACED = "REPLACED BY KeyboardInterrupt"
_MAY_FEED = (tf.Operation, list, tuple)
_stock: dict[str, Any] = {}
listeners: list[Callable[[Call], None]] = []
"""Told of each call of a session before it begins."""


def install() -> None:
    """Wrap TensorFlow's sessions, coordinators and queue runners; a second call does nothing."""
    if _stock:
        return
    settings.current()  # a wrong setting is told here, not by a thread later
    base = session_lib.BaseSession
    for name in ("run", "make_callable", "_call_tf_sessionrun"):
        _stock[name] = getattr(base, name)
    base._call_tf_sessionrun = _interruptible(base._call_tf_sessionrun)
    base.run = _watched_run(base.run)
    base.make_callable = _watched_make_callable(base.make_callable)
    listeners.append(torn.look)
    adopt.install()
    fork.install()


def uninstall() -> None:
    """Put TensorFlow's own methods back."""
    for name, method in _stock.items():
        setattr(session_lib.BaseSession, name, method)
    _stock.clear()
    listeners.remove(torn.look)
    adopt.uninstall()
    watcher.rest()


def make_unwatched(sess: Any, op: Any) -> Callable[[], object]:
    """`sess.make_callable(op)` without the watch: a queue runner's thread is meant to wait."""
    make = getattr(sess, "make_callable", None)
    if make is None:
        return lambda: sess.run(op)
    made: Callable[[], object] = make(op)
    return getattr(made, "__wrapped__", made)


def run_unwatched(session: Any, *args: Any, **kwargs: Any) -> Any:
    """`session.run(...)` without the watch, for the watcher's own questions."""
    return _stock.get("run", session_lib.BaseSession.run)(session, *args, **kwargs)


def _watched_run(stock: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(stock)
    def run(
        self: Any,
        fetches: Any,
        feed_dict: Any = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        call = Call(self, fetches, feed_dict)
        for listen in listeners:
            listen(call)
        call.enter()
        try:
            result = stock(self, fetches, feed_dict, options, run_metadata)
        except tf.errors.OpError as error:
            _explain(error, call)
            raise
        except (KeyboardInterrupt, RuntimeError) as error:
            _pressed(error, call)
            raise
        finally:
            call.leave()
        if call.verdict is not None or call.pressed:
            _end(call)
        if fetches.__class__ in _MAY_FEED:
            _count_feeding(self, fetches)
        return result

    return run


def _watched_make_callable(stock: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(stock)
    def make_callable(
        self: Any, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        made: Callable[..., Any] = stock(self, fetches, feed_list, accept_options)
        if feed_list is not None:  # goes through `run`
            return made

        @functools.wraps(made, assigned=())
        def watched(*args: Any, **kwargs: Any) -> Any:
            call = Call(self, fetches, None)
            for listen in listeners:
                listen(call)
            call.enter()
            try:
                result = made(*args, **kwargs)
            except tf.errors.OpError as error:
                _explain(error, call)
                raise
            except (KeyboardInterrupt, RuntimeError) as error:
                _pressed(error, call)
                raise
            finally:
                call.leave()
            if call.verdict is not None or call.pressed:
                _end(call)
            return result

        return watched

    return make_callable


def _interruptible(stock: Callable[..., Any]) -> Callable[..., Any]:
    """The C++ call under both of the above; the thread that waits in it cannot run a handler."""

    @functools.wraps(stock)
    def call(self: Any, *args: Any) -> Any:
        if _get_ident() == watcher._main and interrupt.may_raise_anything():
            return interrupt.beside(stock, self, *args)
        return stock(self, *args)

    return call


def _count_feeding(session: Any, fetches: Any) -> None:
    """Count what the user's own code put into a queue: whoever waits for it is not stuck.

    That code is a thread of the user's, or the `_run` of a QueueRunner subclass.
    """
    for op in fetches if isinstance(fetches, (list, tuple)) else (fetches,):
        if op.__class__ is tf.Operation and op.type in ENQUEUES:
            record = ledger.current()
            if record is not None and record.enqueue_op is op:
                record.enqueued += 1
                continue
            fed = ledger.of(session).fed_by_hand
            fed[op.name] = fed.get(op.name, 0) + 1


def _end(call: Call) -> NoReturn:
    """Raise what ended the call in place of what it returned or raised.

    Ctrl-C normally raises by itself. But TensorFlow's C++ may call into Python (it imports
    parts of numpy late), and a KeyboardInterrupt raised there is printed and forgotten.
    """
    if call.verdict is not None:
        raise QueueStalled(call.verdict) from None
    raise KeyboardInterrupt from None


def _pressed(error: BaseException, call: Call) -> None:
    """Make a clean KeyboardInterrupt of what Ctrl-C left behind.

    When the handler runs while C++ is making the error of the cancelled call, it comes out as a
    RuntimeError of the binding; and what it interrupted is of no interest.
    """
    if isinstance(error, RuntimeError) and (call.pressed or _REPLACED in str(error)):
        raise KeyboardInterrupt from None
    if isinstance(error, KeyboardInterrupt):
        error.__suppress_context__ = True


def _explain(error: Any, call: Call) -> None:
    """Give the error its reason; raise another one when it was us who ended the call."""
    if call.verdict is not None or call.pressed:
        _end(call)
    root_cause.explain(error, call.session, call.first_op())
