"""What a rule is, and the few things that every rule needs.

A rule promises: whenever its op succeeds on a chunk, row i of the result is bit for bit what
the user's op gives for example i. It may fail where the user's op would not (the chunk is then
run example by example), never the other way round.

A value that is as long in each example as that example wants it (tokens of a sentence) is no row
of a chunk. `Lists` of compile/lists.py hold such values, and rules of their own take and give them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.compile.kernels.rows import for_each
from queueio.graph.copying import again


@dataclass(frozen=True)
class ChunkSite:
    """An op of the user's, and which of its inputs differ between the examples of a chunk.

    Attributes:
      op: the op in the user's graph.
      stacked: per input, True when its value has a leading axis of examples.
      rows: the number of examples, a scalar int32 tensor; None until the chunk is traced.
      lists: per input, True where that value is one of `Lists`; empty where nobody asks.
      users: per output the ops of the chunk that take it, none where it is wanted as it is; empty
        until the chunk is traced.
    """

    op: tf.Operation
    stacked: tuple[bool, ...]
    rows: Any = None
    lists: tuple[bool, ...] = ()
    users: tuple[tuple[tf.Operation, ...], ...] = ()

    def shape(self, i: int) -> tf.TensorShape:
        """The static shape of input `i`, for one example."""
        return self.op.inputs[i].shape

    def rank(self, i: int) -> int | None:
        rank: int | None = self.op.inputs[i].shape.rank
        return rank

    def constant(self, i: int) -> np.ndarray | None:
        """The value of input `i` if the graph tells it."""
        value: np.ndarray | None = tf.get_static_value(self.op.inputs[i])
        return value

    def attr(self, name: str) -> Any:
        return self.op.get_attr(name)


Apply = Callable[[ChunkSite, list[Any]], Sequence[Any]]
Fits = Callable[[ChunkSite], bool]


@dataclass(frozen=True)
class Rule:
    """`fits` says whether the rule is exact at a site; `apply` writes the op for a chunk.

    `as_it_is` says where that is a mere copy of the op: many of those are copied in one go.
    `retreats` says where a chunk may fail although none of its examples does, `repairs` where some
    examples may be run alone besides (`repaired`). `lists` says that what is of no known length
    comes out as `Lists`.
    """

    fits: Fits
    apply: Apply
    as_it_is: Fits
    retreats: Fits
    repairs: Fits
    lists: bool = False


RULES: dict[str, Rule] = {}
LISTS: dict[str, Rule] = {}
"""Of the same op types, where something is of another length in each example."""


def rule_at(site: ChunkSite) -> Rule | None:
    """The rule that is exact at a site, if there is one."""
    found = None if any(site.lists) else RULES.get(site.op.type)
    if found is not None and found.fits(site):
        return found
    found = LISTS.get(site.op.type)
    one_form = all(map(_row_or_list, site.op.outputs))
    return found if found is not None and one_form and found.fits(site) else None


def is_list(tensor: tf.Tensor) -> bool:
    """Whether its first axis alone may be of another length in each example."""
    if not tensor.shape.rank:
        return False
    first, *rest = tensor.shape.as_list()
    return first is None and None not in rest


def _row_or_list(tensor: tf.Tensor) -> bool:
    held = tensor.dtype not in (tf.resource, tf.variant)
    return held and (is_list(tensor) or bool(tensor.shape.is_fully_defined()))


def rule(
    *types: str,
    fits: Fits = lambda site: True,
    as_it_is: Fits = lambda site: False,
    retreats: Fits = lambda site: False,
    repairs: Fits = lambda site: False,
) -> Callable[[Apply], Apply]:
    """Registers the decorated function as the rule of these op types."""

    def register(apply: Apply) -> Apply:
        for op_type in types:
            if op_type in RULES:
                raise ValueError(f"op type {op_type} has a rule already")
            RULES[op_type] = Rule(fits, apply, as_it_is, retreats, repairs)
        return apply

    return register


def list_rule(*types: str, fits: Fits = lambda site: any(site.lists)) -> Callable[[Apply], Apply]:
    """Registers the decorated function as the rule of these op types for `Lists`."""

    def register(apply: Apply) -> Apply:
        for op_type in types:
            if op_type in LISTS:
                raise ValueError(f"op type {op_type} has a rule for lists already")
            never, always = (lambda site: False), (lambda site: True)
            LISTS[op_type] = Rule(fits, apply, never, always, never, lists=True)
        return apply

    return register


def only(*indices: int) -> Fits:
    """Fits when no input but these is stacked, and the first of these is."""
    return lambda site: (
        site.stacked[indices[0]]
        and not any(s for i, s in enumerate(site.stacked) if i not in indices)
    )


def stack(site: ChunkSite, value: tf.Tensor, stacked: bool) -> tf.Tensor:
    """Repeats a value that all examples share, so that it has the leading axis too."""
    if stacked:
        return value
    return tf.broadcast_to(value, tf.concat([[site.rows], tf.shape(value)], 0))


def with_rank(value: tf.Tensor, rank: int, target: int) -> tf.Tensor:
    """Inserts axes of size 1 after the leading axis: an example's rank becomes `target`."""
    for _ in range(target - rank):
        value = tf.expand_dims(value, 1)
    return value


def of_example(axes: Iterable[int], tensor: tf.Tensor) -> bool:
    """Whether no axis counts from the end past the first one of an example, which `tensor` is.

    In a chunk the examples lie there: its op would mix them, where the user's op has an error. Of
    an unknown rank the last axis is taken to be there, as it is of all but scalars.
    """
    rank = tensor.shape.rank
    return all(axis >= -(1 if rank is None else rank) for axis in axes)


def shifted(axis: int) -> int:
    """An axis of an example as an axis of the chunk; negative ones count from the end."""
    return axis + 1 if axis >= 0 else axis


def one_by_one(site: ChunkSite, values: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    """What the op gives for each example alone: slower than a chunk's, in one call all the same."""
    given = [t for t, stacked in zip(site.op.inputs, site.stacked, strict=True) if stacked]

    def alone(*row: tf.Tensor) -> list[tf.Tensor]:
        own = iter(row)
        inputs = zip(values, site.stacked, strict=True)
        return again(site.op, [next(own) if stacked else value for value, stacked in inputs])

    rows = [value for value, stacked in zip(values, site.stacked, strict=True) if stacked]
    return list(for_each(alone, rows, _specs(given), _specs(site.op.outputs)))


def _specs(tensors: Sequence[tf.Tensor]) -> list[tf.TensorSpec]:
    return [tf.TensorSpec(t.shape, t.dtype) for t in tensors]


def repaired(
    site: ChunkSite, values: Sequence[tf.Tensor], made: tf.Tensor, doubtful: tf.Tensor
) -> list[tf.Tensor]:
    """A chunk's result, with that of the op alone for the examples of which it may be wrong.

    Args:
      site: the op.
      values: its inputs, as `apply` got them.
      made: the result, [C, ...].
      doubtful: bool [C], for which examples.
    """
    places = tf.squeeze(tf.where(doubtful), 1)
    inputs = zip(values, site.stacked, strict=True)
    (exact,) = one_by_one(site, [tf.gather(v, places) if stacked else v for v, stacked in inputs])
    return [tf.tensor_scatter_nd_update(made, tf.expand_dims(places, 1), exact)]


def ahead(first: Any, rest: tf.Tensor) -> tf.Tensor:
    """`rest`, a vector that describes an example's axes, with the leading axis put first."""
    return tf.concat([tf.cast([first], rest.dtype), rest], 0)
