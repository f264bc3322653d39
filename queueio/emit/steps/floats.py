"""Where the arithmetic with floats of a fragment begins, and numbers to try it with.

    record ─▶ decode_raw ─▶ reshape ─▶ │ cast ─▶ / 255. ─▶ - 0.5 ─▶ image
    key ─▶ …                           └ made-up images enter here

What reads, parses, decodes or draws stands before that line: it computes with no float, or draws
other numbers in each run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compile.in_session import computes
from queueio.emit.facts.values import Known
from queueio.graph.bodies import nodes_run_by
from queueio.graph.fragment import Fragment
from queueio.graph.traits import row_of, traits_of_node
from queueio.graph.traversal import root
from queueio.graph.v1_control_flow import depths

_PARSES = ("Parse", "Decode")
_MOVES = ("SparseToDense",)  # traits speak of dense tensors
_UNKNOWN = 5  # what the first try takes for a dimension that nobody knows
_VALUES, _MOST_ROWS = 1 << 16, 1024


class Unmeasurable(Exception):
    """Nothing can enter where the floats begin."""


@dataclass
class Floats:
    """The ops of a fragment that compute with floats, and what they make.

    Attributes:
      fragment: of one example.
      computing: its ops that compute with floats, and all that follow from them.
    """

    fragment: Fragment
    computing: dict[Any, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._known = {t.ref() for t in (*self.fragment.inputs, *self.fragment.captures)}
        self._moving: set[Any] = set()
        self._depths = depths(self.fragment.ops)
        self._constant = Known.of(self.fragment.ops).values
        for op in self.fragment.ops:
            self._sort(op)

    def _sort(self, op: tf.Operation) -> None:
        if op.outputs and all(t.name in self._constant for t in op.outputs):
            return
        before = {t.op for t in op.inputs if t.ref() not in self._known}
        entered = any(t.ref() in self._known for t in op.inputs)
        if entered or _is_outside(op) or before & self._moving:
            self._moving.add(op)
        if _is_outside(op) or op not in self._moving:
            return
        if _computes(op) or before & self.computing.keys():
            self.computing[op] = None

    def made(self) -> dict[int, Any]:
        """The outputs that floats were computed for, by their numbers."""
        return {i: t for i, t in enumerate(self.fragment.outputs) if self._is_made(t)}

    def stepped(self) -> list[Any]:
        """What is rounded, compared or handed to an op that is not tried out."""
        ops = [op for op in self.fragment.ops if _steps(op) or _is_outside(op)]
        found = {t.ref(): t for op in ops for t in op.inputs if self._is_made(t)}
        return [t for t in found.values() if not self._depths.get(t.op)]  # branches may not run

    def _is_made(self, tensor: tf.Tensor) -> bool:
        return tensor.ref() not in self._known and root(tensor).op in self.computing

    def entering(self, outputs: Iterable[Any]) -> list[Any]:
        """Where numbers enter of which `outputs` are made."""
        found, waiting = dict[Any, Any](), list(outputs)
        seen = {t.ref() for t in waiting}
        while waiting:
            tensor = waiting.pop()
            if self._enters(tensor):
                found[tensor.ref()] = tensor
                continue
            more = [t for t in tensor.op.inputs if t.ref() not in seen]
            waiting += more
            seen |= {t.ref() for t in more}
        return sorted(found.values(), key=lambda t: t.name)

    def _enters(self, tensor: tf.Tensor) -> bool:
        """Whether numbers enter in place of `tensor`: as late as they can be of any size."""
        op, kind = tensor.op, tensor.dtype.base_dtype
        if tensor.ref() in self._known or _is_outside(op):
            if self._depths.get(op) or kind in (tf.string, tf.resource):
                raise Unmeasurable(tensor.name)
            return True
        data = kind.is_floating or kind.is_complex or _is_cast(tensor)
        moving = op in self._moving and op not in self.computing
        return moving and data and not row_of(op.type).hands_on and not self._depths.get(op)


def _is_outside(op: tf.Operation) -> bool:
    """Whether it reads, parses, decodes, draws: what it gives is nothing that floats decide."""
    if any(t.dtype.base_dtype == tf.string for t in op.inputs) or op.type.startswith(_PARSES):
        return True
    return any(node is None or not traits_of_node(node).pure for node in nodes_run_by(op))


def _computes(op: tf.Operation) -> bool:
    return op.type not in _MOVES and (computes(op) or _to_float(op))


def _to_float(op: tf.Operation) -> bool:
    return op.type == "Cast" and bool(op.outputs[0].dtype.is_floating)


def _steps(op: tf.Operation) -> bool:
    whole = op.type == "Cast" and op.outputs[0].dtype.is_integer
    return row_of(op.type).steps or whole


def _is_cast(tensor: tf.Tensor) -> bool:
    """Whether whole numbers become floats here: others may be sizes and places."""
    return any(_to_float(op) for op in tensor.consumers())


def tries(fragment: Fragment) -> Iterator[list[np.ndarray]]:
    """Rows for the inputs of a fragment: always the same; of more than one size, if need be."""
    unknown = any(not t.shape.is_fully_defined() for t in fragment.inputs)
    for size in (_UNKNOWN, 40, 300) if unknown else (_UNKNOWN,):
        yield rows_for(fragment, size)


def rows_for(fragment: Fragment, unknown: int) -> list[np.ndarray]:
    """Rows of numbers such as data has; the last quarter of them, if floats, with extreme ones."""
    shapes = [_shape(t, unknown, fragment.ops) for t in fragment.inputs]
    size = max((int(np.prod(shape)) for shape in shapes), default=1)
    count = int(np.clip(_VALUES // max(size, 1), 4, _MOST_ROWS))
    rng = np.random.RandomState(7)
    pairs = zip(fragment.inputs, shapes, strict=True)
    return [_rows(tensor, (count, *shape), rng) for tensor, shape in pairs]


def _shape(tensor: tf.Tensor, unknown: int, ops: Sequence[tf.Operation]) -> list[int]:
    """A shape for numbers that enter: what later ops say of it, and `unknown` for the rest."""
    if tensor.shape.rank is None:
        raise Unmeasurable(tensor.name)
    known, waiting = tensor.shape, [tensor]
    while waiting:
        users = [op for op in waiting.pop().consumers() if op in ops and op.outputs]
        same = [op.outputs[0] for op in users if op.type == "Cast" or row_of(op.type).hands_on]
        whole = [op.outputs[0].shape for op in users if op.type == "Reshape"]
        for shape in [t.shape for t in same] + [_flat(s) for s in whole if known.rank == 1]:
            known = known.merge_with(shape)
        waiting += same
    return [unknown if size is None else size for size in known.as_list()]


def _flat(shape: Any) -> Any:
    return tf.TensorShape([shape.num_elements()])


def _rows(tensor: tf.Tensor, shape: tuple[int, ...], rng: np.random.RandomState) -> np.ndarray:
    kind = np.dtype(tensor.dtype.base_dtype.as_numpy_dtype)
    if kind.kind == "b":
        return rng.rand(*shape) < 0.5
    if kind.kind in "iu":
        return _integers(tensor.op, kind, shape, rng)
    if kind.kind == "c":
        return (_floats(shape, rng) + 1j * _floats(shape, rng)).astype(kind)
    if tensor.op.type.startswith("Random") or tensor.op.type == "TruncatedNormal":
        drawn = rng.rand(*shape) if "Uniform" in tensor.op.type else rng.randn(*shape).clip(-2, 2)
        return drawn.astype(kind)
    with np.errstate(over="ignore"):
        return _with_extremes(_floats(shape, rng).astype(kind), rng)


def _integers(
    op: tf.Operation, kind: Any, shape: tuple[int, ...], rng: np.random.RandomState
) -> np.ndarray:
    low, high = 0, 256
    if op.type == "RandomUniformInt":
        given = [tf.get_static_value(t) for t in list(op.inputs)[1:3]]
        low, high = (low, high) if None in given else (int(given[0]), int(given[1]))
        return rng.randint(low, high, shape).astype(kind)
    # In each place the values of a byte in their order; of few rows, from anywhere on.
    first = rng.randint(0, 256, shape[1:])
    found = (first + np.arange(shape[0]).reshape(-1, *[1] * first.ndim)) % 256
    return np.asarray(np.minimum(found, np.iinfo(kind).max).astype(kind))


def _floats(shape: tuple[int, ...], rng: np.random.RandomState) -> np.ndarray:
    """Rows of several scales, by turns."""
    given = [
        rng.rand(*shape), rng.rand(*shape) * 256, rng.uniform(-1, 1, shape), rng.randn(*shape) * 9,
        rng.uniform(-1000, 1000, shape), np.exp(rng.uniform(-9, 9, shape)),
        np.round(rng.uniform(-9, 9, shape) * 2) / 2,
    ]  # fmt: skip
    turn: Any = (np.arange(shape[0]) % len(given)).reshape(-1, *[1] * (len(shape) - 1))
    return np.asarray(np.choose(turn, given))


def without_extremes(rows: np.ndarray) -> np.ndarray:
    """As many rows, the usual ones once more in place of the others."""
    first = usual(len(rows))
    return np.concatenate([rows[:first], rows[: len(rows) - first]])


def usual(count: int) -> int:
    """How many of `count` rows have no extreme numbers."""
    return count - count // 4


def _with_extremes(rows: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    info, first = np.finfo(rows.dtype), usual(len(rows))
    edges = [0.0, -0.0, np.inf, -np.inf, np.nan, info.max, info.min, info.tiny,
             info.smallest_subnormal, info.eps, -1.0]  # fmt: skip
    for i in range(first, len(rows)):
        edge = np.asarray(edges[i % len(edges)], rows.dtype)
        rows[i] = np.where(rng.rand(*rows.shape[1:]) < 0.3, edge, rows[i])
    return rows
