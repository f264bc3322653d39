"""Reads an op that sorts its elements over several queues, by a number that each of them has.

`tf.contrib.training.bucket` makes one op of many: under each of them a cond, which compares the
number with a constant and enqueues where they are equal; and, with keep_input, one cond around all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from queueio.graph.index import Enqueue, Evaluator, Index
from queueio.graph.refusal import refuse
from queueio.graph.traversal import is_dequeue, root, upstream
from queueio.lift.enqueue import Put, check_nothing_besides, conditions, outside
from queueio.lift.feeders import Group
from queueio.lift.sparse import stored


class Emptied(NamedTuple):
    """The queues that one evaluator sorts its elements over, each emptied by one group."""

    evaluator: Evaluator
    groups: tuple[Group, ...]

    @property
    def points(self) -> list[Any]:
        """For each queue the dequeue that empties it."""
        return [group.kinds[0][0].points[0] for group in self.groups]


@dataclass(frozen=True, eq=False)
class Sorted:
    """What an evaluator puts into its queues.

    Attributes:
      put: the components of an element and, as its last one, the number that decides.
      keys: the value of that number, by the queue that it leads to.
    """

    put: Put
    keys: dict[Any, int]


def emptied(index: Index, groups: Sequence[Group]) -> tuple[list[Emptied], list[Group]]:
    """The groups that empty buckets, by who fills those; and the other ones."""
    found: dict[Evaluator, list[Group]] = {}
    rest = []
    for group in groups:
        sorter = _sorter(index, group)
        if sorter is None:
            rest.append(group)
        else:
            found.setdefault(sorter, []).append(group)
    whole = []
    for sorter, members in found.items():
        each = Emptied(sorter, tuple(members))
        if {upstream(point) for point in each.points} == set(_filled(index, sorter)):
            whole.append(each)
        else:
            rest += members
    return whole, rest


def _sorter(index: Index, group: Group) -> Evaluator | None:
    """The one evaluator that fills the one queue that a group takes from, with other queues."""
    points = group.kinds[0][0].points
    if len(group.turns) > 1 or len(points) != 1 or not is_dequeue(points[0]):
        return None
    feeders = index.feeders(upstream(points[0]))
    if len(feeders) != 1:
        return None
    evaluator, enqueue = feeders[0]
    several = len(evaluator.enqueues) > 1 or len(conditions(enqueue)) > 1
    return evaluator if several else None


def _filled(index: Index, evaluator: Evaluator) -> dict[Any, Enqueue]:
    """By queue, how an evaluator fills it."""
    mine = {id(enqueue): enqueue for enqueue in evaluator.enqueues}
    return {
        queue: mine[id(enqueue)]
        for queue, use in index.uses.items()
        for enqueue in use.enqueues
        if id(enqueue) in mine
    }


def read(index: Index, evaluator: Evaluator) -> Sorted:
    """What an evaluator puts into which of its queues.

    Raises:
      NotLifted: the queues do not get the same tensors, by one number's comparison with constants.
    """
    filled = _filled(index, evaluator)
    found = [_under_equal(evaluator, enqueue) for enqueue in filled.values()]
    components, which, _, outer, branch = found[0]
    for other in found:
        if (
            list(map(_identity, other[0])) != list(map(_identity, components))
            or other[1] is not which
            or other[3:] != (outer, branch)
        ):
            raise _unlike(evaluator)
    keys = {queue: each[2] for queue, each in zip(filled, found, strict=True)}
    if len(set(keys.values())) < len(evaluator.enqueues):
        raise _unlike(evaluator)
    plain = tuple(stored(tensor) or tensor for tensor in components)
    return Sorted(Put((*plain, which), outer, branch), keys)


def _under_equal(evaluator: Evaluator, enqueue: Enqueue) -> tuple[Any, ...]:
    """(components, number, its value, the condition around, that one's value) of an enqueue."""
    tensors = list(enqueue.op.inputs)[1:]
    check_nothing_besides(enqueue, tensors)
    under = conditions(enqueue)
    if not 1 <= len(under) <= 2 or not under[0][1] or enqueue.many:
        raise _unlike(evaluator)
    equal = root(under[0][0])
    which, value = _compared(equal.op)
    around = enqueue.around
    if which is not None and around is not None and equal.graph is around.graph:
        which = around.outside(which)
    components = [outside(t, enqueue) for t in tensors]
    if which is None or any(t is None for t in components):
        raise _unlike(evaluator)
    outer, branch = under[1] if len(under) > 1 else (None, True)
    outer = outer if outer is None else root(outer)
    return components, root(which), value, outer, branch


def _compared(op: Any) -> tuple[Any, int | None]:
    """The tensor that is compared with a constant, and the constant."""
    if op.type == "Equal" and op.inputs[0].dtype.is_integer:
        for one, other in (op.inputs, reversed(list(op.inputs))):
            value = tf.get_static_value(root(other))
            # What a py_func gives has no shape; a cond fails of anything but a scalar.
            if value is not None and value.ndim == 0 and one.shape.rank in (0, None):
                return one, int(value)
    return None, None


def _identity(tensor: Any) -> Any:
    return tensor.ref()


def _unlike(evaluator: Evaluator) -> Exception:
    return refuse(
        evaluator.op,
        f"one run of it puts an element into one or another of {len(evaluator.enqueues)} queues,"
        " and not by comparing one number with a constant for each of them",
        "Number the buckets, and give tf.contrib.training.bucket the number",
    )


def given(emptied: Emptied, queue: Any) -> tuple[Any, ...]:
    """What goes on from the buckets into `queue`: see Role.BUCKETS.

    Raises:
      NotLifted: it is not the batch as it is, with constants.
    """
    enqueues = [group.kinds[0][1] for group in emptied.groups]
    for enqueue in enqueues:
        if enqueue.body is not None or conditions(enqueue) or enqueue.many:
            raise _worked_on(enqueue, queue)
    columns = zip(*(list(enqueue.op.inputs)[1:] for enqueue in enqueues), strict=True)
    return tuple(_column(column, emptied, queue) for column in columns)


def _column(tensors: Sequence[Any], emptied: Emptied, queue: Any) -> Any:
    roots = list(map(root, tensors))
    taken = zip(roots, emptied.points, strict=True)
    if all(tensor.op is point for tensor, point in taken):
        positions = {tensor.value_index for tensor in roots}
        if len(positions) == 1:
            return positions.pop()
    values = [tf.get_static_value(tensor) for tensor in roots]
    if all(value is not None and value.ndim == 0 for value in values):
        return np.stack(values)
    raise _worked_on(emptied.groups[0].kinds[0][1], queue)


def _worked_on(enqueue: Enqueue, queue: Any) -> Exception:
    return refuse(
        enqueue.outer,
        f"it works on the batch of a bucket before that goes into {queue.name!r}",
        "Work on the examples before they go into their buckets, or on the batches that come out",
    )
