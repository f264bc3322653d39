"""Sparse features that wait in a pool as the records that they are parsed from.

    record ─▶ [parse: dense components, and whether it can be parsed] ─▶ pool of (dense, record)
           ─▶ batch ─▶ [parse again: the sparse features of the batch]

A sparse feature has another length in each example, so a chunk of them cannot be drawn from row by
row. Its record can; and to parse all of them twice, many at a time, costs a tenth of a session call
for each example.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import tensorflow as tf

from queueio.compile.parsing import Features
from queueio.compile.rules.elementwise import EXACT_UNARY, STRINGS
from queueio.compile.vectorise import Chunked, vectorise
from queueio.graph.copying import copy_ops
from queueio.graph.fragment import Fragment
from queueio.plan.components import gathered, rows_of, width

Captures = Mapping[str, tf.Tensor] | None
_ALONE = frozenset({"Cast", *EXACT_UNARY, *STRINGS})
"""Ops that treat each value alone, and alike wherever it stands."""


@dataclass(frozen=True)
class SparseComponent:
    """A sparse component: which feature it is, and what is made of its values by which ops."""

    feature: int
    values: tf.Tensor
    ops: tuple[tf.Operation, ...]


@dataclass(frozen=True)
class CheckedFragment(Fragment):
    """A fragment of dense components and the record, which fails where the `whole` one does."""

    whole: Fragment | None = None

    def call(self, *values: Any, captures: Captures = None) -> tuple[tf.Tensor, ...]:
        """The outputs, after those of the whole."""
        assert self.whole is not None
        all_outputs = replace(self.whole, outputs=(*self.outputs, *self.whole.outputs))
        made = all_outputs.call(*values, captures=captures)
        with tf.control_dependencies(made[len(self.outputs) :]):
            return tuple(map(tf.identity, made[: len(self.outputs)]))


@dataclass(frozen=True)
class ParsedTwice(Chunked):
    """A fragment that gives sparse features of a record beside dense components, in two steps.

    As a piece it makes rows of the dense components and of the records; `batch` makes of them
    what the fragment gives.

    Attributes:
      fragment: gives, for one example, its dense components and its record.
      features: what the record is parsed for.
      rest: makes the dense components of the dense features and of the fragment's inputs.
      sparse: the sparse components, in their order.
      elements: the specs of all components of an example.
    """

    features: Features
    rest: Fragment
    sparse: tuple[SparseComponent, ...]
    elements: tuple[Any, ...]

    @classmethod
    def of(cls, fragment: Fragment, elements: tuple[Any, ...]) -> ParsedTwice | None:
        """The fragment in these two steps; None if it is of another form."""
        dense, found = _by_kind(fragment, elements)
        features = Features.of(found[0][0].op) if found else None
        if features is None or not any(features.record is t for t in fragment.inputs):
            return None
        sparse = [_sparse(features, *parts) for parts in found]
        rest = _behind(fragment, features, dense)
        if rest is None or None in sparse:
            return None
        checked = CheckedFragment(
            fragment.graph, fragment.inputs, (*dense, features.record), fragment.captures,
            fragment.ops, whole=fragment,
        )  # fmt: skip
        return cls(checked, features, rest, tuple(filter(None, sparse)), elements)

    def call(self, *values: Any, captures: Captures = None) -> tuple[tf.Tensor, ...]:
        """Rows of the dense components and of the records, all of which are parsed."""
        known = {t.name: v for t, v in zip(self.fragment.inputs, values, strict=True)}
        records = known[self.features.record.name]
        defaults = self._defaults(captures)
        parsed = self.features.parsed(records, defaults)
        known.update(
            (t.name, v)
            for t, v in zip(self.features.dense_values, parsed.dense_values, strict=True)
        )
        rows: tuple[tf.Tensor, ...] = ()
        if self.rest.outputs:
            given = (known[t.name] for t in self.rest.inputs)
            rows = Chunked(self.rest).call(*given, captures=captures)
        checked = [self._parts(sparse, parsed)[1] for sparse in self.sparse]
        with tf.control_dependencies([*tf.nest.flatten(parsed), *checked]):
            return (*rows, tf.identity(records))

    def batch(self, *rows: tf.Tensor) -> tuple[Any, ...]:
        """The components of a batch, of rows of the dense ones and of the records."""
        *dense, records = rows
        parsed = self.features.only_sparse().parsed(records)
        flat: list[tf.Tensor] = []
        sparse = iter(self.sparse)
        for spec in self.elements:
            if width(spec) == 1:
                flat.append(dense.pop(0))
            else:
                flat += self._parts(next(sparse), parsed)
        return gathered(flat, [rows_of(spec, None) for spec in self.elements])

    def _parts(self, sparse: SparseComponent, parsed: Any) -> list[tf.Tensor]:
        n = sparse.feature
        entering = self.features.sparse_values[n][1].name
        known = {entering: parsed.sparse_values[n]}
        (values,) = copy_ops(self.rest.graph, sparse.ops, known, [sparse.values.name])
        return [parsed.sparse_indices[n], values, parsed.sparse_shapes[n]]

    def _defaults(self, captures: Captures) -> Sequence[tf.Tensor]:
        outputs = tuple(self.features.defaults)
        made = replace(self.rest, inputs=(), outputs=outputs, ops=self.fragment.ops)
        return made.narrowed().call(captures=captures) if outputs else ()


def _by_kind(
    fragment: Fragment, elements: Sequence[Any]
) -> tuple[tuple[tf.Tensor, ...], list[list[tf.Tensor]]]:
    """The dense components, and the three parts of each sparse one."""
    outputs: Iterator[tf.Tensor] = iter(fragment.outputs)
    parts = [[next(outputs) for _ in range(width(spec))] for spec in elements]
    return tuple(p[0] for p in parts if len(p) == 1), [p for p in parts if len(p) > 1]


def _sparse(
    features: Features, indices: tf.Tensor, values: tf.Tensor, shape: tf.Tensor
) -> SparseComponent | None:
    """Which feature a sparse component is; None if it is none, or computed of several."""
    for number, (own_indices, own_values, own_shape) in enumerate(features.sparse_values):
        if indices is own_indices and shape is own_shape:
            ops = _upwards(values, own_values)
            return None if ops is None else SparseComponent(number, values, ops)
    return None


def _upwards(values: tf.Tensor, start: tf.Tensor) -> tuple[tf.Operation, ...] | None:
    """The ops that make `values` of `start`, each value alone; None if it is otherwise."""
    ops: list[tf.Operation] = []
    while values is not start:
        op = values.op
        if op.type not in _ALONE or op.control_inputs:
            return None
        ops.append(op)
        values = op.inputs[0]
    return tuple(reversed(ops))


def _behind(
    fragment: Fragment, features: Features, dense: tuple[tf.Tensor, ...]
) -> Fragment | None:
    """What makes the dense components; None if it needs a sparse feature, or takes no chunks."""
    ops = tuple(op for op in fragment.ops if op is not features.op)
    entering = (*fragment.inputs, *features.dense_values)
    rest = Fragment(fragment.graph, entering, dense, fragment.captures, ops).narrowed()
    needed = {t.ref() for op in rest.ops for t in op.inputs} | {t.ref() for t in dense}
    parts = [t for three in features.sparse_values for t in three]
    if any(t.ref() in needed for t in parts):
        return None
    pieces = vectorise(rest)
    return rest if all(isinstance(piece, Chunked) for piece in pieces) else None
