"""The controller: one thread of the program runs at a time, and it says which.

It is a thread of its own. It gives an actor its turn, waits until that stands at its next gate,
looks at the queues, tells what happened, and has the next one chosen. An actor with a turn does
what it stood before: a session call, the end of a wait, its first lines; and then Python up to the
next gate.

Who can go on is known before: a call by what it needs of the queues, a wait by its condition.
Where only the run can tell, the call is begun when nobody else can go on, and so is, before a
deadlock is told, every call that is blocked: then TensorFlow itself has said that it is one. A
call that does not come back while all threads rest waits inside, and the others go on.
"""

from __future__ import annotations

import _thread
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from queueio.graph.origin import line_of_thread
from queueio.runtime.calls import SessionCall
from queueio.schedule import callers, rest
from queueio.schedule.actors import Actor, Begin, Pause, Pending
from queueio.schedule.elements import Looker, moves
from queueio.schedule.events import OWN_THREADS, Event, Level, Move, Standing
from queueio.schedule.levels import Levels
from queueio.schedule.line import letter, to_line
from queueio.schedule.needs import Block, Needs, block, may_enter, needs_of
from queueio.schedule.strategies import Misfit, Strategy

STEP_SECONDS = 0.001
"""How much virtual time a step takes."""
PATIENCE = 0.005
"""Real seconds after which a call that may wait inside is suspected to; and for any other one:"""
PATIENCE_IF_SURE = 1.0
SETTLED_BY = 5.0
"""Real seconds that the others are waited for, after a step, to come back from their calls."""
_NUMBERED = re.compile(r"'_\d+_")
"""How TensorFlow begins the name of a queue in a message: with a number, another in each run."""
IN_PYTHON = 20.0
"""Real seconds at rest in Python after which an actor is said to wait for what nobody controls."""


class Controller:
    """Runs the actors one at a time.

    Args:
      strategy: chooses.
      tell: told of each event, in the controller's thread.
      over: called there when nobody gets a turn any more.
      budget: the steps after which the run is cut off.

    Attributes:
      actors: in the order of their start.
      turns: the letters of those who had the steps; `choices`: of those who could have had each,
        with blanks between.
      seconds: of virtual time.
      end: how it ended: "finished", "deadlock", "cut off", "misfit", "uncontrolled"; "" before.
      why: what there is to say about the end.
      uncontrolled: what could not be controlled, in words.
      in_full: whether events tell how all actors stand, not the main thread alone.
      known: the steps at the beginning that were seen before, along the same line, and are not told
        again; `entered`: those of them whose calls waited inside.
      looker: looks at the elements that calls move, for the events; None: nobody does.
    """

    def __init__(
        self,
        strategy: Strategy,
        tell: Callable[[Event], None],
        over: Callable[[], None],
        budget: int = 100_000,
    ) -> None:
        self._strategy, self._tell, self._budget = strategy, tell, budget
        self._over = over
        self.actors: list[Actor] = []
        self.turns: list[str] = []
        self.choices: list[str] = []
        self.seconds = 0.0
        self.end = self.why = ""
        self.uncontrolled: dict[str, None] = {}
        self.levels = Levels()
        self.in_full = True
        self.known = 0
        self.entered: frozenset[int] = frozenset()
        self.looker: Looker | None = None
        self._own = 0
        self._by_thread: dict[int, Actor] = {}
        self._arrived = _thread.allocate_lock()
        self._arrived.acquire()
        self._guard = _thread.allocate_lock()
        self._needs: dict[Any, Needs] = {}

    # What actors call, in their own threads.

    def current(self) -> Actor | None:
        """The actor whose thread asks; None for others, and when the run is over."""
        actor = self._by_thread.get(_thread.get_ident())
        return None if actor is None or actor.through or self.end else actor

    def note_foreign(self) -> None:
        """A thread that is no actor calls a session: says so, unless it is ours."""
        thread = _thread.get_ident()
        if self.end or thread == self._own or thread in self._by_thread:
            return
        name = threading.current_thread().name
        if not name.startswith(OWN_THREADS):
            self.uncontrolled.setdefault(
                f"{name} calls a session and was not started by threading.Thread, or before the"
                f" script ({callers.line()})",
                None,
            )

    def add(self, thread: Any, name: str, daemon: bool) -> Actor:
        """A thread that is about to be started."""
        actor = Actor(letter(len(self.actors)), name, thread, daemon)
        self.actors.append(actor)
        return actor

    def begin(self, actor: Actor) -> None:
        """Its thread runs, and waits for its first turn."""
        self._by_thread[_thread.get_ident()] = actor
        actor.turn.acquire()

    def finish(self, actor: Actor, error: BaseException | None) -> None:
        """Its thread is about to end; it gives up its turn for good."""
        actor.error, actor.done = error, True
        self._by_thread.pop(_thread.get_ident(), None)
        self._arrived.release()

    def call(self, actor: Actor, call: SessionCall, make: Callable[[], Any]) -> Any:
        """A session call: waits for its turn, then makes it."""
        self.levels.add(call.session)
        actor.session = call.session
        actor.next = Pending(call, self.needs_of(call), callers.line())
        self._arrive(actor)
        actor.back, actor.calling, actor.raised = False, True, None
        try:
            return make()
        except BaseException as error:
            actor.raised = error
            raise
        finally:
            with self._guard:
                actor.calling, actor.back = False, True
                detached = actor.detached
            if detached:  # the others went on meanwhile; it needs a turn to come back
                actor.turn.acquire()
            self._arrive(actor)  # what the call did is told before the program goes on

    def pause(self, what: str, ready: Callable[[], bool], seconds: float | None = None) -> bool:
        """A wait in Python.

        Args:
          what: what is waited for, where that is not seen from the stack.
          ready: whether it is over.
          seconds: of virtual time, after which it is over, too.

        Returns:
          What `ready` says in the end.
        """
        actor = self.current()
        assert actor is not None
        deadline = None if seconds is None else self.seconds + max(seconds, 0.0)
        actor.next = Pause(ready, deadline, what or callers.asked_for(), callers.line())
        self._arrive(actor)
        return ready()

    def _arrive(self, actor: Actor) -> None:
        self._arrived.release()
        actor.turn.acquire()

    def needs_of(self, call: SessionCall) -> Needs:
        """What a call needs, read from its graph once."""
        known = (id(call.session.graph), call.key)
        if known not in self._needs:
            self._needs[known] = needs_of(call)
        return self._needs[known]

    # The controller's own thread.

    def start(self) -> None:
        """Starts to control: the first actor, which is the main thread, must have been added."""
        _thread.start_new_thread(self._control, ())

    def _control(self) -> None:
        self._own = _thread.get_ident()
        try:
            self._replay()
            while not self.end:
                ready = self._ready()
                if ready:
                    self._step(ready)
                elif not self.end and not self._moves():
                    self._finish()
        except Misfit as misfit:
            self.end, self.why = "misfit", str(misfit)
        except BaseException as failure:  # of queueio: better told than hung
            self.end, self.why = "failed", f"{type(failure).__name__}: {failure}"
        self._over()

    def _replay(self) -> None:
        """The known steps: nobody is asked who could go on, no queue is looked at."""
        while len(self.turns) < self.known:
            self._look_at_new()
            living = [a for a in self.actors if not a.done]
            chosen = self._strategy.choose(
                [a.letter for a in living], [a.name for a in self.actors]
            )
            actor = next(a for a in living if a.letter == chosen)
            self.turns.append(chosen)
            doing = actor.next
            self._pass_time(doing)
            actor.detached = False
            actor.turn.release()
            entered = not self._wait_for(actor, len(self.turns) not in self.entered)
            self._settle(doing)
            if isinstance(doing, Pending):
                self._look_at_new()
                if not entered:
                    self._go_on(actor)
        if self.known:
            self.levels.look()

    def _look_at_new(self) -> None:
        """Looks where the graph has grown: a look adds ops, and those are to be the same again."""
        if self.levels.stale:
            self.levels.look()

    def _is_over(self) -> bool:
        """Whether only daemons are left: the program's end does not wait for those."""
        return self.actors[0].done and all(a.done or a.daemon for a in self.actors[1:])

    def _finish(self) -> None:
        waited_for = [
            a for a in self.actors if not a.done and (not a.daemon or a is self.actors[0])
        ]
        self.end = "deadlock" if waited_for else "finished"

    def _moves(self) -> bool:
        """Whether somebody outside, such as a thread of TensorFlow's, still sets one free."""
        if self._is_over():
            return False
        until = rest.now() + SETTLED_BY
        while rest.now() < until and not rest.at_rest():
            pass
        return any(not a.done and self._can(a) for a in self.actors)

    def _ready(self) -> list[Actor]:
        """Those who can go on; begins, where there are none, what may be worth it."""
        self._look_at_new()
        living = [a for a in self.actors if not a.done]
        if self._is_over():
            return []
        if len(self.turns) >= self._budget:
            self.end = "cut off"
            return []
        ready = [a for a in living if self._can(a)]
        if ready:
            return ready
        blocked = [(a, self.block_of(a)) for a in living if not a.detached]
        maybe = [a for a, why in blocked if why is not None and not why.firm]
        if maybe:
            return maybe
        deadlines = {a.letter: a.next.deadline for a in living if isinstance(a.next, Pause)}
        known = [deadline for deadline in deadlines.values() if deadline is not None]
        if known:
            return [a for a in living if deadlines.get(a.letter) == min(known)]
        return [a for a, why in blocked if why is not None]

    def _can(self, actor: Actor) -> bool:
        following = actor.next
        if actor.detached:
            return actor.back
        if isinstance(following, Pause):
            late = following.deadline is not None and following.deadline <= self.seconds
            return late or following.ready()
        return isinstance(following, Begin) or self.block_of(actor) is None

    def block_of(self, actor: Actor) -> Block | None:
        """Why an actor's call would wait; None where it would not, or where it makes none."""
        following = actor.next
        if not isinstance(following, Pending) or actor.detached:
            return None
        session = following.call.session
        return block(
            following.call, following.needs, self.levels.of(session), self._inside(session)
        )

    def _inside(self, session: Any) -> dict[tuple[str, bool], str]:
        found = {}
        for actor in self.actors:
            inside = actor.next if actor.detached and not actor.back else None
            if isinstance(inside, Pending) and inside.call.session is session:
                needs = inside.needs
                found.update({(queue, True): actor.letter for queue in needs.takes})
                found.update({(queue, False): actor.letter for queue in needs.puts})
        return found

    def _step(self, ready: list[Actor]) -> None:
        names = [a.name for a in self.actors]
        letters = [a.letter for a in ready]
        chosen = self._strategy.choose(letters, names)
        self.choices.append(" ".join(letters))
        actor = next(a for a in ready if a.letter == chosen)
        self.turns.append(chosen)
        before, doing = self.levels.now, actor.next
        kind = self._kind(actor)
        self._pass_time(doing)
        sure = self._is_sure(actor)
        actor.detached = False
        actor.turn.release()
        entered = not self._wait_for(actor, sure)
        self._settle(doing)
        if isinstance(doing, Pending):
            self.levels.look()
        self._emit(actor, "enter" if entered else kind, doing, before, actor.raised)
        if isinstance(doing, Pending) and not entered:
            self._go_on(actor)
        if actor.done:
            self._emit(actor, "end", Begin("end"), self.levels.now, actor.error)

    def _pass_time(self, doing: Any) -> None:
        deadline = getattr(doing, "deadline", None)
        if deadline is not None and not doing.ready():
            self.seconds = max(self.seconds, deadline)
        self.seconds += STEP_SECONDS

    def _go_on(self, actor: Actor) -> None:
        """Behind a call, once it has been told: Python up to the next gate."""
        actor.raised = None
        actor.turn.release()
        self._wait_for(actor, True)

    def _is_sure(self, actor: Actor) -> bool:
        """Whether what an actor does next comes back without anybody else's help."""
        following = actor.next
        if not isinstance(following, Pending) or actor.detached:
            return True
        levels = self.levels.of(following.call.session)
        blocked = self.block_of(actor) is not None
        return not blocked and not may_enter(following.call, following.needs, levels)

    def _kind(self, actor: Actor) -> str:
        if isinstance(actor.next, Pause):
            return "wake"
        if isinstance(actor.next, Begin):
            return "begin"
        return "return" if actor.detached else "run"

    def _wait_for(self, actor: Actor, sure: bool) -> bool:
        """Waits until it stands at a gate again; False when it waits inside of its call."""
        began, patience = rest.now(), PATIENCE_IF_SURE if sure else PATIENCE
        while not self._arrived.acquire(timeout=PATIENCE):
            waited = rest.now() - began
            if actor.calling and waited >= patience and rest.at_rest():
                with self._guard:
                    if not actor.back:
                        actor.detached = True
                        self._note_inside(actor, sure)
                        return False
            elif not actor.calling and waited > IN_PYTHON and rest.at_rest():
                self._give_up(actor)
        return True

    def _note_inside(self, actor: Actor, sure: bool) -> None:
        if sure and isinstance(actor.next, Pending):
            how = "" if actor.next.needs.unknown else " that has no queue to wait for"
            self.uncontrolled.setdefault(
                f"{actor} waits inside of a session call{how}:"
                f" {actor.next.what} ({actor.next.line}). What an op waits for in C++, or in a"
                " tf.py_func, is not controlled",
                None,
            )

    def _give_up(self, actor: Actor) -> None:
        site = line_of_thread(getattr(actor.thread, "ident", 0) or 0)
        at = f" at {site}" if site else ""
        raise Misfit(
            f"{actor} waits{at} for something that is not controlled: a process, a network,"
            " or a thread that does not come from threading.Thread"
        )

    def _settle(self, done: Any) -> None:
        """Until all who wait inside, for what `done` has touched, have come back if they can."""
        until = rest.now() + SETTLED_BY
        while any(_may_return(a, done) for a in self.actors) and not rest.at_rest():
            if rest.now() > until:
                self.uncontrolled.setdefault("threads of TensorFlow work all the time", None)
                return

    # What is told.

    def _emit(
        self, actor: Actor, kind: str, doing: Any, before: dict[str, Level], error: Any
    ) -> None:
        now = self.levels.now
        changed = [name for name in now if now[name] != before.get(name, _empty(now[name]))]
        self._tell(
            Event(
                step=len(self.turns),
                actor=actor.letter,
                name=actor.name,
                kind=kind,
                what=doing.what,
                line=doing.line,
                before=tuple(before.get(name, _empty(now[name])) for name in changed),
                after=tuple(now[name] for name in changed),
                error=told(error),
                seconds=self.seconds,
                standings=tuple(map(self.standing, self.actors[: None if self.in_full else 1])),
                lasts=isinstance(doing, Pending) and doing.needs.lasts,
                moves=self._moved(actor, kind, doing),
                took=0.0 if kind == "end" else STEP_SECONDS,
            )
        )

    def _moved(self, actor: Actor, kind: str, doing: Any) -> tuple[Move, ...]:
        if self.looker is None or not isinstance(doing, Pending):
            return ()
        seen = None
        if kind in ("run", "return") and actor.raised is None:
            seen = self.looker.take(actor.thread.ident)
        levels = self.levels.of(doing.call.session)
        return tuple(moves(doing.needs, doing.call, levels, seen))

    def standing(self, actor: Actor) -> Standing:
        """How an actor stands now."""
        following, why, queue = actor.next, "", ""
        if actor.done:
            return Standing(actor.letter, actor.name, "done", why=told(actor.error))
        if actor.detached:
            state, why, queue = self._inside_of(actor)
        elif isinstance(following, Pause):
            state = "ready" if self._can(actor) else "waiting"
        else:
            found = self.block_of(actor)
            state = "ready" if found is None else "blocked"
            why, queue = ("", "") if found is None else (found.why, found.queue)
        return Standing(actor.letter, actor.name, state, following.what, following.line, why, queue)

    def _inside_of(self, actor: Actor) -> tuple[str, str, str]:
        following = actor.next
        if actor.back or not isinstance(following, Pending):
            return "ready", "", ""
        call = following.call
        found = block(call, following.needs, self.levels.of(call.session), {})
        return "inside", *(("", "") if found is None else (found.why, found.queue))

    def cut_off(self) -> None:
        """Ends the run here."""
        self.end = self.end or "cut off"

    def line(self) -> str:
        """The schedule so far."""
        return to_line(self.turns, [a.name for a in self.actors])


def _may_return(actor: Actor, done: Any) -> bool:
    inside = actor.next
    if not actor.detached or actor.back or not isinstance(inside, Pending):
        return False
    if getattr(inside.call.session, "_closed", False) or not inside.needs.queues:
        return True
    return isinstance(done, Pending) and bool(done.needs.queues & inside.needs.queues)


def told(error: BaseException | None) -> str:
    """An exception in a line."""
    if error is None:
        return ""
    lines = str(getattr(error, "message", None) or error).strip().splitlines()
    text = next((line.strip() for line in lines if not _says_nothing(line)), "")
    text = _NUMBERED.sub("'", text)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _says_nothing(line: str) -> bool:
    """Whether a line of TensorFlow's is a heading, or a part of a stack."""
    line = line.strip()
    return not line or line.startswith(("Graph execution", "Detected at", "File ", "Node: "))


def _empty(level: Level) -> Level:
    return replace(level, size=0, closed=False)
