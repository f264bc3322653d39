"""Is everything quiet? Whether any thread of this process runs, or could run.

A call that has begun and has not come back is either at work or waits inside. Time cannot tell them
apart on a machine under load, but the kernel can: it knows of each thread whether it sleeps and how
often it was woken. Where it does not say (outside of Linux), half a second without a return is
taken for a wait.
"""

from __future__ import annotations

import os
import threading
import time

_real_sleep = time.sleep
_real_clock = time.monotonic
_TASKS = "/proc/self/task"
_GAP = 0.001
_WITHOUT_KERNEL = 0.5


def at_rest() -> bool:
    """Whether, at a moment within this call, no other thread of this process ran or could run.

    Two looks that find each thread asleep and never woken in between mean that all slept at the
    moment between them. The pause lets those run that wait for Python's lock only.
    """
    if not os.path.isdir(_TASKS):
        _real_sleep(_WITHOUT_KERNEL)
        return True
    first = _look()
    if first is None:
        _real_sleep(_GAP)
        return False
    _real_sleep(_GAP)
    return _look() == first


def _look() -> dict[str, bytes] | None:
    """By thread, how often it was switched; None when one of the others is not asleep."""
    own, found = str(threading.get_native_id()), {}
    for task in os.listdir(_TASKS):
        if task == own:
            continue
        try:
            with open(f"{_TASKS}/{task}/status", "rb") as file:
                text = file.read()
        except OSError:  # it has just ended
            continue
        if b"State:\tS" not in text and b"State:\tZ" not in text:
            return None
        found[task] = text[text.index(b"voluntary_ctxt") :]
    return found


def now() -> float:
    """The real time."""
    return _real_clock()
