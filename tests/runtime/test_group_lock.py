"""An exception out of a signal's handler leaves the lock of a graph free, wherever it comes."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from tensorflow.python.util.lock_util import GroupLock

from queueio.runtime import group_lock


class Pressed(BaseException):
    pass


class Signal:
    """Comes once, at a place where Python runs handlers."""

    def __init__(self, place: str, after: int) -> None:
        self.place, self.left = place, after

    def at(self, place: str) -> None:
        if place == self.place:
            self.left -= 1
            if not self.left:
                raise Pressed


class Lock:
    """A lock, behind whose methods a signal may come."""

    def __init__(self, signal: Signal) -> None:
        self._lock, self._signal = threading.Lock(), signal

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        taken = self._lock.acquire(blocking, timeout)
        self._signal.at("taken")
        return taken

    def release(self) -> None:
        self._lock.release()
        self._signal.at("left")

    def __enter__(self) -> bool:
        return self._lock.__enter__()  # Python runs no handler between this and the block

    def __exit__(self, *_: Any) -> None:
        self.release()


class Interrupted(GroupLock):
    __slots__ = ("signal",)

    def __init__(self, signal: Signal) -> None:
        super().__init__(num_groups=2)
        self.signal = signal
        self._ready = threading.Condition(Lock(signal))  # type: ignore[arg-type]

    def _another_group_active(self, group_id: int) -> bool:
        self.signal.at("looks")
        return bool(super()._another_group_active(group_id))


def is_free(lock: GroupLock) -> bool:
    """Whether a member of the other group gets it."""
    got = threading.Event()

    def take() -> None:
        with lock.group(0):
            got.set()

    threading.Thread(target=take, daemon=True).start()
    return got.wait(5)


@pytest.mark.usefixtures("watched")
@pytest.mark.parametrize(("place", "after"), [("looks", 1), ("left", 1), ("left", 2)])
def test_a_signal_does_not_leave_the_lock_taken(place: str, after: int) -> None:
    assert GroupLock.acquire is group_lock.acquire
    lock = Interrupted(Signal(place, after))
    with pytest.raises(Pressed), lock.group(1):
        pass
    assert is_free(lock)


@pytest.mark.usefixtures("watched")
def test_one_group_waits_for_the_other() -> None:
    lock, came = GroupLock(num_groups=2), []

    def take() -> None:
        with lock.group(0):
            came.append("other")

    other = threading.Thread(target=take)
    with lock.group(1), lock.group(1):
        other.start()
        other.join(0.2)
        came.append("first")
    other.join(5)
    assert came == ["first", "other"]
