"""Whether two ops compute the same from the same: the members of a join, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from queueio.graph.bodies import definition_of
from queueio.graph.python_function import function_of
from queueio.graph.traits import Effect, State, row_of
from queueio.graph.traversal import awaited_by, fills_of, is_counter, kind

# Attributes that may differ between two ops that do the same: which random stream, which name.
_FREE = frozenset({"seed", "seed2", "_class", "shared_name", "container", "token"})


def difference(one: Any, other: Any) -> tuple[Any, Any] | None:
    """The first op under `one` and its counterpart under `other` that differ, or None."""
    stack, seen = [(one, other)], set()
    while stack:
        a, b = stack.pop()
        if a is b or (a, b) in seen:
            continue
        seen.add((a, b))
        if not _alike(a, b):
            return a, b
        pairs = [(s, t) for s, t in zip(a.inputs, b.inputs, strict=True) if not _told_by(a, s, t)]
        if any(s.value_index != t.value_index for s, t in pairs):
            return a, b
        stack += [(s.op, t.op) for s, t in pairs]
        stack += list(zip(awaited_by(a), awaited_by(b), strict=True))
    return None


def _told_by(op: Any, one: tf.Tensor, other: tf.Tensor) -> bool:
    """Whether an assertion only tells these when it fails: TensorFlow's own name their tensors."""
    words = all(t.op.type == "Const" and t.dtype == tf.string for t in (one, other))
    return words and op.type == "Assert"


def _alike(a: Any, b: Any) -> bool:
    if a.type != b.type or len(a.inputs) != len(b.inputs):
        return False
    if len(a.control_inputs) != len(b.control_inputs) or a.type == "Placeholder":
        return False
    if is_counter(a) or (_holds(a) and not _hold_the_same(a, b)):
        return False  # state is alike only where it is the same
    return _attributes(a) == _attributes(b) and _function(a) == _function(b)


def _holds(op: Any) -> bool:
    """Whether an op stands for state that others fill; a reader fills itself."""
    return row_of(op.type).state is State.MAKES and not kind(op).endswith("Reader")


def _hold_the_same(one: Any, other: Any) -> bool:
    """Whether two tables are filled alike, by constants, and never changed: TF1's own kind."""
    if one.type not in ("HashTable", "HashTableV2"):
        return False
    fills = fills_of(one), fills_of(other)
    if any(len(each) != 1 for each in fills):
        return False
    (here,), (there,) = fills
    if here.type != there.type:
        return False
    pairs = zip(here.inputs[1:], there.inputs[1:], strict=True)
    return _attributes(here) == _attributes(there) and all(
        _same_constant(*map(tf.get_static_value, pair)) for pair in pairs
    )


def _same_constant(one: Any, other: Any) -> bool:
    return one is not None and other is not None and bool(np.array_equal(one, other))


def _function(op: Any) -> Any:
    """The Python function that an op calls, which each op has under a token of its own."""
    if row_of(op.type).effect is not Effect.RUNS_PYTHON:
        return None
    token = op.get_attr("token").decode()
    return function_of(token) or token


def _attributes(op: Any) -> dict[str, Any]:
    """The attributes that matter."""
    return _that_matter(op.node_def, op.graph)


def _that_matter(node: Any, graph: Any) -> dict[str, Any]:
    """Those of a NodeDef; of functions, what they do (their names are unique to the call)."""
    found: dict[str, Any] = {}
    for name, attr in node.attr.items():
        functions = [attr.func] if attr.HasField("func") else attr.list.func
        if functions:
            found[name] = [_body(graph, function.name) for function in functions]
        elif name not in _FREE:
            found[name] = str(attr)
    return found


def _body(graph: Any, name: str) -> Any:
    """What a function does: its ops in the order in which they were made, each with what goes into
    it by number: its own arguments first, then the ops. Names are those of the call.
    """
    definition = definition_of(graph, name)
    if definition is None:
        return name
    named = [*definition.signature.input_arg, *definition.node_def]
    numbers = {each.name: number for number, each in enumerate(named)}

    def source(text: str) -> tuple[bool, int, str]:
        name, _, output = text.removeprefix("^").partition(":")
        return text.startswith("^"), numbers[name], output

    ops = [
        (node.op, [*map(source, node.input)], _that_matter(node, graph))
        for node in definition.node_def
    ]
    results = [source(definition.ret[each.name]) for each in definition.signature.output_arg]
    return results, ops


def told_apart(one: Any, other: Any) -> str:
    """In words, how two ops differ that stand in each other's place."""
    if one.type != other.type:
        return f"{one.name!r} is {_kind_of(one)}, {other.name!r} {_kind_of(other)}"
    here, there = _value(one), _value(other)
    if here is not None and there is not None:
        return f"{one.name!r} is {_short(here)}, {other.name!r} is {_short(there)}"
    mine, yours = _attributes(one), _attributes(other)
    unlike = [name for name in mine if mine[name] != yours.get(name)]
    what = f"in its {' and '.join(unlike)}" if unlike else "in what it is made from"
    return f"{one.name!r} differs from {other.name!r} {what}"


def _kind_of(op: Any) -> str:
    value = _value(op) if op.type == "Const" else None
    return str(op.type) if value is None else f"the constant {_short(value)}"


def _value(op: Any) -> Any:
    return tf.get_static_value(op.outputs[0]) if op.outputs else None


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 40 else text[:37] + "..."
