"""print(plan): the stages as a tree, the last one first, with shapes, parameters and lines."""

from __future__ import annotations

from typing import Any

from queueio.plan.node import Node


def show(root: Node) -> str:
    """The tree under `root`, one stage a line, each with what it emits and where it was made."""
    return "\n".join(_lines(root, "", ""))


def spec_text(spec: Any) -> str:
    """`float32 (32, ?)` or `sparse int64 (32, ?)` for the spec of a component."""
    if spec.shape.rank is None:
        shape = "(unknown shape)"
    else:
        sizes = ["?" if size is None else str(size) for size in spec.shape.as_list()]
        shape = f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"
    sparse = "sparse " if type(spec).__name__ == "SparseTensorSpec" else ""
    return f"{sparse}{spec.dtype.name} {shape}"


def _lines(node: Node, first: str, rest: str) -> list[str]:
    """The lines of a node and of all below it; `first` and `rest` are the tree's left edge."""
    parameters = ", ".join(f"{key}={_value(value)}" for key, value in node.parameters.items())
    bar = "│  " if node.inputs else "   "
    lines = [
        f"{first}{type(node).__name__} {node.name!r} {parameters}".rstrip(),
        f"{rest}{bar}emits {', '.join(map(spec_text, node.elements)) or 'nothing'}",
        f"{rest}{bar}at {node.origin}",
    ]
    for position, source in enumerate(node.inputs):
        last = position == len(node.inputs) - 1
        corner, edge = ("└─ ", "   ") if last else ("├─ ", "│  ")
        lines += _lines(source, rest + corner, rest + edge)
    return lines


def _value(value: Any) -> str:
    return getattr(value, "summary", None) or repr(value)
