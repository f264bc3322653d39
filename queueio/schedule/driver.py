"""Drives a watched run: plays, steps, goes back, for whoever shows it.

It has the run's process, takes in what that tells, and answers what it asks: under control each
step asks whose turn it is; a free run is told how fast it may go.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from queueio.schedule.child import Child, Lost, Order
from queueio.schedule.events import Event
from queueio.schedule.line import VERSION, from_line
from queueio.schedule.scene import Scene
from queueio.schedule.step import told_end
from queueio.schedule.strategies import Strategy, strategy
from queueio.schedule.tape import Tape

SPEEDS = (1, 2, 5, 10, 25, 100, 0)
"""Steps a second; 0 for as many as can be."""


class Driver:
    """Drives a run; what it does not answer, waits.

    Args:
      order: what to run.
      fork: makes the run's process.
      chosen: the strategy, as text, by which playing chooses.
      changed: called when something has happened, in the thread that listens.

    Attributes:
      tape, scene: what has happened, and what is so now.
      ready: the letters of those that can have the next step; () while none is asked for.
      playing, speed: whether it goes on by itself, and the place of its speed in `SPEEDS`.
      ended: how it ended, as the run's process told it; {} before.
    """

    def __init__(
        self, order: Order, fork: Callable[..., int], chosen: str, changed: Callable[[], None]
    ) -> None:
        self._order, self._fork, self._chosen, self._changed = order, fork, chosen, changed
        self.tape = Tape(order.script, complete=not order.free)
        self.playing, self.speed, self._target = True, len(SPEEDS) - 1, 0
        self._lock, self._left = threading.RLock(), False
        self._begin(order)

    @property
    def free(self) -> bool:
        """Whether the run is not controlled."""
        return self._order.free

    def _begin(self, order: Order, steps: int = 0, line: str = "") -> None:
        """Begins a run, of which so many steps and their line are known: it does not tell them."""
        known = [event for event in self.tape.events if event.step <= steps]
        self.tape.rewind()
        self.scene, self.ended, self.line = Scene(order.free), dict[str, Any](), line
        for event in known:
            self.tape.add(event)
            self.scene.see(event)
        self.ready: tuple[str, ...] = ()
        self._names: list[str] = []
        self._due = 0.0
        self._strategy: Strategy = strategy(self._chosen)
        self.child = Child(order, self._fork)
        threading.Thread(target=self._listen, args=(self.child,), daemon=True).start()

    def _listen(self, child: Child) -> None:
        try:
            for told in child.messages(silent=float(1 << 20)):
                with self._lock:
                    if child is not self.child:
                        return
                    self._hear(told)
                self._changed()
        except (Lost, OSError, ValueError) as lost:
            if child is self.child and not self._left:
                status = lost.status if isinstance(lost, Lost) else 3
                self.ended = {"end": "failed", "why": str(lost), "steps": 0, "status": status}
                self.tape.end = str(lost)
                self._changed()

    def _hear(self, told: dict[str, Any]) -> None:
        if "anew" in told:
            self.tape.rewind()
        if "event" in told:
            event = Event.from_json(told["event"])
            self.tape.add(event)
            if not self.ended:
                self.scene.see(event)
        if "ask" in told:
            self.ready, self.line = tuple(told["ask"]), told["line"]
            self._names = [each["name"] for each in told["standings"]]
            self._go_on()
        if "end" in told:
            self.ended, self.ready = told["end"], ()
            self.line = told["end"]["line"] or self.line
            self.tape.end = told_end(told["end"])

    # What hands do.

    def play(self) -> None:
        """Goes on by itself, or stops doing so."""
        with self._lock:
            self.playing, self._target = not self.playing, 0
            self._pace()
            self._go_on()

    def step(self, actor: str = "") -> bool:
        """One step, of an actor's or of whose turn it is; whether it could be had."""
        with self._lock:
            if self.playing:
                self.play()
            if self.free:
                return self._let(actor)
            if not self.ready or (actor and actor not in self.ready):
                return False
            self._answer(actor or self._strategy.choose(self.ready, self._names))
            return True

    def faster(self, by: int) -> None:
        """Another speed; more for `by` > 0."""
        with self._lock:
            self.speed = max(0, min(len(SPEEDS) - 1, self.speed + by))
            self._pace()
            self._go_on()

    def jump(self, to: int) -> bool:
        """The state after so many steps, whether before or behind; whether that is possible.

        One that was seen before is shown at once. The run begins anew and comes to it behind that;
        until then it cannot go on.
        """
        with self._lock:
            if self.free:
                return False
            if self.playing:
                self.play()
            self._target = to
            if to > self.scene.step:
                self._go_on()
                return True
            turns = from_line(self.line)[0] if self.line else []
            kept = turns[: max(to, 0)]
            written = f"{VERSION}::{''.join(kept)}"
            old = self.child
            order = order_back(self._order, self.tape.events, len(kept), written)
            self._begin(order, len(kept), written)
            old.kill()
            return True

    def tick(self) -> None:
        """Goes on if it is time to; to be called now and then."""
        with self._lock:
            self._go_on()

    def close(self) -> None:
        """Ends the run, wherever it is."""
        with self._lock:
            self._left = True
            self.tape.end = self.tape.end or "left before its end"
        self.child.kill()

    def _go_on(self) -> None:
        """Answers, if it plays, as far as its speed allows."""
        if self.free or not self.ready:
            return
        hurries = self.scene.step < self._target
        pace = SPEEDS[self.speed]
        if hurries or (self.playing and (not pace or time.monotonic() >= self._due)):
            self._due = time.monotonic() + (1 / pace if pace else 0)
            self._answer(self._strategy.choose(self.ready, self._names))

    def _answer(self, actor: str) -> None:
        self.ready = ()
        self._say(actor)

    def _pace(self) -> None:
        if self.free and not self.ended:
            pace = SPEEDS[self.speed]
            self._say(f"pace {int(not self.playing)} {1 / pace if pace else 0}")

    def _let(self, actor: str) -> bool:
        ready = [each.actor for each in self.scene.actors() if each.state == "ready"]
        if self.ended or not ready or (actor and actor not in ready):
            return False
        self._say(f"let {actor or self._strategy.choose(ready, ready)}")
        return True

    def _say(self, text: str) -> None:
        try:
            self.child.answer(text)
        except OSError:  # it has just ended
            self.ready = ()


def order_back(order: Order, events: Sequence[Event], steps: int, line: str) -> Order:
    """What to run to come back to a step; the run tells of the steps behind it.

    Args:
      order: what was run.
      events: what it has told, at least to that step.
      steps: the number of the step; in it the script prints again.
      line: the turns to there, at least.
    """
    known = max(steps - 1, 0)
    entered = tuple(e.step for e in events if e.kind == "enter" and e.step <= known)
    return replace(
        order, strategy=line, quiet_until=steps, tells=steps + 1, known=known, entered=entered
    )
