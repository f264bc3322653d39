"""Docstrings that send the reader to another one: "Everything else as for `batch`"."""

from __future__ import annotations

import re
from typing import Any

import griffe

_ELSE = re.compile(r"^ +(Everything else as for (?:.|\n +)*\.)$", re.MULTILINE)
_RAISES = re.compile(r"^Raises:\n +As ((?:.|\n +)*\.)$", re.MULTILINE)


def in_prose(text: str) -> str:
    """A docstring whose sections hold pairs only, as they are read; sentences stand below them."""
    return _RAISES.sub(r"Raises as \1", _ELSE.sub(r"\n\1", text))


class AsFor(griffe.Extension):
    """Has mkdocstrings read such sentences as what they are."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Changes an object's docstring before it is parsed."""
        if obj.docstring:
            obj.docstring.value = in_prose(obj.docstring.value)
