"""The seeds of a side, as far as its graph or its dataset's tells."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from queueio.graph.bodies import nodes_run_by
from queueio.graph.traits import Effect, State, row_of
from queueio.words import times

SHOWN = 12
SHUFFLES = ("ShuffleDataset", "ShuffleDatasetV3")


def drawn_seed() -> int:
    """The seed of an op that is to draw anew."""
    return secrets.randbits(31)


@contextmanager
def drawing_anew() -> Iterator[None]:
    """Gives what is built here, in functions too, other seeds than it asks for.

    Runs that repeat their draws add no knowledge. What asks for no seed stays without one.
    """
    from tensorflow.python.framework import random_seed

    given = random_seed.get_seed

    def get_seed(op_seed: Any) -> Any:
        seeds = given(op_seed)
        return seeds if seeds == (None, None) else (seeds[0], drawn_seed())

    with mock.patch.object(random_seed, "get_seed", get_seed):
        yield


def of_graph(graph: Any) -> str:
    """The seeds of a graph and of its ops, of datasets' shuffles, and of functions."""
    ops: list[list[Any]] = []
    for op in graph.get_operations():
        if op.type in SHUFFLES:
            seeds = map(_static, op.inputs[2:4])
            ops.append([op.name, *("?" if seed is None else int(seed) for seed in seeds)])
        ops += _drawing(nodes_run_by(op))
    return seeds_in_words({"graph": graph.seed, "ops": ops})


def _static(tensor: Any) -> Any:
    """A shuffle's seed, if it is constant, or what tf.data chooses between: another one where it
    and its twin are zero, or itself."""
    import tensorflow as tf

    value = tf.get_static_value(tensor)
    chosen = value is None and len(tensor.op.inputs) == 3
    return tf.get_static_value(tensor.op.inputs[2]) if chosen else value


def seeded_graph(graph: Any) -> bool:
    """Whether a seed decides how a graph's queues, or its datasets, shuffle."""
    given: list[Any] = []
    for op in graph.get_operations():
        if op.type.startswith("RandomShuffleQueue"):
            given += [op.get_attr("seed"), op.get_attr("seed2")]
        elif op.type in SHUFFLES:
            given += map(_static, op.inputs[2:4])
    return any(given)


def seeded_dataset(dataset: Any) -> bool:
    """Whether a seed decides how a dataset shuffles."""
    try:
        shuffles = [step for step in steps_of(dataset) if hasattr(step, "_seed2")]
        return any(int(step._seed) or int(step._seed2) for step in shuffles)
    except AttributeError:  # these are TensorFlow's own names, which it may change
        return False


def draws(dataset: Any) -> bool:
    """Whether chance may decide over what a dataset delivers, or in which order."""
    try:
        if dataset.options().deterministic is False:
            return True
        return any(
            hasattr(step, "_seed2")
            or hasattr(step, "_dataset_variant")  # of which no more is known
            or getattr(step, "_deterministic", "") == "false"
            or any(map(may_draw, nodes_of(step)))
            for step in steps_of(dataset)
        )
    except AttributeError:  # these are TensorFlow's own names, which it may change
        return True


def may_draw(node: Any) -> bool:
    """Whether a function's node draws, for all that is known of its op."""
    if node is None:
        return True
    row = row_of(node.op)
    unknown = row.effect in (Effect.UNKNOWN, Effect.RUNS_PYTHON) or row.reads == "the clock"
    # Of a generator's ops the state is a variable, so that they have none of their own.
    generator = node.op.startswith(("Rng", "Stateful")) and "PartitionedCall" not in node.op
    return unknown or row.seeded or row.state is State.OWN or generator


def of_dataset(dataset: Any) -> str:
    """The seeds of a dataset's shuffles and of the ops in its functions; "" if they are not told.

    It is asked step by step: written down as a graph, it would be copied with all its data.
    """
    ops: list[list[Any]] = []
    try:
        for step in steps_of(dataset):
            if hasattr(step, "_seed2"):
                ops.append([step._name or "shuffle", int(step._seed), int(step._seed2)])
            ops += _drawing(nodes_of(step))
    except AttributeError:  # these are TensorFlow's own names, which it may change
        return ""
    return seeds_in_words({"graph": None, "ops": ops[::-1]}) if ops else ""


def steps_of(dataset: Any) -> Iterator[Any]:
    """A dataset and all those that it is made of."""
    steps = [dataset]
    while steps:
        yield steps[-1]
        steps += steps.pop()._inputs()


def nodes_of(step: Any) -> Iterator[Any]:
    """The nodes of a dataset's functions, and of those that these call."""
    for function in step._functions():
        graph = function.function.graph.as_graph_def()
        yield from graph.node
        yield from (node for each in graph.library.function for node in each.node_def)


def _drawing(nodes: Iterable[Any]) -> list[list[Any]]:
    """Those with seeds among nodes; None is one that nobody knows."""
    with_seeds = [n for n in nodes if n is not None and "seed2" in n.attr]
    return [[n.name, n.attr["seed"].i, n.attr["seed2"].i] for n in with_seeds]


def seeds_in_words(seeds: dict[str, Any] | None) -> str:
    """`graph seed 5; (graph, op) seeds: shuffle_batch/random_shuffle_queue (5, 7); …`.

    "" where none was found: there may be draws of other kinds, in Python say.
    """
    if seeds is None:
        return ""
    given = [f"{name} ({a}, {b})" for name, a, b in seeds["ops"] if a or b]
    without = len(seeds["ops"]) - len(given)
    parts = [] if seeds["graph"] is None else [f"graph seed {seeds['graph']}"]
    if given:
        more = f" and {len(given) - SHOWN} more" if len(given) > SHOWN else ""
        parts.append(f"(graph, op) seeds: {', '.join(given[:SHOWN])}{more}")
    if without:
        parts.append(f"{times(without, 'op')} that may draw, without a seed")
    return "; ".join(parts)
