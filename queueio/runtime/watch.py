"""The watch over TensorFlow's sessions: what is put around `run`, and the callables that it makes.

Around each call it does three things: note that the call is in flight, so that the watcher can
say why it hangs; extend the error it ends with by the reason; and let Ctrl-C through while the
call is blocked. That costs a few microseconds. Queue runner threads go round it: they are meant
to wait.

    Session.run ─▶ listeners ─▶ watcher.enter ─▶ TensorFlow ─▶ watcher.leave ─▶ root_cause
                                     │ a few times a second, or at a signal
                                     ▼
                                stall, interrupt
"""

from __future__ import annotations

import atexit
import functools
from collections.abc import Callable
from threading import get_ident as _get_ident
from typing import Any, NoReturn

import tensorflow.compat.v1 as tf

from queueio import settings
from queueio.errors import QueueStalled
from queueio.graph import error_text
from queueio.runtime import (
    at_exit,
    chosen_batches,
    equal_stacks,
    failed_threads,
    fork,
    held_code,
    interrupt,
    ledger,
    mixed_elements,
    watcher,
)
from queueio.runtime.calls import SessionCall, along, listen, made_here, tell, unlisten, wrap
from queueio.runtime.diagnosis import feeds, root_cause, stall
from queueio.runtime.threads import adopt
from queueio.runtime.threads.empty_rows_asked import lasting_fetches

_REPLACED = "REPLACED BY KeyboardInterrupt"
_installed: list[Callable[[], None]] = []
"""What takes the watch away again."""


def install() -> None:
    """Wrap TensorFlow's sessions, coordinators and queue runners; a second call does nothing."""
    if _installed:
        return
    settings.current()  # a wrong setting is told here, not by a thread later
    unwrap = wrap(
        _call_tf_sessionrun=_interruptible,
        _call_tf_sessionprun=_interruptible,
        run=_watched_run,
        partial_run=_watched_partial_run,
        make_callable=_watched_make_callable,
    )
    _installed.append(unwrap)
    listen(mixed_elements.look)
    listen(chosen_batches.look)
    listen(feeds.look)
    along.append(equal_stacks.kept)
    watcher.hears.append(interrupt.arrived)
    watcher.looks += [interrupt.check, stall.check]
    interrupt.import_what_comes_late()
    adopt.install()
    fork.install()
    failed_threads.install()
    held_code.install()
    atexit.register(at_exit.end_threads)


def uninstall() -> None:
    """Put TensorFlow's own methods back."""
    while _installed:
        _installed.pop()()
    unlisten(mixed_elements.look)
    unlisten(chosen_batches.look)
    unlisten(feeds.look)
    along.remove(equal_stacks.kept)
    adopt.uninstall()
    failed_threads.uninstall()
    held_code.uninstall()
    atexit.unregister(at_exit.end_threads)
    watcher.rest()
    watcher.hears.clear()
    watcher.looks.clear()


def _watched_run(stock_run: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(stock_run)
    def run(
        self: Any,
        fetches: Any,
        feed_dict: Any = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        call = SessionCall(self, fetches, feed_dict)
        asked, own = _asked(call)
        if own is None and run_metadata is None and not _may_be_interrupted():
            prepared = call.prepared(options)
            if prepared is not None:
                return _watched(call, self._do_call, prepared.run, self)
        result = _watched(call, stock_run, self, asked, feed_dict, options, run_metadata)
        _count_feeding(call)
        return result if own is None else own(result)

    return run


def _watched_partial_run(stock_run: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(stock_run)
    def partial_run(self: Any, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
        call = SessionCall(self, fetches, feed_dict)
        result = _watched(call, stock_run, self, handle, fetches, feed_dict)
        _count_feeding(call)
        return result

    return partial_run


def _watched_make_callable(stock_make: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(stock_make)
    def make_callable(
        self: Any, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        fed = feed_list is not None
        like = SessionCall(self, fetches)
        asked, own = _asked(like) if not fed else (fetches, None)
        here = made_here(self, asked) if not (fed or accept_options) else None
        made: Callable[..., Any] = here or stock_make(self, asked, feed_list, accept_options)
        if fed:  # goes through `run`
            return made
        unwatched = made if own is None else lambda *args, **kwargs: own(made(*args, **kwargs))

        @functools.wraps(unwatched, assigned=())
        def watched(*args: Any, **kwargs: Any) -> Any:
            call = SessionCall(self, fetches, like=like)
            result = _watched(call, unwatched, *args, **kwargs)
            _count_feeding(call)
            return result

        return watched

    return make_callable


def _asked(call: SessionCall) -> tuple[Any, Callable[[Any], Any] | None]:
    """What to fetch for a call, and what makes its own result of that."""
    fetches = lasting_fetches(call)
    more = [found for ask in along if (found := ask(call)) is not None]
    if not more:
        return fetches, None

    def own(values: Any) -> Any:
        for each, got in zip(more, values[1:], strict=True):
            each.give(got)
        return values[0]

    return [fetches, *(each.tensors for each in more)], own


def _watched(call: SessionCall, make: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What `make(...)` gives; meanwhile the call is looked at, and its error gets its reason."""
    tell(call)
    watcher.enter(call)
    try:
        result = make(*args, **kwargs)
    except tf.errors.OpError as error:
        if not (call.verdict or call.pressed):
            root_cause.add_reason(error, call.session, next(iter(call.ops()), None))
            raise
    except UnicodeDecodeError as error:
        told = error_text.readable(error, call.session.graph)
        if told is error:
            raise
        root_cause.add_reason(told, call.session, next(iter(call.ops()), None))
        raise told from None
    except (KeyboardInterrupt, RuntimeError) as error:
        _pressed(error, call)
        raise
    finally:
        watcher.leave(call)
    if call.verdict is not None or call.pressed:
        _end(call)
    for do in call.then:
        do()
    return result


def _interruptible(stock_call: Callable[..., Any]) -> Callable[..., Any]:
    """The C++ call under both of the above; the thread that waits in it cannot run a handler."""

    @functools.wraps(stock_call)
    def call(self: Any, *args: Any) -> Any:
        if _may_be_interrupted():
            return interrupt.beside(stock_call, self, *args)
        return stock_call(self, *args)

    return call


def _may_be_interrupted() -> bool:
    """Whether this thread runs a handler of the user's, which may raise anything."""
    return _get_ident() == watcher.main and interrupt.may_raise_anything()


def _count_feeding(call: SessionCall) -> None:
    """Count what the user's own code put into a queue: whoever waits for it is not stuck.

    That code is a thread of the user's, or the `_run` of a QueueRunner subclass.
    """
    for op in call.enqueues():
        record = ledger.current()
        if record is not None and record.enqueue_op is op:
            record.enqueued += 1
        else:
            ledger.of(call.session).count_fed(op.name)


def _end(call: SessionCall) -> NoReturn:
    """Raise what ended the call in place of what it returned or raised.

    Ctrl-C normally raises by itself. But TensorFlow's C++ may call into Python, and a
    KeyboardInterrupt raised there is printed and forgotten.
    """
    if call.verdict is not None:
        raise QueueStalled(call.verdict) from None
    raise KeyboardInterrupt from None


def _pressed(error: BaseException, call: SessionCall) -> None:
    """Make a clean KeyboardInterrupt of what Ctrl-C left behind.

    When the handler runs while C++ is making the error of the cancelled call, it comes out as a
    RuntimeError of the binding; and what it interrupted is of no interest.
    """
    if isinstance(error, RuntimeError) and (call.pressed or _REPLACED in str(error)):
        raise KeyboardInterrupt from None
    if isinstance(error, KeyboardInterrupt):
        error.__suppress_context__ = True
