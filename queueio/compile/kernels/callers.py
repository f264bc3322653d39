"""Calls of a Python function for row after row, in as many threads as TF1 had for it.

    rows ─▶ waiting ─▶ threads that call ─▶ results ─▶ handed on in the order of the rows

A call by way of TensorFlow costs fifty microseconds and more, so rows are handed over many at a
time, the fewer the longer a call takes. Threads that call light functions wait for one another, as
Python lets one run at a time: there one makes all calls.
"""

from __future__ import annotations

import itertools
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

SLICE = 2e-3
"""Seconds for which one thread alone calls, where calls are light."""
_TOGETHER = 5e-3  # seconds of calls for rows that are handed over at a time
_PATIENCE = 20e-3  # seconds for which rows that are done wait for others
LIGHT = 1e-4
"""Seconds that a call takes at most of which one thread makes all."""
MOST_ROWS = 16
_JUDGED = 9  # the last calls, by whose median the next ones are judged
_IDLE = 1.0  # seconds after which a thread without rows ends
_KEPT = 64  # iterators of one function whose calls are under way: of an older one they begin again


@dataclass
class Pace:
    """How many rows are handed over at a time, `most` of them, by how long calls took."""

    most: int = MOST_ROWS
    rows: int = 1
    light: bool = True
    _seconds: deque[float] = field(default_factory=lambda: deque(maxlen=_JUDGED))

    def took(self, seconds: float) -> None:
        """Learns how long a call took; a single one says little, as the machine has other work."""
        self._seconds.append(seconds)

    def judge(self) -> None:
        """Sets the rows for the next step."""
        usual = sorted(self._seconds)[len(self._seconds) // 2] if self._seconds else 0.0
        self.light = usual < LIGHT
        self.rows = max(1, min(2 * self.rows, self.most, int(_TOGETHER / max(usual, 1e-6))))


class _Ended:
    """The result of a call that raised StopIteration."""


@dataclass
class HandedOn:
    """Of the rows that waited the first `taken` are done with.

    Attributes:
      taken: how many.
      places: which of them have results: not those on which a thread ended.
      results: theirs.
      error: what the function raised for the one row that is done with; None if nothing.
      ended: how many threads have ended so far.
    """

    taken: int
    places: list[int]
    results: list[Sequence[Any]]
    error: BaseException | None
    ended: int


class Callers:
    """The calls that one iterator is making.

    Args:
      function: called with the values of a row; it returns a list.
      threads: how many calls there may be at a time. A thread whose call raises StopIteration
        ends; when all have ended, no further row is called for.
      pace: learns from the calls.
      ended: how many threads have ended already.
    """

    def __init__(
        self, function: Callable[..., Sequence[Any]], threads: int, pace: Pace, ended: int = 0
    ) -> None:
        self._function, self._threads, self._pace = function, threads, pace
        self._lock = threading.Lock()
        self._work, self._news = threading.Condition(self._lock), threading.Condition(self._lock)
        self._waiting: deque[tuple[int, Sequence[Any]]] = deque()
        self._results: dict[int, Any] = {}
        self._given = self._taken = 0
        self._alive = self._calling = 0
        self._ended = ended
        self._asked = self._late = self._waited = self._failed = False

    def step(self, rows: Sequence[Sequence[Any]], last: bool) -> HandedOn:
        """Takes in rows and hands on what is done of all that were taken in, in their order.

        It waits for the first of them, unless there is a thread that could call for more rows; for
        the others until they are as few as there are threads, but no longer than they may keep
        those that are done. `last`: there are no more.
        """
        with self._lock:
            for row in rows:
                self._waiting.append((self._given, row))
                self._given += 1
            self._asked, self._late, self._waited = True, not self._pace.light, False
            self._call_more()
            begun = time.monotonic()
            while not self._settled(last):
                until = begun + (_PATIENCE if self._late else SLICE)
                left = None if self._waited else until - time.monotonic()
                if left is None or left > 0:
                    self._news.wait(left)
                elif self._late:
                    self._waited = True
                else:
                    self._late = True
                    self._call_more()
            self._asked = False
            self._pace.judge()
            return self._handed_on()

    def _settled(self, last: bool) -> bool:
        under_way = self._given - self._taken
        if not under_way or self._ended >= self._threads:
            return True
        if self._failed or not self._late:
            first = self._late and self._taken in self._results
            return first or (not self._calling and (self._failed or not self._waiting))
        if self._taken in self._results:
            return self._waited or last or under_way - len(self._results) <= self._threads
        return not last and under_way < self._threads

    def _handed_on(self) -> HandedOn:
        first, places, results = self._taken, list[int](), list[Sequence[Any]]()
        error = None
        while self._taken in self._results and error is None:
            result = self._results[self._taken]
            if isinstance(result, BaseException):
                if self._taken > first:
                    break  # those before it are handed on first
                error, self._failed = result, False
            elif result is not _Ended:
                places.append(self._taken - first)
                results.append(result)
            del self._results[self._taken]
            self._taken += 1
        return HandedOn(self._taken - first, places, results, error, self._ended)

    def _call_more(self) -> None:
        """Has one thread call, or all where calls take long."""
        most = self._threads - self._ended
        wanted = min(most if self._late else 1, len(self._waiting))
        for _ in range(min(wanted - (self._alive - self._calling), most - self._alive)):
            self._alive += 1
            threading.Thread(target=self._work_on, name="queueio-python", daemon=True).start()
        self._work.notify(wanted)

    def _work_on(self) -> None:
        with self._lock:
            while self._row_comes():
                number, row = self._waiting.popleft()
                self._calling += 1
                result = self._called(row)
                self._calling -= 1
                self._results[number] = result
                self._failed = self._failed or isinstance(result, BaseException)
                self._ended += result is _Ended
                if self._late or not self._waiting or self._failed or result is _Ended:
                    self._news.notify()
                if result is _Ended:
                    break
            self._alive -= 1

    def _called(self, row: Sequence[Any]) -> Any:
        """What the function gives or raises."""
        self._lock.release()
        begun = time.monotonic()
        try:
            return self._function(*row)
        except StopIteration:  # no other error of Python's is an end to TensorFlow
            return _Ended
        except BaseException as error:
            return error
        finally:
            seconds = time.monotonic() - begun
            self._lock.acquire()
            self._pace.took(seconds)

    def _row_comes(self) -> bool:
        """Waits for a row to call for; whether one has come."""
        while not self._may_call():
            told = self._work.wait(_IDLE)
            if not told and not self._may_call():
                return False
        return True

    def _may_call(self) -> bool:
        return self._asked and bool(self._waiting) and not self._failed


@dataclass
class Iterators:
    """The calls of each iterator that is under way, by the number of its last step.

    A number is used once: an iterator that was restored from a copy of another's state would else
    be given the results of rows that are not its own. Numbers begin at random, as a saved state may
    come from another process.
    """

    make: Callable[[int], Callers]
    _all: OrderedDict[int, Callers] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(secrets.randbits(62)))

    def of(self, step: int, ended: int) -> tuple[int, Callers, bool]:
        """The number of the iterator's next step, its calls, and whether they are new.

        So they are where the iterator has just begun, or was restored, so that another has taken
        this step.
        """
        with self._lock:
            number = next(self._numbers)
            known = self._all.pop(step, None)
            self._all[number] = callers = known or self.make(ended)
            if len(self._all) > _KEPT:
                self._all.popitem(last=False)
            return number, callers, known is None
