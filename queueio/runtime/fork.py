"""A forked process has no queue threads: its queues never fill. Say so before it hangs."""

from __future__ import annotations

import os
import warnings

from queueio.errors import StallWarning, message
from queueio.runtime import interrupt, ledger, watcher

_installed = False


def install() -> None:
    """Look at each `os.fork` from now on; that cannot be taken back, so it is done once."""
    global _installed
    if not _installed and hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_before, after_in_child=watcher.forget_after_fork)
        os.register_at_fork(after_in_child=interrupt.forget_after_fork)
        _installed = True


def _before() -> None:
    threads = ledger.live_threads()
    if not threads:
        return
    try:
        warnings.warn(
            message(
                f"os.fork() while {len(threads)} queue runner threads are running",
                "the child has a copy of the session but none of the threads that fill its "
                "queues, and TensorFlow does not survive a fork: a sess.run there hangs",
                "Fork before the first session, or use the 'spawn' start method",
                right='multiprocessing.get_context("spawn")',
            ),
            StallWarning,
            stacklevel=3,
        )
    except StallWarning as refused:  # -W error: fork cannot be refused from here
        print(refused)
