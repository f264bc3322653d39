"""Where in the user's own code an op was made.

A TensorFlow op remembers the Python stack of its creation. The innermost frame outside of
TensorFlow, Keras, the standard library and queueio is the line that the user wrote.
"""

from __future__ import annotations

import linecache
import os
from dataclasses import dataclass
from typing import Any

from queueio.compat.caller import is_user_code


@dataclass(frozen=True)
class Origin:
    """A line of the user's code; `filename` is None for ops of an imported graph."""

    filename: str | None
    lineno: int = 0
    code_line: str = ""

    def __str__(self) -> str:
        if self.filename is None:
            return "imported graph"
        where = f"{os.path.basename(self.filename)}:{self.lineno}"
        return f"{where}: {self.code_line}" if self.code_line else where


def is_library(filename: str) -> bool:
    """Whether a source file belongs to a library rather than to the user's program.

    Code without a file (`<stdin>`, a cell of a notebook) is the user's.
    """
    if filename.startswith("<"):
        return filename.startswith(("<frozen", "<attrs"))
    return not is_user_code(filename)


def origin(op: Any) -> Origin:
    """The line of the user's code that made `op`.

    Args:
      op: a `tf.Operation` (or anything with an `op`, such as a tensor) of a graph, built by
        queueio, by stock TensorFlow, or imported from a MetaGraph.

    Returns:
      The innermost frame that is the user's own; for an op without one (an imported graph), an
      `Origin` whose text says so.
    """
    op = getattr(op, "op", op)
    try:
        frames = list(op.traceback or ())
    except (AttributeError, TypeError, ValueError):
        frames = []
    imported = False
    for frame in reversed(frames):
        imported = imported or frame.name in ("import_graph_def", "import_meta_graph")
        if imported:
            break
        if not is_library(frame.filename):
            code = frame.line or linecache.getline(frame.filename, frame.lineno)
            return Origin(frame.filename, frame.lineno or 0, code.strip())
    return Origin(None)
