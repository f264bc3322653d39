"""What stands in the collection of queue runners, and what of it the graph can be read by.

TF1 asks one thing of a runner, `create_threads`. So programs put in what they like: subclasses that
run the enqueue op as they see fit, and objects that name neither a queue nor an op.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow as tf

_KNOWN = frozenset({"tensorflow", "queueio"})
"""The packages whose threads run each enqueue op again and again, and do nothing beside it."""


def collected(graph: Any, more: Iterable[Any] = ()) -> list[Any]:
    """The queue runners of a graph that say what they run, each once.

    Args:
      graph: a tf.Graph; the collection QUEUE_RUNNERS is looked at.
      more: further runners, which need not be in the collection.
    """
    found = graph.get_collection(tf.compat.v1.GraphKeys.QUEUE_RUNNERS)
    return list(dict.fromkeys(filter(says_what_it_runs, [*found, *more])))


def says_what_it_runs(item: Any) -> bool:
    """Whether an item is a queue runner that names its queue and its enqueue ops.

    A subclass whose constructor does not call QueueRunner's names neither.
    """
    if not isinstance(item, tf.compat.v1.train.QueueRunner):
        return False
    return all(getattr(item, name, None) is not None for name in ("queue", "enqueue_ops"))


def has_its_own_way(runner: Any) -> bool:
    """Whether the program itself says how a runner's threads run the enqueue ops.

    How often, how many of them, and fed with what is in its Python code then, and in no graph.
    """
    methods = (getattr(runner, name) for name in ("_run", "create_threads"))
    modules = (str(getattr(method, "__module__", "")) for method in methods)
    return any(module.partition(".")[0] not in _KNOWN for module in modules)
