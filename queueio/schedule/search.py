"""Many schedules of one program, until one goes wrong; and the shortest that still does."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from queueio.schedule.child import Child, Order
from queueio.schedule.findings import RaceFinding, RunEnd, alone, between, ending
from queueio.schedule.line import VERSION, from_line, to_line

TRIES = 30
"""Runs that are spent on a shorter schedule."""


@dataclass(frozen=True)
class FoundRace:
    """The first finding: what, in which run, after how many schedules."""

    finding: RaceFinding
    run: RunEnd
    schedules: int


class Search:
    """Runs schedules of a script.

    Args:
      order: what runs, for how many steps at most.
      say: told of each run.

    Attributes:
      runs: how many schedules ran to their end; `cut_off`: how many did not come to it.
      uncontrolled: what could not be controlled.
      ends: by how a run ended, as findings put it, how many did.
      last: the last run; `exhausted`: whether there was no further schedule to try.
    """

    def __init__(self, order: Order, say: Callable[[RunEnd], None] = lambda run: None) -> None:
        self._order = replace(order, watches=True, quiet_until=-1)
        self._say = say
        self._known: list[RunEnd] = []
        self.runs = self.cut_off = 0
        self.uncontrolled: dict[str, None] = {}
        self.ends: Counter[str] = Counter()
        self.last: RunEnd | None = None
        self.exhausted = False

    def first(self, schedules: int, chosen: Sampled | Exhaustive) -> FoundRace | None:
        """The first finding, in its run.

        Args:
          schedules: how many to try at most.
          chosen: which.
        """
        for number in range(1, schedules + 1):
            strategy = chosen.following()
            if strategy is None:
                self.exhausted = True
                return None
            run = self.run(strategy)
            chosen.learn(run)
            finding = self._judge(run)
            if finding is not None:
                return FoundRace(finding, run, number)
            if run.end in ("misfit", "failed"):
                return None
            if _only_one(run):
                self.exhausted = True
                return None
        return None

    def run(self, strategy: str) -> RunEnd:
        """One run.

        Raises:
          Lost: it did not come to an end that can be told.
        """
        for told in Child(replace(self._order, strategy=strategy)).messages():
            if "end" in told:
                run = RunEnd(**told["end"])
        self.runs += 1
        self.cut_off += run.end == "cut off"
        self.ends[ending(run) if run.end == "finished" else run.end] += 1
        self.uncontrolled.update(dict.fromkeys(run.uncontrolled))
        self.last = run
        self._say(run)
        return run

    def _judge(self, run: RunEnd) -> RaceFinding | None:
        finding = alone(run)
        for other in self._known:
            finding = finding or between(run, other)
        if finding is None and len(self._known) < 3:
            self._known.append(run)
        return finding

    def shortest(self, found: FoundRace) -> FoundRace:
        """The same finding with the fewest written steps; those after them go in turn."""
        turns, _ = from_line(found.run.line)
        best = found
        for wanted in (self._by_prefix, self._by_parts, self._by_prefix):
            turns, best = wanted(turns, best)
        names = best.run.names
        return replace(best, run=replace(best.run, line=to_line(turns, names)))

    def _by_prefix(self, turns: list[str], best: FoundRace) -> tuple[list[str], FoundRace]:
        """The shortest beginning that is enough, as far as halving finds it."""
        low, high = 0, len(turns)
        while low < high:
            middle = (low + high) // 2
            again = self._same(turns[:middle], best)
            if again is None:
                low = middle + 1
            else:
                best, high = again, middle
        return turns[:high], best

    def _by_parts(self, turns: list[str], best: FoundRace) -> tuple[list[str], FoundRace]:
        """Leaves out parts, larger ones first; what then cannot be taken is left out, too."""
        tries, size = TRIES, max(len(turns) // 2, 1)
        while size and tries:
            start = 0
            while start < len(turns) and tries:
                fewer, tries = turns[:start] + turns[start + size :], tries - 1
                again = self._same(fewer, best)
                if again is None:
                    start += size
                else:
                    best = again
                    turns = _applied(fewer, again)
            size //= 2
        return turns, best

    def again(self, found: FoundRace) -> RaceFinding | None:
        """What a run along the line of a finding shows, exactly as it is written."""
        return self._like(self.run(found.run.line), found)

    def _same(self, turns: list[str], best: FoundRace) -> FoundRace | None:
        """The finding of a run of these turns, where it is of the same kind."""
        run = self.run(f"~{VERSION}::{''.join(turns)}")
        same = self._like(run, best)
        return None if same is None else replace(best, finding=same, run=run)

    def _like(self, run: RunEnd, wanted: FoundRace) -> RaceFinding | None:
        found = [alone(run), *(between(run, other) for other in self._known)]
        return next((f for f in found if f is not None and f.kind == wanted.finding.kind), None)


def _only_one(run: RunEnd) -> bool:
    """Whether a whole run had nothing to choose: at no step two could have gone."""
    alone = all(len(ready.split()) < 2 for ready in run.choices)
    return run.end == "finished" and not run.uncontrolled and alone


def _applied(turns: list[str], found: FoundRace) -> list[str]:
    """Of the turns that were wanted, those that could be taken: the beginning of what was done."""
    done, _ = from_line(found.run.line)
    count = 0
    for wanted in turns:
        count += count < len(done) and wanted == done[count]
    return done[:count]


class Sampled:
    """The schedules to try: each in turn, then priorities and chance by turns."""

    def __init__(self, seed: int) -> None:
        self._seed, self._number = seed, -1

    def following(self) -> str | None:
        """The next one, as a strategy."""
        self._number += 1
        if self._number == 0:
            return "round-robin"
        own = self._seed * 1_000_003 + self._number
        return f"random:{own}" if self._number % 2 else f"pct:{own}:{1 + self._number // 2 % 4}"

    def learn(self, run: RunEnd) -> None:
        """A run is over: chance learns nothing of it."""


class Exhaustive:
    """All schedules in which at most `deviations` steps are not those of each in turn.

    Those with fewer come first, so that what is found first needs the fewest.
    """

    def __init__(self, deviations: int) -> None:
        self._deviations = deviations
        self._waiting: deque[tuple[list[str], int]] = deque([([], 0)])
        self._tried: tuple[list[str], int] = ([], 0)

    def following(self) -> str | None:
        """The next one, as a strategy; None after the last."""
        if not self._waiting:
            return None
        self._tried = self._waiting.popleft()
        return f"{VERSION}::{''.join(self._tried[0])}"

    def learn(self, run: RunEnd) -> None:
        """Where somebody else could have had a step, there is a schedule in which he has."""
        prefix, made = self._tried
        turns, _ = from_line(run.line)
        for step in range(len(prefix), len(turns)) if made < self._deviations else ():
            for other in run.choices[step].split():
                if other != turns[step]:
                    self._waiting.append(([*turns[:step], other], made + 1))
