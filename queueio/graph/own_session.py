"""A session of queueio's own over a graph of the user's."""

from __future__ import annotations

from typing import Any


def own_session(graph: Any) -> Any:
    """A session that runs a part of a program's graph wherever that can be run.

    Programs name devices that this machine need not have (`tf.device("/gpu:1")` around a tower),
    and allow others in the configuration of their own sessions, which is not in the graph.

    Args:
      graph: the `tf.Graph`; all of it must find a place, however little is run.
    """
    import tensorflow as tf

    v1 = tf.compat.v1
    return v1.Session(graph=graph, config=v1.ConfigProto(allow_soft_placement=True))
