"""Chains of ops that one op of our own runs in one pass over memory: native/move_op.c.

    [3073] bytes ─▶ StridedSlice ─▶ Reshape ─▶ Transpose ─▶ Cast ─▶ Mul ─▶ [32, 32, 3] floats

TensorFlow transposes small elements one at a time, and goes over a batch once more for each of the
others. Every element still sees its operations, each rounded, in their order. What is cast and then
taken apart is cast in its parts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compile.kernels import native
from queueio.compile.placement import moving_ops, sites_in
from queueio.compile.rules import ChunkSite, Rule
from queueio.graph.fragment import Fragment

_STEPS = {"Mul": "multiply", "RealDiv": "divide", "Add": "add", "AddV2": "add",
          "Sub": "subtract"}  # fmt: skip
_SWAPPED = frozenset({"Mul", "Add", "AddV2"})  # where it does not matter what comes first
_WORTH_ELEMENTS = 64
Sites = Mapping[tf.Operation, tuple[ChunkSite, Rule | None]]


@dataclass(frozen=True)
class Chain:
    """Ops, each the only user of the one before.

    Attributes:
      source: what the first takes, for one example.
      ops: in order.
      part: where in the source, a vector, it begins whose part is taken, and that one's length.
      sides: rows and columns that swap places, and the length of the run that does not.
      floats: whether bytes become floats.
      steps: of arithmetic: its name, and the number that all examples share.
    """

    source: tf.Tensor
    ops: tuple[tf.Operation, ...] = ()
    part: tuple[int, int] | None = None
    sides: tuple[int, int, int] | None = None
    floats: bool = False
    steps: tuple[tuple[str, tf.Tensor], ...] = ()

    @property
    def pays(self) -> bool:
        """Whether it is faster than TensorFlow's ops."""
        many = (self.source.shape.num_elements() or 0) >= _WORTH_ELEMENTS
        changes = len(self.steps) + self.floats
        return many and (self.sides is not None or changes > (self.part is None))

    def then(self, site: ChunkSite) -> Chain | None:
        """The chain with one more op; None where it is no such op, or comes too late."""
        op = site.op
        more = replace(self, ops=(*self.ops, op))
        if op.type in ("Slice", "StridedSlice") and self.part is None and self.sides is None:
            part = _part(site)
            return part and replace(more, part=part)
        if op.type == "Reshape" and op.inputs[0].shape.num_elements() is not None:
            same = op.outputs[0].shape.num_elements() == op.inputs[0].shape.num_elements()
            return more if same and not site.stacked[1] else None
        if op.type == "Transpose" and self.sides is None and not site.stacked[1]:
            sides = _sides(site) if _movable(op.inputs[0].dtype) else None
            return sides and replace(more, sides=sides)
        if op.type == "Cast":
            to_floats = (op.inputs[0].dtype, op.outputs[0].dtype) == (tf.uint8, tf.float32)
            return replace(more, floats=True) if to_floats else None
        if op.type in _STEPS and op.outputs[0].dtype == tf.float32 and sum(site.stacked) == 1:
            shared = op.inputs[1 - site.stacked.index(True)]
            fits = shared.shape.rank == 0 and (site.stacked[0] or op.type in _SWAPPED)
            return replace(more, steps=(*self.steps, (_STEPS[op.type], shared))) if fits else None
        return None

    def call(self, values: tf.Tensor, shared: Mapping[str, tf.Tensor]) -> tf.Tensor:
        """What the last op gives for a chunk of the source's values."""
        out = self.ops[-1].outputs[0]
        shape = tf.shape(values, tf.int64)
        if out.shape != self.source.shape:
            shape = tf.concat([shape[:1], np.array(out.shape.as_list(), np.int64)], 0)
        steps = [(kind, _known(shared[number.name])) for kind, number in self.steps]
        sides = self.sides or (1, 1, 1)
        return native.moved(values, shape, self.part or (0, 0), sides, steps, out.dtype)


def chains(fragment: Fragment, sites: Sites | None = None) -> dict[tf.Operation, Chain]:
    """The chains among ops for chunks, by their last ops; none where there is no op of our own.

    `sites` are those of the fragment, where they are known already.
    """
    if not native.moves():
        return {}
    leaving = {t.ref() for t in fragment.outputs}
    sites = sites_in(fragment, moving_ops(fragment)) if sites is None else sites
    found: dict[tf.Operation, Chain] = {}
    for op, (site, rule) in sites.items():
        if rule is None or rule.lists or True not in site.stacked:
            continue
        source = op.inputs[site.stacked.index(True)]
        before = found.get(source.op)
        users = [] if source.ref() in leaving else _users(source, sites)
        apart = before and before.floats and before.ops == (source.op,) and all(map(_part, users))
        longer = before.then(site) if before and (len(users) == 1 or (users and apart)) else None
        if longer is not None and len(users) == 1:
            del found[source.op]
        made = longer or Chain(source).then(site)
        if made is not None:
            found[op] = made
    return {op: chain for op, chain in found.items() if chain.pays}


def _users(tensor: tf.Tensor, sites: Sites) -> list[ChunkSite]:
    """Who takes it, as often as he does."""
    takers = sites.keys() & tensor.consumers()
    return [sites[op][0] for op in takers for t in op.inputs if t is tensor]


def _known(number: tf.Tensor) -> Any:
    """Its value, where the graph tells it: many such numbers make one constant."""
    value = tf.get_static_value(number)
    return number if value is None else value


def ops_left(fragment: Fragment) -> list[tf.Operation]:
    """The ops that TensorFlow's kernels run."""
    inside = {op for chain in chains(fragment).values() for op in chain.ops}
    return [op for op in fragment.ops if op not in inside]


def _movable(dtype: tf.DType) -> bool:
    plain = dtype.is_integer or dtype.is_floating or dtype.is_bool or dtype.is_complex
    return plain and not dtype.is_quantized and dtype.size in (1, 2, 4, 8)


def _part(site: ChunkSite) -> tuple[int, int] | None:
    """Where a slice of a vector begins, and how long the vector is; None of any other slice."""
    op, length = site.op, site.shape(0).num_elements()
    if op.type not in ("Slice", "StridedSlice") or site.rank(0) != 1 or not length:
        return None
    if any(site.stacked[1:]) or not _movable(op.outputs[0].dtype):
        return None
    begins = site.constant(1)
    if begins is None or begins.size != 1 or not op.outputs[0].shape.num_elements():
        return None
    begin = int(begins.item())
    if op.type == "Slice":
        return begin, length
    steps = site.constant(3)
    if any(map(site.attr, ("ellipsis_mask", "new_axis_mask"))) or steps is None or steps[0] != 1:
        return None
    if site.attr("begin_mask") and not site.attr("shrink_axis_mask"):
        begin = 0
    return max(begin + length if begin < 0 else begin, 0), length


def _sides(site: ChunkSite) -> tuple[int, int, int] | None:
    """Of a transposition that swaps two runs of axes, with or without axes before and behind."""
    order, shape = site.constant(1), site.shape(0)
    if order is None or not shape.num_elements():
        return None
    sizes = [size for size in shape.as_list() if size != 1]
    kept = [axis for axis, size in enumerate(shape.as_list()) if size != 1]
    runs: list[list[int]] = []
    for axis in (kept.index(a % shape.rank) for a in order if a % shape.rank in kept):
        if runs and axis == runs[-1][-1] + 1:
            runs[-1].append(axis)
        else:
            runs.append([axis])
    if runs and runs[0][0] == 0:
        del runs[0]
    behind = runs.pop() if runs and runs[-1][-1] == len(sizes) - 1 else []
    if len(runs) != 2:
        return None
    columns, rows, run = (math.prod(sizes[axis] for axis in each) for each in (*runs, behind))
    return rows, columns, run
