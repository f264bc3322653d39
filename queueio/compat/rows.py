"""Rows of the tables that say what to use instead: a pattern of a name, and a text."""

from __future__ import annotations

import fnmatch


class InWords(str):
    """A row of a "use instead" table that spells no code: a package to learn, a part to rewrite.

    Every other row is executed by a test, against what TensorFlow 1.15.5 gave.
    """

    __slots__ = ()


def fitting(table: dict[str, str], dotted: str) -> str | None:
    """The longest key of a table that fits a name."""
    fits = [key for key in table if fnmatch.fnmatchcase(dotted, key)]
    return max(fits, key=len, default=None)
