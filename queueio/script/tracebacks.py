"""A traceback that the script caused shows the script and its libraries, not queueio.

Python prints every frame between `main` and the error. Those of queueio say nothing about the
script, so they are taken out, in the exception and in all that it was raised from. Set
QUEUEIO_FULL_TRACEBACK=1 to see them, for instance to report an error in queueio.
"""

from __future__ import annotations

import os
import sys
import threading
from types import TracebackType

from queueio.settings import is_off

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def strip(error: BaseException) -> None:
    """Takes queueio's frames out of the tracebacks of `error`, its causes and its group."""
    if not is_off(os.environ.get("QUEUEIO_FULL_TRACEBACK", "")):
        return
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        current = waiting.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        current.__traceback__ = _without_own(current.__traceback__)
        waiting += [current.__cause__, current.__context__]
        waiting += getattr(current, "exceptions", ())


def _without_own(traceback: TracebackType | None) -> TracebackType | None:
    kept = []
    while traceback is not None:
        if not traceback.tb_frame.f_code.co_filename.startswith((_OWN, "<frozen importlib")):
            kept.append(traceback)
        traceback = traceback.tb_next
    head: TracebackType | None = None
    for this in reversed(kept):
        this.tb_next = head
        head = this
    return head


def show(error: BaseException) -> None:
    """Prints `error` as Python does for one that nobody caught: through `sys.excepthook`."""
    sys.excepthook(type(error), error, error.__traceback__)


def strip_in_threads() -> None:
    """Tracebacks of threads that die are stripped, too, and then shown as before."""
    original = threading.excepthook

    def hook(arguments: threading.ExceptHookArgs) -> None:
        error = arguments.exc_value
        if error is not None:
            prepare(error)
            values = (arguments.exc_type, error, error.__traceback__, arguments.thread)
            arguments = threading.ExceptHookArgs(values)
        original(arguments)

    threading.excepthook = hook


def prepare(error: BaseException) -> None:
    """All that is done to an exception before it is shown: advice added, own frames removed."""
    from queueio.script.python2 import say_first
    from queueio.script.removals import add_advice

    add_advice(error)
    say_first(error)
    strip(error)
