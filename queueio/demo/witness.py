"""What the demo remembers of a run: its queues as they were seen, and the keys of all records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from queueio.schedule.events import Event, Level
from queueio.schedule.line import letter

TRAINER = letter(0)
"""The letter of the main thread."""


@dataclass(frozen=True)
class Look:
    """What one look saw, `seconds` after the run began."""

    seconds: float
    levels: tuple[Level, ...]
    read: dict[str, int]
    """Records read until now, by pipeline."""
    step: int | None
    """The batches that the main thread has taken; None before the first."""


@dataclass
class Witness:
    """Everything that was seen of one run. `on_look` is called after each look, in its thread."""

    on_look: Callable[[Look], None] = lambda look: None
    looks: list[Look] = field(default_factory=list)
    keys: dict[str, list[str]] = field(default_factory=dict)
    """The keys in the order in which they were read, by pipeline."""
    _levels: dict[str, Level] = field(default_factory=dict)
    _batches: int = 0

    def see(self, event: Event) -> None:
        """Takes in a call, or a look; the former have been looked into, each of them."""
        for move in event.moves:
            if move.reads:
                keys = self.keys.setdefault(pipeline_of(move.queue), [])
                keys += [element.key for element in move.elements]
        taken = event.actor == TRAINER and any(move.takes for move in event.moves)
        self._batches += taken and not event.error
        self._levels.update((level.name, level) for level in event.after)
        if event.kind == "look" and self._levels:
            self._look(event.seconds)

    def _look(self, seconds: float) -> None:
        read = {pipeline: len(keys) for pipeline, keys in self.keys.items()}
        look = Look(seconds, tuple(self._levels.values()), read, self._batches or None)
        self.looks.append(look)
        self.on_look(look)


def pipeline_of(queue: str) -> str:
    """The scope that a pipeline was built in: what the names of its queues begin with."""
    return queue.partition("/")[0]


def kind_of(queue: Level) -> str:
    """What a queue holds."""
    return "filename queue" if queue.files else "example queue"
