"""The levels of all queues of the sessions that a program has used, asked of the sessions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import tensorflow.compat.v1 as tf

from queueio.graph.handled import handling
from queueio.graph.traversal import is_read, taken_from
from queueio.runtime import ledger
from queueio.runtime.calls import make_unwatched
from queueio.runtime.diagnosis import queues
from queueio.runtime.diagnosis.state import capacity, kept_back
from queueio.runtime.topology import Topology, key, stage_name
from queueio.schedule.events import Level


class SessionLevels:
    """The queues of one session: `look` asks them all in one call."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.gone = bool(getattr(session, "sess_str", ""))  # a cluster's: others use its queues
        self._version = -1
        self._known: dict[str, Level] = {}
        self._ask: Any = None

    @property
    def stale(self) -> bool:
        """Whether the graph has become another one since the last look."""
        closed = self.gone or bool(getattr(self.session, "_closed", False))
        return not closed and self.session.graph.version != self._version

    def look(self, again: bool = True) -> dict[str, Level]:
        """The level of each queue, by its key; {} when the session is closed.

        Args:
          again: whether to read the graph again, if it has become another one.
        """
        if self.gone:
            return {}
        try:
            if self._ask is None or (again and self.stale):
                self._prepare()
            sizes, closed = self._ask()
        except (RuntimeError, tf.errors.OpError):
            self.gone = bool(getattr(self.session, "_closed", True))
            return {} if self.gone else dict(self._known)
        for name, known in list(self._known.items()):
            now = (int(sizes[name]), bool(closed[name]))
            if now != (known.size, known.closed):
                self._known[name] = replace(known, size=now[0], closed=now[1])
        return dict(self._known)

    def _prepare(self) -> None:
        graph = self.session.graph
        topology = Topology(graph)
        ops = topology.queues
        fetches: Any = ({}, {})
        for name in ops:
            fetches[0][name] = queues.size(topology, name)
            fetches[1][name] = queues.is_closed(topology, name)
        shown, files = _shown(ops), _of_files(graph)
        self._known = {
            name: Level(shown[name], 0, _capacity(op), kept_back(op), files=name in files)
            for name, op in ops.items()
        }
        self._version = graph.version
        # Here: a session whose threads are all blocked would not answer.
        self._ask = make_unwatched(self.session, fetches, here=True) if ops else lambda: ({}, {})


class Levels:
    """The queues of all sessions.

    Their keys begin with the session's number, but for the first's. They are shown without it, as
    long as no other open session shows a queue of that name.
    """

    def __init__(self) -> None:
        self._sessions: list[SessionLevels] = []
        self._shown: dict[str, str] = {}
        self.now: dict[str, Level] = {}
        self._ever: dict[str, Level] = {}

    def add(self, session: Any) -> None:
        """Takes a session in, once."""
        session = ledger.innermost(session)
        if not any(each.session is session for each in self._sessions):
            self._sessions.append(SessionLevels(session))

    def of(self, session: Any, ever: bool = False) -> dict[str, Level]:
        """The levels that the last look saw in one session, by the queues' own keys.

        Args:
          session: the session.
          ever: whether to give what any look saw last, also when it is closed by now.
        """
        place = self._place(session)
        prefix = _prefix(place)
        return {
            name.removeprefix(prefix): level
            for name, level in (self._ever if ever else self.now).items()
            if name.startswith(prefix) and (place or "\0" not in name)
        }

    def name(self, session: Any, queue: str) -> str:
        """What a queue of a session is called in `now`."""
        return _prefix(self._place(session)) + queue

    @property
    def stale(self) -> bool:
        """Whether there is a session, or a queue, that the last look did not see."""
        return any(each.stale for each in self._sessions)

    def look(self, again: bool = True) -> dict[str, Level]:
        """Asks them all; `again` as above."""
        self.now = {
            _prefix(place) + name: self._distinct(place, _prefix(place) + name, level)
            for place, each in enumerate(self._sessions)
            for name, level in each.look(again).items()
        }
        self._ever.update(self.now)
        return self.now

    def _distinct(self, place: int, name: str, level: Level) -> Level:
        """A queue under a name that no other open session shows."""
        if name not in self._shown:
            others = {
                shown for other, shown in self._shown.items()
                if not self._sessions[_number(other)].gone and _number(other) != place
            }  # fmt: skip
            own = f"{level.name} (session {place + 1})"
            self._shown[name] = own if level.name in others else level.name
        shown = self._shown[name]
        return level if shown == level.name else replace(level, name=shown, apart=True)

    def _place(self, session: Any) -> int:
        session = ledger.innermost(session)
        return next(n for n, each in enumerate(self._sessions) if each.session is session)


def _prefix(place: int) -> str:
    return f"{place}\0" if place else ""


def _number(name: str) -> int:
    """The place of the session in the key of a queue."""
    before, behind, _ = name.partition("\0")
    return int(before) if behind else 0


def _of_files(graph: Any) -> set[str]:
    """The keys of the queues that readers take from."""
    read = (taken_from(op) for op in handling(graph) if is_read(op))
    return {key(queue) for queue in read if queue is not None}


def _capacity(op: Any) -> int:
    room = capacity(op)
    return -1 if room is None or room >= 2**31 - 1 else room


def _shown(ops: dict[str, Any]) -> dict[str, str]:
    """By key, the scope of a queue; its whole name where two share one."""
    scopes = Counter(map(stage_name, ops.values()))
    return {
        name: stage_name(op) if scopes[stage_name(op)] == 1 else op.name for name, op in ops.items()
    }
