"""Waiting for the end of a thread, also where a signal's handler raises meanwhile.

Python 3.10 to 3.12 takes a thread for ended when Ctrl-C comes out of its `join`: it runs on, and
nobody waits for it any more. The session is closed under it then, and a process that ends while it
is in C++ dies of a signal.
"""

from __future__ import annotations

import sys
import threading
from types import FrameType

_FORGETS = sys.version_info < (3, 13)


def join(thread: threading.Thread, timeout: float | None = None) -> None:
    """`thread.join(timeout)`, in another thread where a handler may raise in this one.

    Args:
      thread: the thread.
      timeout: seconds; None to wait until it ends.
    """
    here = threading.current_thread()
    done = threading.Event()
    # Where threads are controlled (schedule/waiting.py), join is, too, and must be seen here.
    forgets = _FORGETS and threading.Thread.join.__module__ == threading.__name__
    if here is thread or not (forgets and here is threading.main_thread() and thread.is_alive()):
        threading.Thread.join(thread, timeout)
        return

    def wait() -> None:
        threading.Thread.join(thread, timeout)
        done.set()

    try:
        threading.Thread(target=wait, name="queueio-join", daemon=True).start()
    except RuntimeError:  # no more threads, or the process is at its end
        threading.Thread.join(thread, timeout)
    else:
        done.wait()


def awaited_in(frame: FrameType) -> threading.Thread | None:
    """The thread whose end a frame waits for, in `join` or in Python's own; None of other frames.

    Args:
      frame: of a thread that is running.
    """
    of = {join.__code__: "thread", threading.Thread.join.__code__: "self"}.get(frame.f_code)
    return frame.f_locals.get(of) if of else None
