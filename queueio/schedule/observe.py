"""A free run, observed: who calls what, what its queues hold, and some of what they move.

Nobody is told to wait. Calls leave a note of when they began and ended, which costs less than a
microsecond; a thread asks for the levels, some times a second; and of each kind of call as many are
looked into as is told, the values of their elements fetched along.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
from _thread import get_ident
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from queueio.graph.origin import line_of_thread
from queueio.runtime import watch
from queueio.runtime.calls import SessionCall, wrap
from queueio.schedule import callers
from queueio.schedule.controller import told
from queueio.schedule.elements import Looker, Seen, moves
from queueio.schedule.events import OWN_THREADS, Event, Level, Move, Standing
from queueio.schedule.levels import Levels
from queueio.schedule.line import letter
from queueio.schedule.needs import Needs, block, needs_of
from queueio.schedule.tape import Tape

KEPT = 200_000
"""Calls that are kept of each thread, the latest."""
ALL_AT_FIRST = 20
"""Calls of each thread, its first ones, that are all looked into."""
PATIENCE = 10.0
"""Seconds that a look may take which somebody waits for: a session of other processes may not
answer at all."""
PREPARING = 20
"""A graph that grew is read again when this many times the time has passed that it took."""


class CallSite:
    """A kind of call: what it needs, in words and as data, and the user's line."""

    __slots__ = ("call", "line", "moves", "needs")

    def __init__(self, call: SessionCall, needs: Needs) -> None:
        self.call, self.needs = call, needs
        self.line = callers.line()
        self.moves: tuple[Move, ...] = ()


class ThreadNotes:
    """What a thread has done: the calls that it made, and the one that it is in."""

    __slots__ = ("asked", "began", "calls", "count", "error", "fresh", "letter", "name",
                 "site", "thread", "wanted")  # fmt: skip

    def __init__(self, letter: str, kept: int) -> None:
        self.thread = threading.current_thread()
        self.letter, self.name = (
            letter,
            "main" if self.thread is threading.main_thread() else self.thread.name,
        )
        self.calls: deque[Any] = deque(maxlen=kept)
        self.fresh: deque[Any] = deque(maxlen=KEPT)
        self.count, self.began = 0, 0.0
        self.asked = self.wanted = True
        """Whether its next call has to ask what to do; whether that is to be looked into."""
        self.site: CallSite | None = None
        self.error = ""

    def end(self, ended: float, seen: Seen | None, error: str) -> None:
        """The call that it was in has ended: one that was looked into, or failed."""
        self.count, self.error = self.count + 1, error
        note = (self.began, ended, self.site, seen, error)
        self.calls.append(note)
        self.fresh.append((self.count, *note))
        self.site = None


class FreeRun:
    """Observes all that runs in this process.

    Args:
      tell: told of each look, in the observer's thread.
      every: seconds between two looks.
      glances: seconds between two calls of a thread that are looked into; 0 for all of them.
      keeps: whether the calls are kept, for `tape`.

    Attributes:
      error: what the main thread has died by; None before.
      let: the letters of threads that may make a call although the run is paused, one for each.
    """

    def __init__(
        self,
        tell: Callable[[Event], None] = lambda event: None,
        every: float = 0.1,
        glances: float = 0.5,
        keeps: bool = True,
    ) -> None:
        self._tell, self._every, self._glances = tell, every, glances
        self._kept = KEPT if keeps else 0
        self._local = threading.local()
        self._all: list[ThreadNotes] = []
        self._sites: dict[Any, CallSite] = {}
        self._levels = Levels()
        self._looks: list[Event] = []
        self._known: dict[str, Level] = {}
        self._prepare_after = self._glance_after = 0.0
        self._lock, self._begins, self._stop = threading.Lock(), threading.Lock(), threading.Event()
        self.let: list[str] = []
        self._hold = self._paused = False
        self._delay = 0.0
        self._start = time.perf_counter()
        watch.install()  # whoever fetches along is asked there
        self._note_of()
        self._looker = Looker(lambda call: self._site(call).needs)
        self.error: BaseException | None = None
        self._over = False
        self._show_error, sys.excepthook = sys.excepthook, self._note_error
        self._unwrap = wrap(run=self._around_run, make_callable=self._around_make,
                            close=self._around_close)  # fmt: skip
        self._thread = threading.Thread(
            target=self._look_on, name=f"{OWN_THREADS}observer", daemon=True
        )
        self._thread.start()

    def pace(self, paused: bool = False, delay: float = 0.0) -> None:
        """Slows the run down.

        Args:
          paused: whether no call begins.
          delay: seconds that each call waits before it begins.
        """
        self._paused, self._delay = paused, delay
        self._hold = paused or delay > 0
        for notes in list(self._all):
            notes.asked = True

    def pool(self) -> int:
        """TensorFlow's threads that run the ops of all calls; 0 for as many as are needed."""
        configs = [getattr(site.call.session, "_config", None) for site in self._sites.values()]
        given = [int(each.inter_op_parallelism_threads) for each in configs if each is not None]
        chosen = next((each for each in given if each), os.cpu_count() or 1)
        return max(chosen, 0)  # below 0: each call in its own thread

    def stop(self, over: bool = False) -> None:
        """Looks once more, and lets the run alone.

        Args:
          over: whether the script has ended; its main thread lives on to tell so.
        """
        if not self._stop.is_set():
            self._over = over
            self._stop.set()
            self.look()
            self._unwrap()
            self._looker.stop()
            if sys.excepthook == self._note_error:
                sys.excepthook = self._show_error

    @contextmanager
    def watching(self) -> Iterator[FreeRun]:
        """Stops at the end of a `with` block."""
        try:
            yield self
        finally:
            self.stop()

    def _note_error(self, kind: Any, error: BaseException, trace: Any) -> None:
        self.error = error
        self._show_error(kind, error, trace)

    # Around the calls of sessions, in the threads that make them.

    def _around_run(self, inner: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(inner)
        def run(
            sess: Any, fetches: Any, feed_dict: Any = None, options: Any = None,
            run_metadata: Any = None,
        ) -> Any:  # fmt: skip
            notes = self._note_of()
            if notes is None:
                return inner(sess, fetches, feed_dict, options, run_metadata)
            site = self._site(SessionCall(sess, fetches, feed_dict))
            make = functools.partial(inner, sess, fetches, feed_dict, options, run_metadata)
            return self._noted(notes, site, make, make)

        return run

    def _around_make(self, inner: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(inner)
        def make_callable(
            sess: Any, fetches: Any, feed_list: Any = None, accept_options: bool = False
        ) -> Callable[..., Any]:
            made: Callable[..., Any] = inner(sess, fetches, feed_list, accept_options)
            if feed_list is not None or self._note_of() is None:  # the former goes through `run`
                return made
            with self._looker.looking_away():
                plain = inner(sess, fetches, feed_list, accept_options)
            site = self._site(SessionCall(sess, fetches))
            noted = self._callable(site, plain, made)
            unwatched = (getattr(each, "__wrapped__", each) for each in (plain, made))
            noted.__wrapped__ = self._callable(site, *unwatched)  # type: ignore[attr-defined]
            return noted

        return make_callable

    def _callable(
        self, site: CallSite, plain: Callable[..., Any], looked: Callable[..., Any]
    ) -> Callable[..., Any]:
        local, clock, keeps = self._local, time.perf_counter, self._kept > 0

        def call(*args: Any, **kwargs: Any) -> Any:  # the fast path: runners call nothing else
            notes = getattr(local, "notes", None) or self._note_of()
            if notes is None:
                return plain(*args, **kwargs)
            if notes.asked or args or kwargs:
                called = functools.partial(plain, *args, **kwargs)
                return self._noted(notes, site, called, called if args or kwargs else looked)
            if keeps:
                notes.began = clock()
            notes.site = site
            try:
                result = plain()
            except BaseException as raised:
                notes.end(clock(), None, told(raised))
                raise
            if keeps:
                notes.calls.append((notes.began, clock(), site, None, ""))
            notes.site = None
            notes.count += 1
            return result

        return call

    def _noted(
        self,
        notes: ThreadNotes,
        site: CallSite,
        plain: Callable[[], Any],
        looked: Callable[[], Any],
    ) -> Any:
        if self._hold:
            self._wait(notes, site)
        looks = notes.wanted or notes.count < ALL_AT_FIRST or not self._glances
        notes.began, notes.site = time.perf_counter(), site
        try:
            if looks:
                notes.wanted = False
                result = looked()
            else:
                with self._looker.looking_away():
                    result = plain()
        except BaseException as raised:
            notes.end(time.perf_counter(), None, told(raised))
            raise
        ended = time.perf_counter()
        if looks:
            notes.end(ended, self._looker.take(get_ident()), "")
        else:
            notes.calls.append((notes.began, ended, site, None, ""))
            notes.site = None
            notes.count += 1
        notes.asked = self._hold or notes.count < ALL_AT_FIRST or not self._glances
        return result

    def _around_close(self, inner: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(inner)
        def close(sess: Any) -> None:
            if not self._stop.is_set():
                self.look()  # after it the session can no more be asked
            inner(sess)

        return close

    def _wait(self, notes: ThreadNotes, site: CallSite) -> None:
        notes.site, notes.began = site, -1.0
        time.sleep(self._delay)
        while self._paused and not self._stop.is_set():
            if notes.letter in self.let:
                self.let.remove(notes.letter)
                return
            time.sleep(0.01)

    def _note_of(self) -> ThreadNotes | None:
        """The notes of the thread that asks; None for queueio's own."""
        try:
            notes: ThreadNotes | None = self._local.notes
        except AttributeError:
            notes = self._local.notes = self._begin()
        return notes

    def _begin(self) -> ThreadNotes | None:
        if threading.current_thread().name.startswith(OWN_THREADS):
            return None
        with self._begins:
            notes = ThreadNotes(letter(len(self._all)), self._kept)
            self._all.append(notes)
        return notes

    def _site(self, call: SessionCall) -> CallSite:
        known = (id(call.session), call.key)
        site = self._sites.get(known)
        if site is None:
            self._levels.add(call.session)
            site = self._sites[known] = CallSite(call, needs_of(call))
        return site

    # The observer's own thread.

    def _look_on(self) -> None:
        while not self._stop.wait(self._every):
            self._look_once()

    def look(self) -> None:
        """Looks at all queues and threads; tells of the calls that were looked into, and of it."""
        looking = threading.Thread(target=self._look_once, name=f"{OWN_THREADS}look", daemon=True)
        looking.start()
        looking.join(PATIENCE)

    def _look_once(self) -> None:
        with self._lock:
            before, began = self._known, time.perf_counter()
            self._known = dict(self._levels.look(again=began >= self._prepare_after))
            now = time.perf_counter()
            self._prepare_after = max(self._prepare_after, now + (now - began) * PREPARING)
            everybody = list(self._all)
            glance = now >= self._glance_after
            self._glance_after = now + self._glances if glance else self._glance_after
            for notes in everybody:
                if glance or self._hold:
                    notes.wanted, notes.asked = notes.wanted or glance, True
            event = self._look(before, everybody, now)
            self._looks.append(event)
            for notes in everybody:
                while notes.fresh:
                    self._tell(self._told(notes, *notes.fresh.popleft()))
            self._tell(event)

    def _look(self, before: dict[str, Level], everybody: list[ThreadNotes], now: float) -> Event:
        changed = [level for name, level in self._known.items() if before.get(name) != level]
        known = {level.name: level for level in before.values()}
        empty = (replace(level, size=0, closed=False) for level in changed)
        return Event(
            step=sum(each.count for each in everybody), actor="", name="", kind="look", what="",
            before=tuple(known.get(level.name, level) for level in empty), after=tuple(changed),
            seconds=now - self._start,
            standings=tuple(self._standing(each, now) for each in everybody),
            cpu=time.process_time(),
        )  # fmt: skip

    def _standing(self, notes: ThreadNotes, now: float) -> Standing:
        count, site, began = notes.count, notes.site, notes.began
        state, why, queue = "running", "", ""
        if not notes.thread.is_alive():
            return Standing(notes.letter, notes.name, "done", why=notes.error)
        if self._over and notes.thread is threading.main_thread():
            why = told(self.error) if self.error else ""
            return Standing(notes.letter, notes.name, "done", why=why)
        if site is None:
            line = str(line_of_thread(notes.thread.ident or 0) or "")
            return Standing(notes.letter, notes.name, state, "in Python", line)
        if began < 0:
            state = "ready"
        elif began < now and (found := self._block(site)) is not None:
            state, why, queue = "blocked", found.why, found.queue
            if notes.site is not site or notes.count != count:  # it has come back meanwhile
                state, why, queue = "running", "", ""
        return Standing(
            notes.letter, notes.name, state, site.needs.what, site.line, why, queue
        )  # fmt: skip

    def _block(self, site: CallSite) -> Any:
        return block(site.call, site.needs, self._levels.of(site.call.session), {})

    # At the end.

    def tape(self, title: str = "") -> Tape:
        """All that was kept: the calls and the looks, in the order of their ends."""
        end = f"ended by {told(self.error)}" if self.error else "finished"
        tape = Tape(title, complete=False, end=end)
        found = [*self._looks, *(e for notes in self._all for e in self._calls_of(notes))]
        for event in sorted(found, key=lambda event: event.seconds):
            tape.add(event)
        return tape

    def _calls_of(self, notes: ThreadNotes) -> Iterator[Event]:
        kept = list(notes.calls)
        for number, note in enumerate(kept, notes.count - len(kept) + 1):
            yield self._told(notes, number, *note)

    def _told(
        self, notes: ThreadNotes, number: int, began: float, ended: float, site: CallSite,
        seen: Seen | None, error: str,
    ) -> Event:  # fmt: skip
        moved: tuple[Move, ...] = () if error else self._moves(site, seen)
        return Event(
            step=number, actor=notes.letter, name=notes.name, kind="run", what=site.needs.what,
            line=site.line, error=error, seconds=ended - self._start,
            moves=moved, took=ended - began,
            lasts=site.needs.lasts, python=site.needs.python,
        )  # fmt: skip

    def _moves(self, site: CallSite, seen: Seen | None) -> tuple[Move, ...]:
        if seen is None and site.moves:
            return site.moves
        levels = self._levels.of(site.call.session, ever=True)
        found = moves(site.needs, site.call, levels, seen or {})
        if seen is None:
            site.moves = found
        return found
