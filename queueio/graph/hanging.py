"""What is known of a graph, one of its ops or a session hangs on that, and goes when it goes.

A table of ours that holds its ops would keep it alive, and a program that builds a graph for each
round of training and evaluation would fill the memory. So would one that makes a session for each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Kept = TypeVar("Kept")


def hanging(on: Any, name: str, make: Callable[[], Kept]) -> Kept:
    """What hangs on a graph or an op under `name`, made where there is nothing yet."""
    attribute = f"_queueio_{name}"
    found: Kept | None = getattr(on, attribute, None)
    if found is None:
        found = make()
        setattr(on, attribute, found)
    return found


class BySession(Generic[Kept]):
    """A table by session, whose entries hang on the sessions.

    A WeakKeyDictionary holds its values, and an error among them, or a coordinator that was told
    of one, holds its traceback, which holds the session: that would never go.
    """

    def __contains__(self, session: Any) -> bool:
        return self in self._tables(session)

    def __getitem__(self, session: Any) -> Kept:
        return self._tables(session)[self]

    def __setitem__(self, session: Any, kept: Kept) -> None:
        self._tables(session)[self] = kept

    def get(self, session: Any, default: Any = None) -> Any:
        """The session's entry, or `default`."""
        return self._tables(session).get(self, default)

    def setdefault(self, session: Any, default: Kept) -> Kept:
        """The session's entry, `default` where there was none."""
        return self._tables(session).setdefault(self, default)

    def pop(self, session: Any, default: Any = None) -> Any:
        """Takes the session's entry out; `default` where there is none."""
        return self._tables(session).pop(self, default)

    def _tables(self, session: Any) -> dict[BySession[Kept], Kept]:
        # setdefault: two threads may be the first at once.
        tables: dict[BySession[Kept], Kept] = vars(session).setdefault("_queueio_tables", {})
        return tables
