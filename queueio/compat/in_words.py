"""Advice that no test can run."""

from __future__ import annotations


class InWords(str):
    """A row of a "use instead" table that spells no code: a package to learn, a part to rewrite.

    Every other row is executed by a test, against what TensorFlow 1.15.5 gave.
    """

    __slots__ = ()
