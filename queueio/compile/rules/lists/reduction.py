"""One value of all that a list holds, where the order of the values cannot matter."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.compile.lists import Lists
from queueio.compile.rules.lists.operands import lists_at
from queueio.compile.rules.rule import ChunkSite, list_rule

_OF_EACH = {
    "Sum": tf.math.unsorted_segment_sum,
    "Max": tf.math.unsorted_segment_max,
    "Min": tf.math.unsorted_segment_min,
    "Any": tf.math.unsorted_segment_max,
    "All": tf.math.unsorted_segment_min,
}


def _of_all(site: ChunkSite) -> bool:
    axes = site.constant(1)
    return lists_at(0)(site) and site.rank(0) == 1 and axes is not None and axes.size == 1


def _whole_numbers(site: ChunkSite) -> bool:
    return _of_all(site) and site.op.inputs[0].dtype in (tf.int32, tf.int64)


@list_rule("Sum", "Max", "Min", fits=_whole_numbers)
def reduce(site: ChunkSite, values: list[Any]) -> list[tf.Tensor]:
    return [_reduced(site, values[0], values[0].values)]


@list_rule("Any", "All", fits=_of_all)
def reduce_bools(site: ChunkSite, values: list[Any]) -> list[tf.Tensor]:
    return [_reduced(site, values[0], tf.cast(values[0].values, tf.int32)) > 0]


def _reduced(site: ChunkSite, lists: Lists, each: tf.Tensor) -> tf.Tensor:
    made = _OF_EACH[site.op.type](each, lists.examples, site.rows)
    return made[:, tf.newaxis] if site.attr("keep_dims") else made
