"""Whether two ops compute the same from the same: the members of a join, side by side."""

from __future__ import annotations

from typing import Any

from queueio.lift.index import kind

# Attributes that may differ between two ops that do the same: which random stream, which name.
_FREE = frozenset({"seed", "seed2", "_class", "shared_name", "container", "token"})


def difference(one: Any, other: Any) -> Any | None:
    """The first op under `other` that does something else than its counterpart, or None."""
    stack, seen = [(one, other)], set()
    while stack:
        a, b = stack.pop()
        if a is b or (a, b) in seen:
            continue
        seen.add((a, b))
        if not _alike(a, b):
            return b
        pairs = list(zip(a.inputs, b.inputs, strict=True))
        if any(s.value_index != t.value_index for s, t in pairs):
            return b
        stack += [(s.op, t.op) for s, t in pairs]
        stack += list(zip(a.control_inputs, b.control_inputs, strict=True))
    return None


def _alike(a: Any, b: Any) -> bool:
    if a.type != b.type or len(a.inputs) != len(b.inputs):
        return False
    if len(a.control_inputs) != len(b.control_inputs) or a.type == "Placeholder":
        return False
    if kind(a).endswith(("Queue", "CountUpTo")) or a.type.startswith("Var"):
        return False  # state is alike only where it is the same
    return _attributes(a) == _attributes(b)


def _attributes(op: Any) -> dict[str, Any]:
    """The attributes that matter; of a function, what it does (its name is unique to the call)."""
    found: dict[str, Any] = {}
    for name, attr in op.node_def.attr.items():
        if name in _FREE:
            continue
        found[name] = _body(op, attr.func.name) if attr.HasField("func") else str(attr)
    return found


def _body(op: Any, name: str) -> str:
    definition = op.graph._get_function(name)  # no public spelling
    definition = getattr(definition, "cached_definition", None) or definition.definition
    nodes = [f"{n.op} {sorted(n.attr.items(), key=str)}" for n in definition.node_def]
    return "\n".join(sorted(nodes))
