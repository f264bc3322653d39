"""Rules of the vectoriser: how one op works on many examples at once, a file per family.

Importing the package registers every rule in `rules.rule.RULES`.
"""

from __future__ import annotations

from queueio.compile.rules import (
    decode,
    elementwise,
    gather,
    image,
    layout,
    random,
    reduction,
    selection,
    slices,
)
from queueio.compile.rules.rule import RULES, Rule, Site

__all__ = [
    "RULES",
    "Rule",
    "Site",
    "decode",
    "elementwise",
    "gather",
    "image",
    "layout",
    "random",
    "reduction",
    "selection",
    "slices",
]
