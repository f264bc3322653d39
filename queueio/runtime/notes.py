"""Attach a sentence to an exception that is already on its way."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_ADDED = "_queueio_added"


def add_note(error: BaseException, note: str) -> None:
    """Add `note` to `error` so that its printed traceback ends with it.

    Python 3.10 has no `add_note` and prints no notes, so there the message itself grows.
    """
    if note in getattr(error, "__notes__", ()):
        return
    if hasattr(error, "add_note"):
        error.add_note(note)
        return
    error.__notes__ = [*getattr(error, "__notes__", ()), note]  # type: ignore[attr-defined]
    extend_message(error, note)


def extend_message(error: BaseException, text: str) -> None:
    """Append `text` to what `str(error)` says, keeping the object and its type."""
    message = getattr(error, "_message", None)
    if isinstance(message, str):  # TensorFlow's errors keep their words here
        error._message = f"{message}\n{text}"  # type: ignore[attr-defined]
        error.__dict__.setdefault(_ADDED, []).append(text)
    elif error.args and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]}\n{text}", *error.args[1:])


def added_last(stock: Callable[[Any], str]) -> Callable[[Any], str]:
    """A `__str__` for TensorFlow's errors under which our words come last.

    Its own puts the stack of the failing op below the message, which leaves what was added in
    the middle of a screen and a half.
    """

    @functools.wraps(stock)
    def __str__(self: Any) -> str:
        added = self.__dict__.get(_ADDED, ())
        text = stock(self)
        for words in added:
            text = text.replace(f"\n{words}", "", 1)
        return "\n".join([text.rstrip(), *added]) if added else text

    return __str__
