"""MetaGraphs exported under the data engine run on plain queue runners elsewhere.

A MetaGraph cannot hold a runner that decides. There, TF1's runners fill the example queue, and a
further one, which only the export shows, passes the batches on to the queue that the batch comes
out of. The iterator's ops are in the file but nobody runs them. (TensorFlow 1.x does not know
some of these and refuses the file by name of the op; build under the queue engine for that.)
"""

from __future__ import annotations

import functools
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import meta_graph

_installed: list[bool] = []


def install() -> None:
    """Has exports show the runners that pass batches on; a second call does nothing."""
    if not _installed:
        _installed.append(True)
        meta_graph.add_collection_def = _with_forwarders(meta_graph.add_collection_def)


def _with_forwarders(stock: Any) -> Any:
    @functools.wraps(stock)
    def add_collection_def(meta: Any, key: Any, graph: Any = None, *args: Any, **more: Any) -> None:
        if key == tf.compat.v1.GraphKeys.QUEUE_RUNNERS and not args:
            graph = graph or tf.compat.v1.get_default_graph()
            runners = more.pop("override_contents", None) or graph.get_collection(key)
            forwarders = [r.forwarder for r in runners if hasattr(r, "forwarder")]
            if forwarders:
                more["override_contents"] = [*runners, *forwarders]
        stock(meta, key, graph, *args, **more)

    return add_collection_def
