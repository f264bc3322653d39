"""What a live view shows of a run: its queues, its threads, who waits how much, what is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from queueio.schedule.events import Event, Level, Move, Standing
from queueio.schedule.line import letter, place_of
from queueio.schedule.plain import short_name
from queueio.words import times

MAIN = letter(0)
_STATES = {"ready": "green", "running": "green", "blocked": "yellow", "inside": "yellow",
           "waiting": "magenta", "done": "dim"}  # fmt: skip


class Scene:
    """Folds the events of a run into its present.

    Args:
      free: whether it is not controlled.

    Attributes:
      levels, standings: by queue, and by actor.
      step, seconds: of the last event; `last`: the last step that somebody made.
      reading: by queue of files, the key of the last record that was seen.
      read, passes: by queue, how many records were seen, and how many passes filled it.
      waited, seen: by actor, in how many events it was seen waiting; of how many.
    """

    def __init__(self, free: bool = False) -> None:
        self._free = free
        self.levels: dict[str, Level] = {}
        self.standings: dict[str, Standing] = {}
        self.step, self.seconds = 0, 0.0
        self.last: Event | None = None
        self.reading: dict[str, str] = {}
        self.read: Counter[str] = Counter()
        self.passes: Counter[str] = Counter()
        self.waited: Counter[str] = Counter()
        self.seen = 0

    def see(self, event: Event) -> None:
        """Takes in an event."""
        self.seconds = max(self.seconds, event.seconds)
        self.levels.update((level.name, level) for level in event.after)
        self.standings.update((each.actor, each) for each in event.standings)
        if event.kind == "look" or not self._free:  # of a free run only looks see everybody
            self.step, self.seen = event.step, self.seen + 1
            self.waited.update(each.actor for each in self.standings.values() if each.waits)
        if event.actor:
            self.last = event
        self._note_moves(event.moves)

    def _note_moves(self, moves: Sequence[Move]) -> None:
        for move in moves:
            if move.reads and move.elements:
                self.reading[move.queue] = move.elements[-1].key
                self.read[move.queue] += len(move.elements)
            elif not move.takes and move.count > 1 and not any(m.takes for m in moves):
                self.passes[move.queue] += 1

    def actors(self) -> list[Standing]:
        """All threads, in the order of their start."""
        return sorted(self.standings.values(), key=lambda each: place_of(each.actor))

    def wait_share(self, actor: str = MAIN) -> float:
        """The part of the time that an actor was seen waiting."""
        return self.waited[actor] / self.seen if self.seen else 0.0


def queue_line(level: Level, scene: Scene, width: int) -> list[tuple[str, str]]:
    """A queue in a line: its name, a bar with the line of min_after_dequeue, what is read of it.

    Args:
      level: the queue.
      scene: the run.
      width: columns.

    Returns:
      Pieces of text, each with its style.
    """
    name = level.name if len(level.name) <= 24 else "…" + level.name[-23:]
    room = level.capacity if level.capacity >= 0 else max(level.size, 1)
    wide = max(8, min(30, width - 60))
    filled = -(-level.size * wide // max(room, 1))
    mark = min(wide - 1, level.kept * wide // max(room, 1)) if level.kept else -1
    bar = [("█" if n < filled else "░", "green" if n < filled else "dim") for n in range(wide)]
    if mark >= 0:
        bar[mark] = ("┃", "yellow")
    held = f" {level.size:,}" + (f"/{level.capacity:,}" if level.capacity >= 0 else "")
    told = [(f"{name:24} ", "bold"), *bar, (f"{held:14}", "")]
    told += [(" closed", "red")] if level.closed else []
    told += [(f" min {level.kept:,}", "yellow")] if level.kept else []
    told += [(f" pass {scene.passes[level.name]}", "cyan")] if scene.passes[level.name] else []
    key = scene.reading.get(level.name, "")
    return [*told, *([(f" {_tail(key, 24)}", "blue")] if key else [])]


def thread_line(standing: Standing, scene: Scene) -> list[tuple[str, str]]:
    """A thread in a line: its letter and name, how it stands, and why."""
    share = f"{scene.wait_share(standing.actor):4.0%}"
    told = [
        (f"{standing.actor:2} ", "bold"), (f"{_tail(short_name(standing.name), 22):22} ", ""),
        (f"{standing.state:8}", _STATES.get(standing.state, "")), (f"{share} ", "dim"),
    ]  # fmt: skip
    return [*told, (standing.why or standing.what, "yellow" if standing.why else "")]


def plain_lines(scene: Scene) -> list[str]:
    """The scene for a pipe: a line of all queues, and one of who waits."""
    queues = ", ".join(str(level) for level in scene.levels.values())
    waiting = "; ".join(f"{s.actor} {s.why}" for s in scene.actors() if s.why and s.waits)
    head = f"{scene.seconds:8.1f} s │ {times(scene.step, 'call')} │ {queues or 'no queue'}"
    share = f"main waits {scene.wait_share():.0%}"
    return [head, " " * 11 + f"│ {share}" + (f" │ {waiting}" if waiting else "")]


def _tail(text: str, letters: int) -> str:
    return text if len(text) <= letters else "…" + text[1 - letters :]
