"""Who waits here: the user's line, and the function that it called."""

from __future__ import annotations

import sys
import threading
from types import FrameType

from queueio.graph.origin import is_library, line_of_thread

_STARTS = ("_bootstrap", "_bootstrap_inner", "run", "controlled_run")


def line() -> str:
    """The user's line that runs in this thread, as `train.py:12: code`; "" if there is none."""
    return str(line_of_thread(threading.get_ident()) or "")


def asked_for() -> str:
    """The function that the program called and that waits now: `Coordinator.join`, `Queue.get`."""
    frame: FrameType | None = sys._getframe(1)
    found = ""
    while frame is not None and is_library(frame.f_code.co_filename):
        if frame.f_code.co_name in _STARTS:
            break
        found = getattr(frame.f_code, "co_qualname", frame.f_code.co_name)
        frame = frame.f_back
    return "a lock" if "ControlledLock" in found else found
