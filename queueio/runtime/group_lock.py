"""The lock of a graph that a handler of a signal may raise in, as Ctrl-C's does.

TensorFlow takes it in Python for each call of a session and for each op that is made. An exception
that came in the middle left it locked: every later call in that graph waited for ever, those that
cancel the queues too, and so did whoever joined their threads.
"""

from __future__ import annotations

from typing import Any


def acquire(self: Any, group_id: int) -> None:
    """Waits until no other group has the lock, and counts in one more of this one.

    Args:
      group_id: the group.
    """
    self._validate_group_id(group_id)
    counts, counted = self._group_member_counts, False
    try:
        with self._ready._lock:  # the Condition itself is entered and left in Python
            while self._another_group_active(group_id):
                self._ready.wait()
            counts[group_id], counted = counts[group_id] + 1, True
    except BaseException:
        if counted:
            release(self, group_id)
        raise


def release(self: Any, group_id: int) -> None:
    """Counts one of a group out again.

    Args:
      group_id: the group.
    """
    self._validate_group_id(group_id)
    counts, counted = self._group_member_counts, True
    try:
        with self._ready._lock:
            counts[group_id], counted = counts[group_id] - 1, False
            if not counts[group_id]:
                self._ready.notify_all()
    except BaseException:
        with self._ready._lock:
            counts[group_id] -= counted
            self._ready.notify_all()
        raise
