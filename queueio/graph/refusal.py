"""The exceptions that a pipeline is refused with: which op, where it was made, why, what to do."""

from __future__ import annotations

from typing import Any

from queueio.errors import NoEquivalent, NotLifted
from queueio.graph.origin import origin


def refuse(op: Any, reason: str, remedy: str = "", *, never: bool = False) -> Exception:
    """The exception to raise about `op`.

    Args:
      op: the op in the way, or None when it is the pipeline as a whole.
      reason: why it is not translated, as a sentence.
      remedy: what to do instead, as a sentence.
      never: whether tf.data has nothing like it (NoEquivalent); else NotLifted.
    """
    error = NoEquivalent if never else NotLifted
    if op is None:
        return error(reason, remedy)
    return error(reason, remedy, op_name=op.name, op_type=op.type, origin=origin(op))
