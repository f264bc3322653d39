"""Rules of the vectoriser: how one op works on many examples at once, a file per family.

Importing the package registers every rule in `rules.rule.RULES`.
"""

from __future__ import annotations

from queueio.compile.rules import (
    elementwise,
    image,
    layout,
    reduction,
    slices,
    sources,
    splitting,
)
from queueio.compile.rules.rule import RULES, ChunkSite, Rule

__all__ = [
    "RULES",
    "ChunkSite",
    "Rule",
    "elementwise",
    "image",
    "layout",
    "reduction",
    "slices",
    "sources",
    "splitting",
]
