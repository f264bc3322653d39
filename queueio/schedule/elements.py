"""The elements that calls move, looked at on their way: fetched beside what the calls fetch."""

from __future__ import annotations

import hashlib
from _thread import get_ident
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from queueio.graph.traversal import is_queue, parents
from queueio.runtime import calls
from queueio.runtime.calls import Along, SessionCall
from queueio.schedule.events import Element, Level, Move
from queueio.schedule.needs import Need, Needs, needs_of

LETTERS, NUMBERS, ROWS = 200, 4, 256
"""How much is shown: letters of a text, numbers of an array, elements of a call."""

Seen = dict[Any, list[Element]]
"""By op, the elements that it moved."""


class Looker:
    """Looks at what calls take from queues and put into them.

    What a call moves only under a condition is not looked at: it cannot be fetched.

    Args:
      known: gives what a call needs, where that is known already.
    """

    def __init__(self, known: Callable[[SessionCall], Needs] = needs_of) -> None:
        self._needs = known
        self._blind: set[int] = set()
        self._seen: dict[int, Seen] = {}
        calls.along.append(self._along)

    def stop(self) -> None:
        """Looks no more."""
        calls.along.remove(self._along)

    @contextmanager
    def looking_away(self) -> Iterator[None]:
        """Calls and callables that this thread makes meanwhile are not looked at."""
        self._blind.add(get_ident())
        try:
            yield
        finally:
            self._blind.discard(get_ident())

    def take(self, thread: int) -> Seen:
        """What the last call of a thread moved, once."""
        return self._seen.pop(thread, {})

    def _along(self, call: SessionCall) -> Along | None:
        if get_ident() in self._blind:
            return None
        needs = self._needs(call)
        looks = [
            (need, wanted)
            for each in (*needs.takes.values(), *needs.puts.values())
            for need in each
            if need.sure and (wanted := _wanted(need, call.session.graph))
        ]
        if not looks:
            return None

        def give(values: list[Any]) -> None:
            left = iter(values)
            got = {need: [next(left) for _ in wanted] for need, wanted in looks}
            self._seen[get_ident()] = {need.op: _elements(need, got[need]) for need in got}

        return Along([tensor for _, wanted in looks for tensor in wanted], give)


def _wanted(need: Need, graph: Any) -> list[Any]:
    """The tensors that hold what is moved: of a record, its key."""
    if need.reads:
        return list(need.op.outputs[:1])
    found = list(need.op.outputs) if need.takes else list(need.op.inputs)[1:]
    return found if all(map(graph.is_fetchable, found)) else []


def _elements(need: Need, values: list[Any]) -> list[Element]:
    many = need.many or (need.reads and np.ndim(values[0]) > 0)
    rows = zip(*(v[:ROWS] for v in values), strict=False) if many else [values]
    return [_element(need, list(row)) for row in rows]


def _element(need: Need, components: list[Any]) -> Element:
    if need.reads:
        key = _text(components[0], LETTERS)
        return Element(key, key)
    return Element(", ".join(map(shown, components)), "", _digest(components))


def shown(value: Any) -> str:
    """A value in a few words."""
    if isinstance(value, (bytes, str)):
        return repr(_text(value, LETTERS))
    array = np.asarray(value)
    if array.dtype == object and array.ndim == 0:
        return shown(array.item())
    first = array.ravel()[:NUMBERS]
    told = " ".join(repr(_text(v, 20)) if array.dtype == object else f"{v:.6g}"
                    if array.dtype.kind == "f" else str(v) for v in first)  # fmt: skip
    if array.ndim == 0:
        return told
    name = "string" if array.dtype == object else array.dtype.name
    more = " …" if array.size > NUMBERS else ""
    return f"{name}[{','.join(map(str, array.shape))}] {told}{more}"


def _text(value: Any, letters: int) -> str:
    raw = value.item() if isinstance(value, np.generic | np.ndarray) else value
    text = raw[: letters + 1].decode("utf-8", "backslashreplace") if isinstance(raw, bytes) else raw
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))
    return text if len(text) <= letters else text[: letters - 1] + "…"


def _digest(components: list[Any]) -> str:
    found = hashlib.sha1(usedforsecurity=False)
    for value in components:
        array = np.asarray(value)
        plain = array.dtype != object
        found.update(f"{array.dtype}{array.shape}".encode() if plain else b"text")
        found.update(array.tobytes() if plain else repr(array.tolist()).encode())
    return found.hexdigest()[:12]


def moves(
    needs: Needs, call: SessionCall, levels: dict[str, Level], seen: Seen | None
) -> tuple[Move, ...]:
    """What a call has moved, by queue.

    Args:
      needs, call: what it needs, and the call.
      levels: of its session's queues, by their keys.
      seen: the elements that were looked at; None for a call that has not moved any yet.

    Returns:
      A tuple of `Move`.
    """
    return tuple(
        _move(need, call, levels[queue].name, seen)
        for each in (needs.takes, needs.puts)
        for queue, wanted in each.items()
        if queue in levels
        for need in wanted
    )


def _move(need: Need, call: SessionCall, queue: str, seen: Seen | None) -> Move:
    elements = tuple((seen or {}).get(need.op, ()))
    count = 0 if seen is None else need.count(call) if need.sure and not need.reads else None
    if need.reads and elements:
        count = len(elements)
    ordered = not any("Shuffle" in op.type for op in parents(need.op) if is_queue(op))
    return Move(queue, need.takes, need.reads, ordered, -1 if count is None else count, elements)
