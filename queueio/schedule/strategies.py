"""Who is chosen, of those that can go on: round robin, at random, by priorities, or as written."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol

from queueio.errors import message
from queueio.schedule.line import fingerprint, from_line, named, place_of

FAIR_AFTER = 2000
"""Steps after which priorities give way to chance: a schedule that starves for ever is none."""


class Misfit(Exception):
    """A line of turns that does not fit the program."""


class Strategy(Protocol):
    """Chooses the actor of the next step."""

    def choose(self, ready: Sequence[str], names: Sequence[str]) -> str:
        """One of `ready`, the letters of those that can go on, in the order of their start.

        Args:
          ready: at least one letter.
          names: of all actors so far, in the order of their start.
        """
        ...


class RoundRobin:
    """Each in turn: who is next after the one before."""

    def __init__(self) -> None:
        self._last = ""

    def choose(self, ready: Sequence[str], names: Sequence[str]) -> str:
        order = sorted(ready, key=place_of)
        later = [actor for actor in order if place_of(actor) > place_of(self._last)]
        self._last = (later or order)[0]
        return self._last


class Chance:
    """Each with the same probability; the same seed chooses the same again."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def choose(self, ready: Sequence[str], names: Sequence[str]) -> str:
        return self._random.choice(list(ready))


class Priorities:
    """PCT: who has the highest priority, until one of `changes` steps takes it from them.

    A bug that needs d events in an order is found with a probability of at least 1 / (n k^(d-1)),
    for n actors and k steps (Burckhardt et al., ASPLOS 2010).
    """

    def __init__(self, seed: int, changes: int = 3, steps: int = 200) -> None:
        self._random = random.Random(seed)
        self._change_at = {self._random.randrange(steps) for _ in range(changes)}
        self._priority: dict[str, float] = {}
        self._step, self._lowest = 0, 0.0
        self._fair = Chance(seed)

    def choose(self, ready: Sequence[str], names: Sequence[str]) -> str:
        for actor in ready:
            self._priority.setdefault(actor, 1 + self._random.random())
        self._step += 1
        if self._step > FAIR_AFTER:
            return self._fair.choose(ready, names)
        if self._step in self._change_at:
            self._lowest -= 1
            self._priority[max(ready, key=self._priority.__getitem__)] = self._lowest
        return max(ready, key=self._priority.__getitem__)


class AsWritten:
    """As a line says; then as `after` says.

    Args:
      text: the line.
      after: who chooses when its turns are used up; by default, each in turn.
      lenient: whether turns that cannot be taken are left out; else they are a Misfit.
    """

    def __init__(self, text: str, after: Strategy | None = None, *, lenient: bool = False) -> None:
        self._turns, self._actors = from_line(text)
        self._wanted = list(self._turns)
        self._after: Strategy = RoundRobin() if after is None else after
        self._lenient = lenient
        self._at = 0

    def choose(self, ready: Sequence[str], names: Sequence[str]) -> str:
        while self._at < len(self._wanted):
            actor = self._wanted[self._at]
            self._at += 1
            if actor in ready:
                self._check(names)
                return actor
            if not self._lenient:
                raise Misfit(self._misfit(actor, ready))
        return self._after.choose(ready, names)

    def _check(self, names: Sequence[str]) -> None:
        if self._lenient or self._at < len(self._wanted):
            return
        if self._actors not in ("", fingerprint(named(self._wanted, names))):
            raise Misfit(
                message(
                    "the schedule is another program's: its actors have other names",
                    do="Explore the script as it is now, with the same arguments.",
                )
            )

    def _misfit(self, actor: str, ready: Sequence[str]) -> str:
        return message(
            f"the schedule does not fit: its step {self._at} is {actor}'s, which cannot go on there"
            f" ({', '.join(ready)} can)",
            do="Explore the script as it is now, with the same arguments.",
        )


class ByHand:
    """Asks somebody.

    Args:
      ask: given the letters of those that can go on, gives one.
    """

    def __init__(self, ask: Callable[[Sequence[str]], str]) -> None:
        self._ask = ask

    def choose(self, ready: Sequence[str], names: Sequence[str]) -> str:
        return self._ask(ready)


def strategy(text: str) -> Strategy:
    """The strategy that a text names.

    Args:
      text: `round-robin`, `random:SEED`, `pct:SEED`, `pct:SEED:CHANGES`, or a schedule's line;
        `~` before a line makes it lenient.

    Raises:
      ValueError: it is none of these.
    """
    kind, *numbers = text.split(":")
    if kind == "round-robin":
        return RoundRobin()
    if kind == "random":
        return Chance(int(numbers[0]))
    if kind == "pct":
        return Priorities(*map(int, numbers))
    return AsWritten(text.removeprefix("~"), lenient=text.startswith("~"))
