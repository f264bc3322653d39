"""Chooses where in a fragment to shuffle: where an example is smallest."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import tensorflow as tf

from queueio.compile.placement import moving_ops
from queueio.compile.rules import RULES, ChunkSite
from queueio.graph.failing import cannot_fail, draws_freely
from queueio.graph.fragment import Fragment

# What a string may weigh is unknown; most records are larger than this.
STRING_BYTES = 1024
_SHARED_BYTES = 24  # of a string that many examples have: what tells where it is


def row_bytes(tensors: Iterable[tf.Tensor], shared: Collection[tf.Tensor] = ()) -> float:
    """Bytes that one example's tensors take, at least; infinite if a shape is unknown."""
    apart = {t.ref() for t in shared}
    return sum(
        _SHARED_BYTES if t.ref() in apart else weight(t.shape, t.dtype)
        for t in {t.ref(): t for t in tensors}.values()
    )


def weight(shape: tf.TensorShape, dtype: tf.DType) -> float:
    """Bytes of a tensor, about; infinite if its shape is unknown."""
    elements = shape.num_elements()
    if elements is None:
        return float("inf")
    return float(elements * (STRING_BYTES if dtype == tf.string else dtype.size))


def cheapest_cut(
    fragment: Fragment, shared: Collection[tf.Tensor] = ()
) -> tuple[Fragment, Fragment]:
    """Splits a fragment where its examples are smallest: fewest bytes, then fewest tensors.

    Of equal places it takes the latest.

    What comes after the cut works on chunks and cannot fail, so it may run after the shuffle.
    Returns (before, after); `after` has no ops if the end is the best place.

    Args:
      fragment: what to split.
      shared: scalar strings among its inputs that are the same in many examples.
    """
    moving = moving_ops(fragment)
    entered = {t.ref() for t in fragment.inputs}
    later = _movable(fragment, moving)
    crossing = {t.ref(): t for t in fragment.outputs if t.ref() in entered or t.op in moving}
    best = tuple(crossing.values())
    least = (row_bytes(best, shared), len(best))
    after: list[tf.Operation] = []
    chosen = 0
    for op in reversed(fragment.ops):
        if op not in later:
            continue
        after.append(op)
        for t in op.outputs:
            crossing.pop(t.ref(), None)
        crossing.update((t.ref(), t) for t in op.inputs if t.ref() in entered or t.op in moving)
        size = (row_bytes(crossing.values(), shared), len(crossing))
        if size < least:
            best, least, chosen = tuple(crossing.values()), size, len(after)
    return _split(fragment, best, set(after[:chosen]), moving)


def _movable(fragment: Fragment, moving: frozenset[tf.Operation]) -> set[tf.Operation]:
    """Ops that cannot fail, so that they may run later than in the queue, and all their users.

    Of random draws those without a seed, for which a rule is exact: any is as good as another.
    """
    entered = {t.ref() for t in fragment.inputs}
    blocked: set[tf.Operation] = set()
    found: set[tf.Operation] = set()
    for op in reversed(fragment.ops):
        if op not in moving:
            continue
        flags = tuple(t.ref() in entered or t.op in moving for t in op.inputs)
        safe = cannot_fail(op) or draws_freely(op)
        if safe and _is_exact(ChunkSite(op, flags)) and op not in blocked:
            found.add(op)
        else:
            blocked.update(t.op for t in op.inputs)
        blocked.update(op.control_inputs)
    return found


def _is_exact(site: ChunkSite) -> bool:
    """Whether a rule runs it on every chunk."""
    found = RULES.get(site.op.type)
    return found is not None and found.fits(site) and not found.retreats(site)


def _split(
    fragment: Fragment,
    crossing: tuple[tf.Tensor, ...],
    after: set[tf.Operation],
    moving: frozenset[tf.Operation],
) -> tuple[Fragment, Fragment]:
    def part(inputs: tuple[tf.Tensor, ...], outputs: tuple[tf.Tensor, ...], late: bool) -> Fragment:
        ops = tuple(op for op in fragment.ops if op not in moving or (op in after) == late)
        return Fragment(fragment.graph, inputs, outputs, fragment.captures, ops)

    if not after:
        return fragment, Fragment(fragment.graph, fragment.outputs, fragment.outputs)
    return part(fragment.inputs, crossing, False), part(crossing, fragment.outputs, True)
