"""Features of any length that wait in a pool as the records that they are parsed from.

    record ─▶ [parse: dense components, and whether it can be parsed] ─▶ pool of (dense, record)
           ─▶ batch ─▶ [parse again: the sparse features of the batch]

Such a feature is sparse, or padded in its batch. A chunk of them cannot be drawn from row by row.
Their record can; and to parse all of them twice, many at a time, costs a tenth of a session call
for each example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import tensorflow as tf

from queueio.compile.parsing import Features
from queueio.compile.rules import RULES
from queueio.compile.rules.elementwise import EXACT_UNARY, STRINGS
from queueio.compile.rules.rule import ChunkSite
from queueio.compile.vectorise import Chunked, vectorise
from queueio.graph.copying import copy_ops
from queueio.graph.fragment import Fragment
from queueio.plan.components import gathered, rows_of, width

Captures = Mapping[str, tf.Tensor] | None
_ALONE = frozenset({"Cast", *EXACT_UNARY, *STRINGS})
"""Ops that treat each value alone, and alike wherever it stands if `_anywhere` says so."""
_KEEP_ZERO = frozenset({"Cast", "Identity"})
"""Those that leave the padding what it is."""
_LENGTHS = frozenset({"Shape", "Size"})


@dataclass(frozen=True)
class Varying:
    """A component that is another shape in each example: one sparse feature, and what it becomes.

    Attributes:
      feature: its number.
      values: what is made of its values, each alone, by `ops`.
      padded: what is made of the dense tensor of these by `more`; None if the component is sparse.
    """

    feature: int
    values: tf.Tensor
    ops: tuple[tf.Operation, ...]
    padded: tf.Tensor | None = None
    more: tuple[tf.Operation, ...] = ()

    def parts(self, features: Features, parsed: Any) -> list[tf.Tensor]:
        """The dense tensors of the component for all records that `parsed` has."""
        n = self.feature
        known = {features.sparse_values[n][1].name: parsed.sparse_values[n]}
        (values,) = copy_ops(features.op.graph, self.ops, known, [self.values.name])
        indices, shape = parsed.sparse_indices[n], parsed.sparse_shapes[n]
        if self.padded is None:
            return [indices, values, shape]
        dense = tf.raw_ops.SparseToDense(
            sparse_indices=indices, output_shape=shape, sparse_values=values,
            default_value=tf.zeros([], values.dtype),
        )  # fmt: skip
        start = self.more[0].inputs[0] if self.more else self.padded
        return copy_ops(features.op.graph, self.more, {start.name: dense}, [self.padded.name])


@dataclass(frozen=True)
class CheckedFragment(Fragment):
    """A fragment of dense components and the record, which fails where the `whole` one does."""

    whole: Fragment | None = None

    def call(self, *values: Any, captures: Captures = None) -> tuple[tf.Tensor, ...]:
        """The outputs, after those of the whole."""
        assert self.whole is not None
        all_outputs = replace(self.whole, outputs=(*self.outputs, *self.whole.outputs))
        made = all_outputs.call(*values, captures=captures)
        return _once_there(made[len(self.outputs) :], made[: len(self.outputs)])


@dataclass(frozen=True)
class ParsedTwice(Chunked):
    """A fragment that gives sparse features of a record beside dense components, in two steps.

    As a piece it makes rows of the dense components and of the records; `batch` makes of them
    what the fragment gives.

    Attributes:
      fragment: gives, for one example, its dense components and its record.
      features: what the record is parsed for.
      rest: makes the dense components of the dense features and of the fragment's inputs.
      lengths: tensors that tell how many values an example has of a feature, by its number.
      varying: the components that are no rows, in their order.
      elements: the specs of all components of an example.
    """

    features: Features
    rest: Fragment
    lengths: tuple[tuple[tf.Tensor, int], ...]
    varying: tuple[Varying, ...]
    elements: tuple[Any, ...]

    last = -2
    """Where in a row the last component stands, if it is a row's: before the record."""

    @classmethod
    def of(cls, fragment: Fragment, elements: tuple[Any, ...]) -> ParsedTwice | None:
        """The fragment in these two steps; None if it is of another form, or acts between them."""
        if fragment.acts:
            return None
        rows, found = _by_kind(fragment, elements)
        features = _parsed_by(fragment)
        if features is None or not found or not any(features.record is t for t in fragment.inputs):
            return None
        varying = [_varying(features, parts) for parts in found]
        lengths = _lengths(fragment, features)
        rest = _behind(fragment, features, [t for t, _ in lengths], rows)
        if rest is None or None in varying:
            return None
        checked = CheckedFragment(
            fragment.graph, fragment.inputs, (*rows, features.record), fragment.captures,
            fragment.ops, whole=fragment,
        )  # fmt: skip
        return cls(checked, features, rest, lengths, tuple(filter(None, varying)), elements)

    @property
    def pads(self) -> bool:
        """Whether its batches are padded."""
        return any(each.padded is not None for each in self.varying)

    def call(self, *values: Any, captures: Captures = None) -> tuple[tf.Tensor, ...]:
        """Rows of the dense components and of the records, all of which are parsed."""
        known = {t.name: v for t, v in zip(self.fragment.inputs, values, strict=True)}
        records = known[self.features.record.name]
        parsed = self.features.parsed(records, self._defaults(captures))
        dense = zip(self.features.dense_values, parsed.dense_values, strict=True)
        known.update((t.name, v) for t, v in dense)
        known.update((t.name, _counted(t, parsed, n, records)) for t, n in self.lengths)
        rows: tuple[tf.Tensor, ...] = ()
        if self.rest.outputs:
            given = (known[t.name] for t in self.rest.inputs)
            rows = Chunked(self.rest).call(*given, captures=captures)
        made = [replace(v, padded=None).parts(self.features, parsed)[1] for v in self.varying]
        return (*rows, *_once_there([*tf.nest.flatten(parsed), *made], (records,)))

    def batch(self, *rows: tf.Tensor) -> tuple[Any, ...]:
        """The components of a batch, of rows of the dense ones and of the records."""
        *dense, records = rows
        parsed = self.features.only_sparse().parsed(records)
        flat: list[tf.Tensor] = []
        varying = iter(self.varying)
        for spec in self.elements:
            if _is_row(spec):
                flat.append(dense.pop(0))
            else:
                flat += next(varying).parts(self.features, parsed)
        return gathered(flat, [rows_of(spec, None) for spec in self.elements])

    def _defaults(self, captures: Captures) -> Sequence[tf.Tensor]:
        outputs = tuple(self.features.defaults)
        made = replace(self.rest, inputs=(), outputs=outputs, ops=self.fragment.ops)
        return made.narrowed().call(captures=captures) if outputs else ()


def _once_there(needed: Sequence[tf.Tensor], tensors: Sequence[tf.Tensor]) -> tuple[tf.Tensor, ...]:
    """The tensors, where what is needed could be made.

    TensorFlow leaves an op out that nothing but control inputs asks for, unless it has effects, as
    an assertion has.
    """
    there = tf.size(needed[0]) >= 0
    with tf.control_dependencies([tf.raw_ops.Assert(condition=there, data=needed)]):
        return tuple(map(tf.identity, tensors))


def _is_row(spec: Any) -> bool:
    return width(spec) == 1 and bool(spec.shape.is_fully_defined())


def _by_kind(
    fragment: Fragment, elements: Sequence[Any]
) -> tuple[tuple[tf.Tensor, ...], list[list[tf.Tensor]]]:
    """The components that are rows, and the dense tensors of each other one."""
    outputs: Iterator[tf.Tensor] = iter(fragment.outputs)
    parts = [(spec, [next(outputs) for _ in range(width(spec))]) for spec in elements]
    rows = tuple(own[0] for spec, own in parts if _is_row(spec))
    return rows, [own for spec, own in parts if not _is_row(spec)]


def _parsed_by(fragment: Fragment) -> Features | None:
    """What the only op that parses sparse features does."""
    found = [features for op in fragment.ops if (features := Features.of(op))]
    sparse = [features for features in found if features.sparse]
    return sparse[0] if len(sparse) == 1 else None


def _varying(features: Features, parts: list[tf.Tensor]) -> Varying | None:
    """What a component is made of; None if it is made otherwise, or of several features."""
    if len(parts) == 3:
        return _sparse(features, *parts)
    (padded,) = parts
    more = _upwards(padded, lambda t: t.op.type == "SparseToDense", _KEEP_ZERO)
    start = more[0].inputs[0] if more else padded
    if more is None or start.op.type != "SparseToDense":
        return None
    indices, shape, values, default = start.op.inputs
    sparse = _sparse(features, indices, values, shape)
    zero = tf.get_static_value(default)
    if sparse is None or zero is None or zero.tolist() not in (0, b"", False):
        return None
    return replace(sparse, padded=padded, more=more)


def _sparse(
    features: Features, indices: tf.Tensor, values: tf.Tensor, shape: tf.Tensor
) -> Varying | None:
    for number, (own_indices, own_values, own_shape) in enumerate(features.sparse_values):
        if indices is own_indices and shape is own_shape:
            ops = _upwards(values, lambda t, own=own_values: t is own, _ALONE)  # type: ignore[misc]
            return None if ops is None else Varying(number, values, ops)
    return None


def _upwards(
    tensor: tf.Tensor, stops: Callable[[tf.Tensor], bool], types: frozenset[str]
) -> tuple[tf.Operation, ...] | None:
    """The ops of these types that make `tensor` of another; None if there are others."""
    ops: list[tf.Operation] = []
    while not stops(tensor):
        op = tensor.op
        if op.type not in types or op.control_inputs or not _anywhere(op):
            return None
        ops.append(op)
        tensor = op.inputs[0]
    return tuple(reversed(ops))


def _anywhere(op: tf.Operation) -> bool:
    """Whether values of other examples beside its own change no bit, as for a chunk's rows."""
    return RULES[op.type].fits(ChunkSite(op, (True,)))


def _lengths(fragment: Fragment, features: Features) -> tuple[tuple[tf.Tensor, int], ...]:
    """Tensors of the fragment that tell how many values a sparse feature has."""
    found = [(shape, number) for number, (_, _, shape) in enumerate(features.sparse_values)]
    for op in fragment.ops:
        if op.type in _LENGTHS:
            numbers = [
                number
                for number, (_, values, _) in enumerate(features.sparse_values)
                if _as_long(op.inputs[0], values)
            ]
            found += [(op.outputs[0], number) for number in numbers]
    return tuple(found)


def _as_long(tensor: tf.Tensor, values: tf.Tensor) -> bool:
    """Whether a tensor has one element for each of a feature's values."""
    while tensor is not values:
        op = tensor.op
        if op.type == "SparseToDense" and op.inputs[0].op is values.op:
            tensor = op.inputs[2]
        elif op.type in _ALONE:
            tensor = op.inputs[0]
        else:
            return False
    return True


def _counted(told: tf.Tensor, parsed: Any, number: int, records: tf.Tensor) -> tf.Tensor:
    """For each record how many values its feature has, as `told` tells it of one."""
    of_row = parsed.sparse_indices[number][:, 0]
    ones = tf.ones(tf.shape(of_row), told.dtype)
    counts = tf.math.unsorted_segment_sum(ones, of_row, tf.shape(records)[0])
    return tf.reshape(counts, [-1, *told.shape])


def _behind(
    fragment: Fragment, features: Features, lengths: list[tf.Tensor], rows: tuple[tf.Tensor, ...]
) -> Fragment | None:
    """What makes the rows; None if it needs the values of a sparse feature, or takes no chunks."""
    entering = (*fragment.inputs, *features.dense_values, *lengths)
    telling = {t.op for t in lengths}
    ops = tuple(op for op in fragment.ops if op is not features.op and op not in telling)
    rest = Fragment(fragment.graph, entering, rows, fragment.captures, ops).narrowed()
    needed = {t.ref() for op in rest.ops for t in op.inputs} | {t.ref() for t in rows}
    values = [t for indices, values, _ in features.sparse_values for t in (indices, values)]
    if any(t.ref() in needed for t in values):
        return None
    pieces = vectorise(rest)
    return rest if all(isinstance(piece, Chunked) for piece in pieces) else None
