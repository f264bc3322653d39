"""Plans with other nodes in some places."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from queueio.plan.node import Node


def with_inputs(node: Node, change: Callable[[Node], Node]) -> Node:
    """`node` on changed inputs; the node itself where none of them changes."""
    changes: dict[str, Any] = {}
    for item in dataclasses.fields(node):
        value = getattr(node, item.name)
        many = isinstance(value, tuple)
        parts = [change(v) if isinstance(v, Node) else v for v in (value if many else (value,))]
        if any(new is not old for new, old in zip(parts, value if many else (value,), strict=True)):
            changes[item.name] = tuple(parts) if many else parts[0]
    return dataclasses.replace(node, **changes) if changes else node
