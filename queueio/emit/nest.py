"""Nests of expressions."""

from __future__ import annotations

from typing import Any

from queueio.emit import literal
from queueio.emit.code import Code, code, mapping
from queueio.emit.lists import listed


def structured(structure: Any, leaf: Any) -> Code:
    """A nest with `leaf(position)` in place of each position."""
    if isinstance(structure, dict):
        items = {literal.quoted(str(k)): structured(v, leaf) for k, v in structure.items()}
        return mapping(items)
    if isinstance(structure, tuple):
        return listed([structured(v, leaf) for v in structure], "()")
    return code(leaf(structure))
