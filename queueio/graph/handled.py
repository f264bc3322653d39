"""Which ops of a graph make handles or take them, as all do that touch state: of a model few.

A graph only grows, and no op can be given a handle for an input that was none, so each op is
looked at once, however often a graph's queues are asked for.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from queueio.graph.hanging import hanging
from queueio.graph.traversal import is_handle


@dataclass
class _Looked:
    """How many of a graph's ops were looked at, and which of them have to do with handles."""

    until: int = 0
    found: list[Any] = field(default_factory=list)


_lock = threading.Lock()


def handling(graph: Any) -> list[Any]:
    """The ops that take or give a resource or a reference, oldest first."""
    with _lock:
        looked, ops = hanging(graph, "handled", _Looked), graph.get_operations()
        looked.found += filter(_has_to_do, ops[looked.until :])
        looked.until = len(ops)
        return list(looked.found)


def _has_to_do(op: Any) -> bool:
    return any(map(is_handle, op.outputs)) or any(map(is_handle, op.inputs))
