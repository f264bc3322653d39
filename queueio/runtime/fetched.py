"""Which ops a call of a session runs, and which tensors it was fed."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from queueio.runtime.topology import op_of


def fetched(call: Any) -> list[Any]:
    """The tensors, variables and ops of `fetches`, however nested; the unreadable is left out."""
    found: list[Any] = []
    _collect(call.fetches, call.session.graph, found)
    return found


def fetched_ops(call: Any) -> list[Any]:
    """The ops behind `fetches`."""
    return list(dict.fromkeys(map(op_of, fetched(call))))


def fed_ops(call: Any) -> set[Any]:
    """The ops whose outputs are given by `feed_dict`."""
    found: list[Any] = []
    _collect(list(call.feed_dict or ()), call.session.graph, found)
    return set(map(op_of, found))


def _collect(item: Any, graph: Any, found: list[Any]) -> None:
    if isinstance(item, (tf.Operation, tf.Tensor)):
        found.append(item)
    elif item is None:
        return
    elif isinstance(item, (str, bytes)):
        _collect_named(item, graph, found)
    elif isinstance(item, dict):
        for value in item.values():
            _collect(value, graph, found)
    elif isinstance(item, (list, tuple)):
        for value in item:
            _collect(value, graph, found)
    elif hasattr(item, "indices") and hasattr(item, "values"):  # sparse tensors, slices
        _collect([item.indices, item.values], graph, found)
    elif hasattr(item, "node_def") or hasattr(item, "op"):
        found.append(item)
    else:
        _collect(
            list(vars(item).values()) if hasattr(item, "__attrs_attrs__") else None, graph, found
        )


def _collect_named(name: Any, graph: Any, found: list[Any]) -> None:
    try:
        _collect(graph.as_graph_element(name), graph, found)
    except (KeyError, ValueError, TypeError):
        return
