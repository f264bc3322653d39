"""Which ops a call of a session runs, and which tensors it was fed."""

from __future__ import annotations

from typing import Any


def fetched_ops(call: Any) -> list[Any]:
    """The ops behind `fetches`, however nested; what cannot be read is left out."""
    found: list[Any] = []
    _collect(call.fetches, call.session.graph, found)
    return list(dict.fromkeys(found))


def fed_ops(call: Any) -> set[Any]:
    """The ops whose outputs are given by `feed_dict`."""
    found: list[Any] = []
    _collect(list(call.feed_dict or ()), call.session.graph, found)
    return set(found)


def _collect(item: Any, graph: Any, found: list[Any]) -> None:
    if item is None:
        return
    if isinstance(item, (str, bytes)):
        _collect_named(item, graph, found)
    elif isinstance(item, dict):
        for value in item.values():
            _collect(value, graph, found)
    elif isinstance(item, (list, tuple)):
        for value in item:
            _collect(value, graph, found)
    elif hasattr(item, "indices") and hasattr(item, "values"):  # sparse tensors, slices
        _collect([item.indices, item.values], graph, found)
    elif hasattr(item, "node_def"):
        found.append(item)
    elif hasattr(item, "op"):
        found.append(item.op)
    else:
        _collect(
            list(vars(item).values()) if hasattr(item, "__attrs_attrs__") else None, graph, found
        )


def _collect_named(name: Any, graph: Any, found: list[Any]) -> None:
    try:
        _collect(graph.as_graph_element(name), graph, found)
    except (KeyError, ValueError, TypeError):
        return
