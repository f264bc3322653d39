"""What cannot be written down is refused as the lifter refuses: op, line, reason, way out."""

from __future__ import annotations

from typing import Any

from queueio.errors import NoEquivalent, NotLifted
from queueio.graph.origin import origin


def refuse(op: Any, reason: str, remedy: str, *, never: bool = False) -> Exception:
    """The exception to raise about `op`; NoEquivalent where `never`."""
    error = NoEquivalent if never else NotLifted
    return error(reason, remedy, op_name=op.name, op_type=op.type, origin=origin(op))
