"""Splits a fragment into pieces that work on chunks and pieces that must see each example.

    fragment ─▶ [Chunked: decode, reshape] ─▶ [PerExample: decode_jpeg] ─▶ [Chunked: cast, scale]

The cost of a small op is the call, not the work, so an op that can take a thousand examples at
once should. An op may do so when a rule (queueio/compile/rules/) promises the same bits.
Everything else runs per example, and what comes after it is stacked and vectorised again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import tensorflow as tf

from queueio.compile.content import Content
from queueio.compile.kernels.rows import for_each
from queueio.compile.lists import Lists, as_rows
from queueio.compile.one_pass import Chain, chains
from queueio.compile.placement import (
    Placement,
    moving_ops,
    place_ops,
    sites_in,
    stackable,
)
from queueio.compile.rules import ChunkSite, Rule
from queueio.compile.rules.rule import stack
from queueio.compile.slow import WIDE_ELEMENTS, is_slow
from queueio.compile.window import windowed
from queueio.graph.bodies import ending_ops, nodes_run_by
from queueio.graph.copying import copy_ops
from queueio.graph.fragment import Fragment, shaped
from queueio.graph.static_shapes import folded, is_folded

# A vendor's library may add up what these add up, in its own order, but not under MapDefun, whose
# functions TensorFlow does not rewrite for it.
_VENDORS = (
    "AvgPool", "BatchMatMul", "Conv", "DepthwiseConv", "Einsum", "Elu", "FusedBatchNorm", "LRN",
    "LeakyRelu", "LogSoftmax", "MatMul", "Softmax", "Tanh", "_Fused",
)  # fmt: skip

# What lives as long as a run: there is none in a function under MapDefun, where they would crash.
_OF_A_RUN = ("Stack", "TemporaryVariable", "TensorArray")


@dataclass(frozen=True)
class Piece:
    """Part of a fragment; its outputs are the next piece's inputs."""

    fragment: Fragment

    @property
    def one_by_one(self) -> bool:
        """Whether it is mapped over single examples."""
        return False

    def call(
        self, *values: Any, captures: Mapping[str, tf.Tensor] | None = None
    ) -> tuple[tf.Tensor, ...]:
        """The fragment's outputs for a chunk, of its inputs, [C, ...] each."""
        raise NotImplementedError


@dataclass(frozen=True)
class PerExample(Piece):
    """Runs once per example: `piece.fragment.call`.

    `in_order` is True when the ops keep a state of their own (a seeded random op, a Python
    function), so that examples must pass one after another.
    """

    in_order: bool = False

    @cached_property
    def ends(self) -> bool:
        """Whether an op of it may end the stream."""
        return bool(ending_ops(self.fragment.ops))

    @property
    def one_by_one(self) -> bool:
        """Whether it is mapped over single examples: none but cheap ones go by `call`."""
        return not self.cheap

    @property
    def cheap(self) -> bool:
        """Whether `call` is better than a dataset of single examples: small and quick ones."""
        return self.quick and all(map(stackable, self.fragment.outputs))

    @property
    def quick(self) -> bool:
        """Whether one op may run it for each row of a chunk, whatever it gives."""
        tensors = [*self.fragment.inputs, *self.fragment.outputs]
        inside = [t for op in self.fragment.ops for t in op.outputs]
        return (
            not self.in_order
            and not self.ends
            and all(map(stackable, self.fragment.inputs))
            and all((t.shape.num_elements() or 0) < WIDE_ELEMENTS for t in [*tensors, *inside])
            and not self.slow
            and not any(op.type.startswith(_VENDORS) for op in self.fragment.ops)
            and not any(map(_needs_run, self.fragment.ops))
        )

    @property
    def cells(self) -> list[tf.TensorSpec]:
        """What it gives for each row."""
        return [tf.TensorSpec(t.shape, t.dtype) for t in self.fragment.outputs]

    @property
    def slow(self) -> bool:
        """Whether one example may take long: it waits for a file, or runs the user's Python."""
        return any(map(is_slow, self.fragment.ops))

    @tf.autograph.experimental.do_not_convert  # ours is graph code: rewriting it costs seconds
    def call(
        self, *values: Any, captures: Mapping[str, tf.Tensor] | None = None
    ) -> tuple[tf.Tensor, ...]:
        """The fragment's outputs for a chunk: one op runs it for each row.

        That costs a sixth of taking a chunk apart, mapping its examples and stacking them again.
        """
        return for_each(
            lambda *row: self.fragment.call(*row, captures=captures),
            values,
            [tf.TensorSpec(t.shape, t.dtype) for t in self.fragment.inputs],
            self.cells,
        )


def _needs_run(op: tf.Operation) -> bool:
    """Whether an op, or one in a function that it calls, uses what lives as long as a run."""
    if op.type == "Const":
        return False
    return any(node is None or node.op.startswith(_OF_A_RUN) for node in nodes_run_by(op))


@dataclass(frozen=True)
class Chunked(Piece):
    """Runs once per chunk: every tensor has a leading axis of examples."""

    @property
    def plain(self) -> bool:
        """Whether each op is one for the chunk, and no example of it is ever tried alone."""
        sites = sites_in(self.fragment, moving_ops(self.fragment)).values()
        return not any(r.retreats(site) or r.repairs(site) for site, r in sites if r is not None)

    @tf.autograph.experimental.do_not_convert  # ours is graph code: rewriting it costs seconds
    def call(
        self, *values: Any, captures: Mapping[str, tf.Tensor] | None = None
    ) -> tuple[tf.Tensor, ...]:
        """The fragment's outputs for a chunk, or an error if any example of it has one."""
        return _Tracer(self.fragment, values, captures or {}).run()


def vectorise(fragment: Fragment) -> list[Piece]:
    """The pieces of `fragment` in order; together they equal it, bit for bit.

    Returns one `Chunked` if every op has a rule, one `PerExample` if none has. Linear in the
    number of ops.
    """
    plan = place_ops(fragment)
    pieces: list[Piece] = []
    entering = fragment.inputs
    for number in range(plan.last + 1):
        leaving = fragment.outputs if number == plan.last else plan.crossing(number)
        piece = plan.piece(number, entering, leaving)
        if not plan.empty(number):
            pieces.append(_piece(plan, number, piece))
            entering = leaving
    return pieces


def alone(pieces: list[Piece]) -> PerExample | None:
    """The one piece that makes wide examples one by one, which a chunk would only copy; or None."""
    first, *more = pieces
    wide = any((t.shape.num_elements() or 0) >= WIDE_ELEMENTS for t in first.fragment.outputs)
    return first if wide and not more and isinstance(first, PerExample) else None


def _piece(plan: Placement, number: int, fragment: Fragment) -> Piece:
    if number % 2 == 0:
        return Chunked(fragment)
    return PerExample(windowed(fragment), in_order=plan.stateful(number))


class _Tracer:
    """Writes the ops of a fragment once more, for a chunk."""

    def __init__(
        self, fragment: Fragment, values: tuple[Any, ...], captures: Mapping[str, tf.Tensor]
    ) -> None:
        self.fragment = fragment
        self.moving = moving_ops(fragment)
        self.sites = sites_in(fragment, self.moving)
        self.chains = chains(fragment, self.sites)
        self.inside = {op for chain in self.chains.values() for op in chain.ops[:-1]}
        self.stacked: dict[str, Any] = {
            t.name: tf.convert_to_tensor(v, t.dtype)
            for t, v in zip(fragment.inputs, values, strict=True)
        }
        self.rows = tf.shape(next(iter(self.stacked.values())))[0]
        self.shared = self._shared(captures)

    def _shared(self, captures: Mapping[str, tf.Tensor]) -> dict[str, tf.Tensor]:
        """What all examples have in common, computed once per chunk."""
        moving = self.moving
        known: dict[str, Any] = {t.name: captures.get(t.name, t) for t in self.fragment.captures}
        ops = []
        for op in self.fragment.ops:
            if is_folded(op):
                known.update(folded(op))
            elif op not in moving:
                ops.append(op)
        wanted = {t.name: t for op in moving for t in op.inputs}
        wanted.update((t.name, t) for t in self.fragment.outputs)
        here = {t.name for op in ops for t in op.outputs} | set(known)
        names = sorted(wanted.keys() & here)
        values = copy_ops(self.fragment.graph, ops, known, names)
        # A function does not know, as the graph did, what a table of it gives: not even the rank.
        return {n: shaped(new, wanted[n]) for n, new in zip(names, values, strict=True)}

    def run(self) -> tuple[Any, ...]:
        waiting: list[tf.Operation] = []
        for op in self.fragment.ops:
            if op not in self.moving or op in self.inside:
                continue
            site, rule = self.sites[op]
            assert rule is not None
            if op not in self.chains and rule.as_it_is(site):
                waiting.append(op)
                continue
            self._copy(waiting)
            waiting = []
            if op in self.chains:
                self._chain(self.chains[op])
            else:
                self._write(replace(site, rows=self.rows, users=self._users(op)), rule)
        self._copy(waiting)
        return tuple(self._output(t) for t in self.fragment.outputs)

    def _users(self, op: tf.Operation) -> tuple[tuple[tf.Operation, ...], ...]:
        leaving = {t.ref() for t in self.fragment.outputs}
        return tuple(
            () if t.ref() in leaving else tuple(u for u in t.consumers() if u in self.moving)
            for t in op.outputs
        )

    def _copy(self, ops: list[tf.Operation]) -> None:
        """Copies ops that work on a chunk as they are, all in one go."""
        if not ops:
            return
        here = {t.name: t for op in ops for t in op.outputs}
        used = {t.name for op in ops for t in op.inputs} - set(here)
        known = {name: self.stacked.get(name, self.shared.get(name)) for name in used}
        copies = copy_ops(self.fragment.graph, ops, known, list(here))
        for (name, old), new in zip(here.items(), copies, strict=True):
            self.stacked[name] = _checked(new, old)

    def _chain(self, chain: Chain) -> None:
        out = chain.ops[-1].outputs[0]
        with tf.name_scope(f"chunk/{out.op.name}/"):
            made = chain.call(self.stacked[chain.source.name], self.shared)
        self.stacked[out.name] = _checked(made, out)

    def _write(self, site: ChunkSite, rule: Rule) -> None:
        values = [
            (self.stacked if flag else self.shared)[t.name]
            for t, flag in zip(site.op.inputs, site.stacked, strict=True)
        ]
        with tf.name_scope(f"chunk/{site.op.name}/"):
            results = rule.apply(site, values)
        for old, new in zip(site.op.outputs, results, strict=True):
            self.stacked[old.name] = _checked(new, old)

    def _output(self, tensor: tf.Tensor) -> Any:
        if tensor.name in self.stacked:
            return _checked(self.stacked[tensor.name], tensor)
        value = self.shared[tensor.name]
        return stack(ChunkSite(tensor.op, (), self.rows), value, stacked=False)


def _checked(new: Any, old: tf.Tensor) -> Any:
    """`new` with the shape that rules rely on, checked where tracing could not prove it."""
    if old.shape.rank is None or isinstance(new, Content):
        return new
    if isinstance(new, Lists) and old.shape.is_fully_defined():
        return as_rows(new, old.shape.as_list())
    if isinstance(new, Lists):
        return Lists(_of_shape(new.values, old.shape[1:]), new.splits)
    return _of_shape(new, old.shape)


def _of_shape(new: tf.Tensor, each: tf.TensorShape) -> tf.Tensor:
    if new.shape.rank is not None and new.shape[1:] == each:
        return new
    return tf.ensure_shape(new, tf.TensorShape([None]).concatenate(each))
