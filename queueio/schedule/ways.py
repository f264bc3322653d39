"""The ways of elements: which one of a queue is which, from the file to the batch.

Queues tell of their elements neither names nor places. But what goes in and what comes out can be
compared: an element is taken to be the first one of those in its queue that has the same values.
Elements with the same values cannot be told apart, and need not be.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field

from queueio.schedule.events import Element, Event, Move
from queueio.schedule.tape import Tape


@dataclass
class Stay:
    """An element in a queue.

    Attributes:
      queue: the queue's name.
      element: what was seen of it.
      put, taken: the places of the events in the tape by which it came and went; -1: not seen.
      parents: the stays, by their places, of what it was made of.
      epoch: the number of the pass over the source that it comes from; 0 where that is not known.
    """

    queue: str
    element: Element
    put: int = -1
    taken: int = -1
    parents: list[int] = field(default_factory=list)
    epoch: int = 0


class Ways:
    """Follows all elements of a tape that were looked at.

    Attributes:
      stays: of all elements in all queues, in the order in which they were first seen.
    """

    def __init__(self, tape: Tape) -> None:
        self.stays: list[Stay] = []
        self._complete = tape.complete
        self._inside: dict[str, dict[int, None]] = defaultdict(dict)
        self._alike: dict[tuple[str, str], deque[int]] = defaultdict(deque)
        self._coming: dict[tuple[str, str], deque[int]] = defaultdict(deque)
        self._passes: dict[str, int] = defaultdict(int)
        self._open: dict[tuple[str, str], tuple[int, int]] = {}
        self._returns = _returns(tape.events)
        for place, event in enumerate(tape.events):
            self._follow(place, event, tape.events)

    def _follow(self, place: int, event: Event, events: list[Event]) -> None:
        if event.kind == "enter" and place in self._returns:
            back = events[self._returns[place]]
            self._begin(event.actor, back.moves)
        elif event.kind in ("run", "return") and event.moves:
            self._complete_call(place, event)
        for level in event.after if self._complete else ():
            self._let_in(place, level.name, level.size)

    def _begin(self, actor: str, moves: tuple[Move, ...]) -> None:
        """A call has begun that waits inside: its elements go in bit by bit."""
        if any(move.takes for move in moves):
            return
        for move in moves:
            self._new_pass(move)
            for element in move.elements:
                stay = self._new(move.queue, element, [], self._passes[move.queue])
                self._coming[actor, move.queue].append(stay)

    def _complete_call(self, place: int, event: Event) -> None:
        taken = [self._take(place, m, e) for m in event.moves if m.takes and not m.reads
                 for e in m.elements]  # fmt: skip
        records = [(m.queue, e) for m in event.moves if m.reads for e in m.elements]
        files = [self._file(place, event, queue, record) for queue, record in records]
        for move in event.moves:
            if move.takes:
                continue
            coming = self._coming.pop((event.actor, move.queue), None)
            if coming is not None:
                for stay in coming:
                    self._enter(stay, place)
                continue
            if not taken and not files:
                self._new_pass(move)
            for number, element in enumerate(move.elements):
                parents = _own(taken, number, len(move.elements)) + _own(
                    files, number, len(move.elements)
                )
                record = records[min(number, len(records) - 1)][1].key if records else ""
                keyed = Element(element.shown, record or self._key(parents), element.digest)
                epoch = next((self.stays[p].epoch for p in parents if self.stays[p].epoch), 0)
                own = self._passes[move.queue] if not (taken or files) else epoch
                self._enter(self._new(move.queue, keyed, parents, own), place)

    def _key(self, parents: list[int]) -> str:
        return next((self.stays[p].element.key for p in parents if self.stays[p].element.key), "")

    def _new(self, queue: str, element: Element, parents: list[int], epoch: int) -> int:
        self.stays.append(Stay(queue, element, -1, -1, parents, epoch))
        self._alike[queue, element.digest].append(len(self.stays) - 1)
        return len(self.stays) - 1

    def _new_pass(self, move: Move) -> None:
        self._passes[move.queue] += move.count > 1 or len(move.elements) > 1

    def _enter(self, stay: int, place: int) -> None:
        if self.stays[stay].put < 0:
            self.stays[stay].put = place
            if self.stays[stay].taken < 0:
                self._inside[self.stays[stay].queue][stay] = None

    def _take(self, place: int, move: Move, element: Element) -> int:
        alike = self._alike[move.queue, element.digest]
        while alike and self.stays[alike[0]].taken >= 0:
            alike.popleft()
        if alike:
            stay = alike.popleft()
        elif move.ordered and self._complete and self._inside[move.queue]:
            stay = next(iter(self._inside[move.queue]))  # a padding queue has changed its shape
        else:
            stay = self._new(move.queue, element, [], 0)
        return self._leave(stay, place)

    def _leave(self, stay: int, place: int) -> int:
        self.stays[stay].taken = place
        self.stays[stay].put = place if self.stays[stay].put < 0 else self.stays[stay].put
        self._inside[self.stays[stay].queue].pop(stay, None)
        return stay

    def _file(self, place: int, event: Event, queue: str, record: Element) -> int:
        """The file that a record is from: one that a reader has taken, now or before."""
        file, at = _split(record.key)
        known, first = self._open.get((queue, file), (-1, -1))
        if known >= 0 and (at > first or not self._complete):
            return known
        waiting = (s for s in self._inside[queue] if _name(self.stays[s].element) == file)
        stay = next(waiting, -1)
        if stay < 0:  # it came unseen
            stay = self._new(queue, Element(repr(file)), [], 0)
        self._open[queue, file] = (self._leave(stay, place), at)
        return stay

    def _let_in(self, place: int, queue: str, size: int) -> None:
        """Of those that go in bit by bit, as many as there is room for."""
        for (_, name), coming in self._coming.items():
            while name == queue and coming and len(self._inside[queue]) < size:
                self._enter(coming.popleft(), place)


def _returns(events: list[Event]) -> dict[int, int]:
    """By the place of an event that enters a call, that of the one in which it comes back."""
    found: dict[int, int] = {}
    entered: dict[str, int] = {}
    for place, event in enumerate(events):
        if event.kind == "enter":
            entered[event.actor] = place
        elif event.kind == "return" and event.actor in entered:
            found[entered.pop(event.actor)] = place
    return found


def _own(stays: list[int], number: int, count: int) -> list[int]:
    """Of what a call took, what its `number`-th element of `count` is made of."""
    return [stays[number]] if len(stays) == count else list(dict.fromkeys(stays))


def _split(key: str) -> tuple[str, int]:
    """The file of a record, and its place in it: lines, numbers and bytes count upwards."""
    file, _, place = key.rpartition(":")
    return (file, int(place)) if file and place.isdigit() else (key, 0)


def _name(file: Element) -> str:
    return file.shown[1:-1]
