"""Find out why a queue is closed."""

from __future__ import annotations

from typing import Any


def explain_thread_error(error: BaseException, record: Any, sess: Any) -> None:
    """Extend an error of a queue runner's thread with what only we know."""
