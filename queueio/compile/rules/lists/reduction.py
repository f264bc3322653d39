"""One value of all that a list holds, or of each thing that it holds, where no order can matter."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.compile.lists import Lists
from queueio.compile.rules.lists.operands import axes_at, lists_at
from queueio.compile.rules.rule import ChunkSite, list_rule
from queueio.graph.copying import again

_OF_EACH = {
    "Sum": tf.math.unsorted_segment_sum,
    "Max": tf.math.unsorted_segment_max,
    "Min": tf.math.unsorted_segment_min,
    "Any": tf.math.unsorted_segment_max,
    "All": tf.math.unsorted_segment_min,
}


def _along_one_side(site: ChunkSite) -> bool:
    """Whether it takes the first axis, of a list of scalars, or others alone."""
    axes = axes_at(site, 1)
    return lists_at(0)(site) and bool(axes) and (0 not in axes or site.rank(0) == 1)


def _whole_numbers(site: ChunkSite) -> bool:
    return site.op.inputs[0].dtype in (tf.int32, tf.int64) and _along_one_side(site)


@list_rule("Sum", "Max", "Min", fits=_whole_numbers)
@list_rule("Any", "All", fits=_along_one_side)
def reduce(site: ChunkSite, values: list[Any]) -> list[Any]:
    lists, axes = values
    if 0 not in axes_at(site, 1):
        return [Lists(made, lists.splits) for made in again(site.op, [lists.values, axes])]
    bools = lists.values.dtype == tf.bool
    each = tf.cast(lists.values, tf.int32) if bools else lists.values
    made = _OF_EACH[site.op.type](each, lists.examples, site.rows)
    made = made > 0 if bools else made
    return [made[:, tf.newaxis] if site.attr("keep_dims") else made]
