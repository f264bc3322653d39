"""What an op takes, in the form that a rule for lists wants."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.compile.lists import Lists, of_rows
from queueio.compile.rules.rule import ChunkSite, Fits, is_list, stack


def lists_at(*indices: int) -> Fits:
    """Fits where these inputs are lists and no other input differs between examples."""
    return lambda site: (
        all(site.lists[i] for i in indices)
        and not any(s for i, s in enumerate(site.stacked) if i not in indices)
    )


def may_be_list(site: ChunkSite, i: int) -> bool:
    """Whether an input is a list, or can be taken for one."""
    tensor = site.op.inputs[i]
    known = bool(tensor.shape.rank) and tensor.shape[1:].is_fully_defined()
    return known if site.stacked[i] else known and tensor.shape.is_fully_defined()


def as_list(site: ChunkSite, i: int, value: Any) -> Lists:
    """An input of which `may_be_list` holds."""
    if isinstance(value, Lists):
        return value
    rows = stack(site, value, site.stacked[i])
    return of_rows(tf.ensure_shape(rows, [None, None, *inner(site.op.inputs[i])]))


def numbers(site: ChunkSite, i: int, value: tf.Tensor, place: int | None = None) -> tf.Tensor:
    """A number of each example, int64 [C]; `place` is where it stands in a vector."""
    value = stack(site, tf.cast(value, tf.int64), site.stacked[i])
    return value if place is None else value[:, place]


def inner(tensor: tf.Tensor) -> list[int]:
    """The shape of one value of a list."""
    sizes: list[int] = tensor.shape.as_list()[1:]
    return sizes


def axes_at(site: ChunkSite, i: int, rank: int | None = None) -> list[int]:
    """The axes that an input names, of tensors like the first, as they count from the front."""
    given, rank = site.constant(i), site.rank(0) if rank is None else rank
    return [int(axis) % (rank or 1) for axis in given.ravel()] if given is not None else []


def gives_lists(site: ChunkSite) -> bool:
    """Whether all that comes out is of unknown length."""
    return all(map(is_list, site.op.outputs))
