"""Which ops of a graph make handles or take them, as all do that touch state: of a model few.

A graph only grows, and no op can be given a handle for an input that was none, so each op is
looked at once, however often a graph's queues are asked for.
"""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass, field
from typing import Any

from queueio.graph.traversal import is_handle


@dataclass
class _Looked:
    """How many of a graph's ops were looked at, and which of them have to do with handles.

    Their numbers, since ops would keep their graph alive.
    """

    until: int = 0
    found: list[int] = field(default_factory=list)


_looked: weakref.WeakKeyDictionary[Any, _Looked] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def handling(graph: Any) -> list[Any]:
    """The ops that take or give a resource or a reference, oldest first."""
    with _lock:
        ops = graph.get_operations()
        looked = _looked.setdefault(graph, _Looked())
        for number in range(looked.until, len(ops)):
            if _has_to_do(ops[number]):
                looked.found.append(number)
        looked.until = len(ops)
        return [ops[number] for number in looked.found]


def _has_to_do(op: Any) -> bool:
    return any(map(is_handle, op.outputs)) or any(map(is_handle, op.inputs))
