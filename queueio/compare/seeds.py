"""The seeds of a side, as far as its graph or its dataset's tells."""

from __future__ import annotations

from typing import Any

from queueio import recorder

SHOWN = 12


def of_graph(graph: Any) -> str:
    """The seeds of a graph and of its ops, as the report shows them."""
    found: Any = recorder.seeds_of(graph)
    return told(found)


def of_dataset(dataset: Any) -> str:
    """The seeds of a dataset's shuffles and of the ops in its functions; "" if they are not told.

    It is asked step by step: written down as a graph, it would be copied with all its data.
    """
    ops: list[list[Any]] = []
    steps = [dataset]
    try:
        while steps:
            step = steps.pop()
            if hasattr(step, "_seed2"):
                ops.append([step._name or "shuffle", int(step._seed), int(step._seed2)])
            for function in step._functions():
                ops += _drawing(function.function.graph.as_graph_def())
            steps += step._inputs()
    except AttributeError:  # these are TensorFlow's own names, which it may change
        return ""
    return told({"graph": None, "ops": ops[::-1]}) if ops else ""


def _drawing(graph: Any) -> list[list[Any]]:
    """The ops with seeds of a function, and of the functions that it calls."""
    nodes = [*graph.node, *(n for f in graph.library.function for n in f.node_def)]
    return [[n.name, n.attr["seed"].i, n.attr["seed2"].i] for n in nodes if "seed2" in n.attr]


def told(seeds: dict[str, Any] | None) -> str:
    """`graph seed 5; (graph, op) seeds: shuffle_batch/random_shuffle_queue (5, 7); …`."""
    if seeds is None:
        return ""
    given = [f"{name} ({a}, {b})" for name, a, b in seeds["ops"] if a or b]
    without = len(seeds["ops"]) - len(given)
    parts = [] if seeds["graph"] is None else [f"graph seed {seeds['graph']}"]
    if given:
        more = f" and {len(given) - SHOWN} more" if len(given) > SHOWN else ""
        parts.append(f"(graph, op) seeds: {', '.join(given[:SHOWN])}{more}")
    if without:
        parts.append(f"{without} op{'s' if without > 1 else ''} that may draw, without a seed")
    return "; ".join(parts) or "no op that draws"
