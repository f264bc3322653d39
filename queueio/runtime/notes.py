"""Attach a sentence to an exception that is already on its way."""

from __future__ import annotations


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
    elif error.args and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]}\n{text}", *error.args[1:])
