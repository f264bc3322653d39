"""Rules of the vectoriser: how one op works on many examples at once, a file per family.

Importing the package registers every rule in `rules.rule.RULES`, and those of lists/, for values of
another length in each example, in `LISTS`.
"""

from __future__ import annotations

from queueio.compile.rules import (
    elementwise,
    image,
    layout,
    lists,
    reduction,
    slices,
    sources,
    splitting,
)
from queueio.compile.rules.rule import LISTS, RULES, ChunkSite, Rule, is_list, rule_at

__all__ = [
    "LISTS",
    "RULES",
    "ChunkSite",
    "Rule",
    "elementwise",
    "image",
    "is_list",
    "layout",
    "lists",
    "reduction",
    "rule_at",
    "slices",
    "sources",
    "splitting",
]
