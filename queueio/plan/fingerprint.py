"""A few bytes that say what is made of a plan: equal ones make the same dataset.

All that a plan holds goes into them, but for the lines of the script: each field of each stage, and
of the program's graph every op that the ops of its fragments come after, with the shapes that are
known. What has no form that
another process would give again has no fingerprint: a Python function without a name, for one.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.graph.copying import sub_graph_def
from queueio.graph.origin import Origin
from queueio.graph.python_function import function_of, told
from queueio.graph.traits import Effect, row_of
from queueio.graph.traversal import ancestors, op_of

_MOST_BYTES = 4 << 20
"""Of constants in a graph: to read more than these takes longer than it saves."""
_PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic)


class Nameless(Exception):
    """What has no form that another process would give again."""


def fingerprint(value: Any, most: float = _MOST_BYTES) -> str | None:
    """Of a plan, or of a call of a function with one (`functools.partial`).

    Args:
      value: see there.
      most: bytes of constants that are worth reading.

    Returns:
      40 letters and digits; None where something in it is nameless, or larger than `most`.
    """
    forms = _Forms(most)
    try:
        said = repr(forms.of(value))
        digest = hashlib.blake2b(said.encode(), digest_size=20)
        for part in forms.graphs():
            digest.update(part)
    except Nameless:
        return None
    return digest.hexdigest()


class _Forms:
    """What values look like in tuples of plain ones, and the graphs that they belong to."""

    def __init__(self, most: float) -> None:
        self._ops: dict[tf.Graph, set[tf.Operation]] = {}
        self._most = most

    def of(self, value: Any) -> Any:
        kind = type(value).__name__
        if isinstance(value, enum.Enum):
            return (kind, value.name)
        if isinstance(value, _PLAIN):
            return (kind, repr(value))
        if isinstance(value, tuple) and all(isinstance(item, tf.Operation) for item in value):
            value = tuple(sorted(value, key=lambda op: op.name))  # else by what they wait for
        if isinstance(value, (tuple, list)):
            return (kind, *map(self.of, value))
        if isinstance(value, dict):
            return (kind, *((self.of(key), self.of(item)) for key, item in value.items()))
        if isinstance(value, Origin):
            return kind  # a pipeline is the same one further down in its script
        if isinstance(value, (set, frozenset)):
            return (kind, *sorted((self.of(item) for item in value), key=repr))
        if isinstance(value, (tf.DType, tf.TensorShape, tf.TypeSpec)):
            return (kind, repr(value))
        if isinstance(value, np.ndarray) and value.dtype != object:
            return (kind, str(value.dtype), value.shape, value.tobytes())
        if isinstance(value, (tf.Tensor, tf.Operation)):
            return (kind, *self._in_graph(value))
        if isinstance(value, functools.partial):
            return (kind, self.of(value.func), self.of(value.args), self.of(value.keywords))
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return (_name(type(value)), *self._fields(value))
        return _name(value)

    def graphs(self) -> Iterable[bytes]:
        """What is before the ops that were met, graph by graph."""
        for graph, ops in self._ops.items():
            before = sorted(ancestors(ops), key=lambda op: op.name)
            if sum(_bytes(op) for op in before) > self._most:
                raise Nameless
            yield _settled(sub_graph_def(graph, before)).SerializeToString(deterministic=True)
            yield repr([[t.shape for t in op.outputs] for op in before]).encode()

    def _fields(self, value: Any) -> Iterable[Any]:
        for field in dataclasses.fields(value):
            item = getattr(value, field.name)
            if not isinstance(item, tf.Graph):  # what it needs of one is told by its ops
                yield (field.name, self.of(item))

    def _in_graph(self, value: Any) -> tuple[Any, ...]:
        if not hasattr(value, "graph"):  # an eager tensor
            raise Nameless
        self._ops.setdefault(value.graph, set()).add(op_of(value))
        return (list(self._ops).index(value.graph), value.name)


def _settled(graph_def: Any) -> Any:
    """The graph without what chance made: what an op waits for in order, functions' numbers, names.

    A table that a program gives no name shares itself by one that no other run makes; which tables
    are one is told by numbers as well.
    """
    shared: dict[bytes, bytes] = {b"": b""}
    bodies = (function.node_def for function in graph_def.library.function)
    for nodes in (graph_def.node, *bodies):
        for node in nodes:
            waits = sorted(name for name in node.input if name.startswith("^"))
            node.input[:] = [*(name for name in node.input if not name.startswith("^")), *waits]
            if row_of(node.op).effect is Effect.RUNS_PYTHON:
                function = function_of(node.attr["token"].s.decode())
                if function is None:
                    raise Nameless
                node.attr["token"].s = repr(told(function)).encode()
            if row_of(node.op).makes == "table":
                name = node.attr["shared_name"].s
                node.attr["shared_name"].s = shared.setdefault(name, b"%d" % len(shared))
    graph_def.library.function.sort(key=lambda function: function.signature.name)
    return graph_def


def _bytes(op: tf.Operation) -> int:
    if op.type != "Const":
        return 0
    spec = op.outputs[0]
    return int((spec.shape.num_elements() or 0) * spec.dtype.size)


def _name(value: Any) -> str:
    """Of what is defined at the top of a module."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    found: Any = sys.modules.get(module or "")
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None or found is not value:
        raise Nameless
    return f"{module}:{name}"
