"""The one place where `Session.run` is wrapped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def make_unwatched(sess: Any, op: Any) -> Callable[[], object]:
    """`sess.make_callable(op)` without the watch: a queue runner's thread is meant to wait."""
    make = getattr(sess, "make_callable", None)
    if make is None:
        return lambda: sess.run(op)
    made: Callable[[], object] = make(op)
    return made
