"""Session calls stop at a gate: `run`, and the callables that a session makes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from queueio.runtime.calls import SessionCall, wrap
from queueio.schedule.controller import Controller


def install(controller: Controller) -> Callable[[], None]:
    """Puts the gate around all sessions; returns what takes it away."""
    return wrap(
        run=functools.partial(_gated_run, controller),
        make_callable=functools.partial(_gated_make, controller),
    )


def _gated_run(controller: Controller, inner: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(inner)
    def run(
        self: Any,
        fetches: Any,
        feed_dict: Any = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        actor = controller.current()
        if actor is None:
            controller.note_foreign()
            return inner(self, fetches, feed_dict, options, run_metadata)
        call = SessionCall(self, fetches, feed_dict)
        return controller.call(
            actor, call, lambda: inner(self, fetches, feed_dict, options, run_metadata)
        )

    return run


def _gated_make(controller: Controller, inner: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(inner)
    def make_callable(
        self: Any, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        made: Callable[..., Any] = inner(self, fetches, feed_list, accept_options)
        if feed_list is not None:  # goes through `run`
            return made
        gated = _gated(controller, SessionCall(self, fetches), made)
        # A queue runner's thread goes round the watch, but not round the gate.
        unwatched = getattr(made, "__wrapped__", made)
        gated.__wrapped__ = _gated(controller, SessionCall(self, fetches), unwatched)  # type: ignore[attr-defined]
        return gated

    return make_callable


def _gated(
    controller: Controller, call: SessionCall, made: Callable[..., Any]
) -> Callable[..., Any]:
    def gated(*args: Any, **kwargs: Any) -> Any:
        actor = controller.current()
        if actor is None:
            controller.note_foreign()
            return made(*args, **kwargs)
        return controller.call(actor, call, lambda: made(*args, **kwargs))

    return gated
