"""A run kept: its events, each with no more than what it changed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from queueio.schedule.events import Event, Level, Standing
from queueio.schedule.line import place_of


@dataclass
class Tape:
    """The events of a run, for the views that are made at its end.

    Attributes:
      events: in their order; `standings` holds those that changed, of a free run also those that
        still wait.
      complete: whether each move of each call is told; a free run tells of some.
      title: the script, as it was called.
      end: how the run ended, in words.
      levels, standings: as they are after the last event, by queue and by actor.
    """

    title: str = ""
    complete: bool = True
    end: str = ""
    events: list[Event] = field(default_factory=list)
    levels: dict[str, Level] = field(default_factory=dict)
    standings: dict[str, Standing] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        """Keeps an event."""
        known = self.standings
        if event.actor:
            self._names[event.actor] = event.name
        self._names.update((each.actor, each.name) for each in event.standings)
        changed = tuple(
            standing for standing in event.standings
            if known.get(standing.actor) != standing or (standing.waits and not self.complete)
        )  # fmt: skip
        self.standings.update((each.actor, each) for each in changed)
        self.levels.update((level.name, level) for level in event.after)
        self.events.append(replace(event, standings=changed))

    def rewind(self) -> None:
        """Forgets all: the run begins anew."""
        self.events.clear()
        self.levels.clear()
        self.standings.clear()
        self._names.clear()

    def queues(self) -> list[str]:
        """The names of all queues: those that are filled from others after those."""
        flow: dict[str, set[str]] = {}
        for event in self.events:
            for level in event.after:
                flow.setdefault(level.name, set())
            for move in event.moves:
                flow.setdefault(move.queue, set())
                if not move.takes:
                    flow[move.queue] |= {m.queue for m in event.moves if m.takes}
        return _in_order(flow)

    def actors(self) -> list[tuple[str, str]]:
        """The letters and names of all actors, in the order of their start."""
        return sorted(self._names.items(), key=lambda each: place_of(each[0]))


def _in_order(flow: dict[str, set[Any]]) -> list[str]:
    """Each after those that it is filled from, as far as there is no circle."""
    found: dict[str, None] = {}

    def visit(queue: str, above: tuple[str, ...]) -> None:
        if queue not in found and queue not in above:
            for source in sorted(flow.get(queue, ())):
                visit(source, (*above, queue))
            found[queue] = None

    for queue in flow:
        visit(queue, ())
    return list(found)
