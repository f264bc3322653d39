"""Ops of ours in the user's graph, added so that nothing else in it changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tensorflow.python.framework import random_seed


@contextmanager
def unnoticed(graph: Any) -> Iterator[None]:
    """Leaves the graph's collections, and the seeds of later ops, as they are without ours.

    A MetaGraph holds all collections; seeds count the random ops that a graph has.
    """
    counts = getattr(random_seed, "_graph_to_seed_dict", {})
    count = counts.get(graph)
    before = {key: graph.get_collection(key) for key in graph.get_all_collection_keys()}
    try:
        yield
    finally:
        if count is not None:
            counts[graph] = count
        else:
            counts.pop(graph, None)
        for key in graph.get_all_collection_keys():
            if key in before:
                graph.get_collection_ref(key)[:] = before[key]
            else:
                graph.clear_collection(key)
