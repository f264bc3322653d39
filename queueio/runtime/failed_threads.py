"""Threads of the user's that die of an error: Python prints it, and their queue stays open.

Whoever then waits for that queue, or finds it closed, is told so (`ledger.record_failed`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from queueio.runtime import ledger

_before: Callable[[Any], object] | None = None


def install() -> None:
    """Note each error that ends a thread, then show it as before; a second call does nothing."""
    global _before
    if _before is None:
        _before, threading.excepthook = threading.excepthook, _failed


def uninstall() -> None:
    """The reverse, where nobody has put a hook of his own around ours."""
    global _before
    if _before is not None and threading.excepthook is _failed:
        threading.excepthook, _before = _before, None


def _failed(arguments: threading.ExceptHookArgs) -> None:
    if not issubclass(arguments.exc_type, SystemExit):
        ledger.record_failed(arguments.thread, arguments.exc_value)
    if _before is not None:
        _before(arguments)
