"""The prompt of `queueio step`: whose turn it is, said by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from queueio.schedule.child import Child, Order, standings
from queueio.schedule.events import Level
from queueio.schedule.line import VERSION, from_line
from queueio.schedule.plain import told_levels, told_standing
from queueio.schedule.strategies import RoundRobin

HELP = """\
   n [k]        the next step (k steps), each actor in turn
   A            a step of A, or of any other that can go on
   u k          back to the state after step k: the script runs again to there
   q, queues    what each queue holds
   w, where     where each thread is, and what it waits for
   s, schedule  the line that leads here
   c            on to the end, each in turn
   x            leave"""


class Prompt:
    """Answers what a child asks, by what somebody types.

    Args:
      order: what runs.

    Attributes:
      left: whether somebody has left.
    """

    def __init__(self, order: Order) -> None:
        self._order = order
        self._own = 0
        self._turns = RoundRobin()
        self.left = False

    def asked(self, child: Child, told: dict[str, Any]) -> Order | None:
        """Answers; or gives the order to run instead.

        Args:
          child: who asks.
          told: what it told when it asked: who can go on, all standings and levels.
        """
        ready = told["ask"]
        while True:
            if self._own:
                self._own -= 1
                child.answer(self._next(ready, told))
                return None
            words = self._read(ready, told["step"])
            verb = words[0] if words else "n"
            if verb in ready:
                child.answer(verb)
                return None
            if verb == "n":
                self._own = _number(words, 1)
            elif verb == "c":
                self._own = 1 << 60
            elif verb == "u":
                return self._back(_number(words, told["step"] - 1), told["line"])
            elif verb == "x":
                click.echo(f"schedule: {told['line']}")
                self.left = True
                return self._order
            else:
                click.echo(_answer(verb, told, ready))

    def _read(self, ready: Sequence[str], step: int) -> list[str]:
        try:
            return str(input(f"{step} [{' '.join(ready)}]> ")).split()
        except (EOFError, RuntimeError):  # the end of what is typed; no input at all
            click.echo()
            return ["x"]

    def _next(self, ready: Sequence[str], told: dict[str, Any]) -> str:
        return self._turns.choose(ready, [each["name"] for each in told["standings"]])

    def _back(self, to: int, line: str) -> Order:
        kept = from_line(line)[0][: max(to, 0)]
        self._turns = RoundRobin()
        written = f"{VERSION}::{''.join(kept)}"
        return replace(self._order, strategy=written, quiet_until=len(kept))


def _number(words: Sequence[str], default: int) -> int:
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else default


def _answer(verb: str, told: dict[str, Any], ready: Sequence[str]) -> str:
    if verb in ("q", "queues"):
        return told_levels([Level(**each) for each in told["levels"]])
    if verb in ("w", "where"):
        return "\n".join(told_standing(each) for each in standings(told))
    if verb in ("s", "schedule"):
        return str(told["line"])
    if any(verb == each["actor"] for each in told["standings"]):
        return f"   {verb} cannot go on now; {', '.join(ready)} can. `w` says why."
    return HELP
