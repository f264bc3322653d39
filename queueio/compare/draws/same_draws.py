"""The same draws on both sides, where that can be had: then what is drawn can be compared exactly.

Each random op gets a seed by its number in the order in which the side makes its random ops, and
nothing else is left to chance: queues hand on in order, one thread fills each, datasets neither
shuffle nor call a map's function twice at once. So both sides' first op draws the same for the
first example, and so on, and equal pipelines deliver equal streams, bit for bit.

Only equality says something. Streams that differ may draw the same numbers for other purposes, or
in another order; then the distributions are compared instead, as they are where the draws cannot be
fixed, or where more would be fixed than they: a side that is no function, or that draws in Python
or from a generator; ops that share a seed, and so draw alike; streams that are put together, in
pairs that shuffling may change; examples that are shuffled after they were put into groups.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from queueio import recorder, settings
from queueio.compare.reading.lockstep import Both, run_both
from queueio.compare.sides.dataset_side import DatasetSide
from queueio.compare.sides.graph_side import GraphSide, plan_of
from queueio.compare.sides.schema import Select
from queueio.compare.sides.seeds import may_draw, nodes_of, steps_of
from queueio.compare.sides.side import CannotRun, Side
from queueio.graph.bodies import nodes_run_by
from queueio.graph.runners import collected
from queueio.graph.traits import row_of
from queueio.graph.traversal import ancestors

ENOUGH, RUNS = 256, 16  # examples that are to agree, in so many runs at most
MOST = 20_000  # examples of a run
_SEED = 20_170_000
_LISTS = 1000  # numbers of RandomShuffles, which shuffle a list of files more often than not
_TAKES = re.compile("QueueDequeue|ReaderRead")
_GROUPS = re.compile("QueueEnqueueMany|QueueDequeueMany|QueueDequeueUpTo|ReaderReadUpTo")
_GROUPED = re.compile("Batch|Window|Scan|Group|Bucket")  # datasets
_IN_ORDER = {"RandomShuffleQueue": "FIFOQueue", "RandomShuffleQueueV2": "FIFOQueueV2"}


class Other(ValueError):
    """The side draws in a way that cannot be fixed from outside."""


def same_draws(
    sides: tuple[Side, Side], limit: int | None, key: str | int | None, select: Select | None
) -> int:
    """Over how many examples both sides deliver the same when their random ops draw the same.

    0 if they do not, or if that cannot be found out.
    """
    count = 0
    try:
        kinds = [_kind(side) for side in sides]
        for run in range(RUNS):
            old, new = (kind(side, run) for kind, side in zip(kinds, sides, strict=True))
            with settings.override(engine="queue"):
                both = run_both(old, new, min(limit or MOST, MOST), key, select)
            found = _agreed(both)
            both.close()
            count += found
            if not found or count >= ENOUGH:
                return count if found else 0
    except (Other, CannotRun):
        return 0
    return count


def _agreed(both: Both) -> int:
    """How many examples came, if they are the same on both sides."""
    least, most = sorted([both.old.examples, both.new.examples])
    ends = {both.old.end.kind, both.new.end.kind}
    whole = ends == {"clean"} and least == most
    return least if (whole or ends == {"limit"}) and both.agree else 0


def _kind(side: Side) -> Callable[[Any, int], Side]:
    """What makes a side of fixed draws of this one. Raises Other."""
    if type(side) is DatasetSide and side.plan is None:
        return _Dataset
    plan = plan_of(side) if type(side) is GraphSide else None
    if plan is None or not _one_stream(plan.root):
        raise Other
    return _Graph


def _one_stream(node: Any) -> bool:
    """Whether no stage puts several streams together."""
    return len(node.inputs) < 2 and all(_one_stream(source) for source in node.inputs)


class _Graph(GraphSide):
    """A queue pipeline whose draws are fixed; its queues hand on in order."""

    def __init__(self, side: GraphSide, run: int) -> None:
        super().__init__(side.label, side.function, side.epochs, side.allow)
        self.seed = _SEED + run

    def build(self) -> Any:
        import tensorflow as tf

        with _seeds(self.seed):
            fetches = super().build()
        graph = tf.compat.v1.get_default_graph()
        filling = []
        for runner in collected(graph):
            runner._enqueue_ops = list(dict.fromkeys(runner.enqueue_ops))  # one thread each
            filling += runner.enqueue_ops
        for op in filling:
            _leave_in_order(op)
        ops = ancestors([*filling, *(tensor.op for _, tensor in recorder.flatten(fetches))])
        _check((node for op in ops for node in nodes_run_by(op)), self.seed)
        return fetches


def _leave_in_order(op: Any) -> None:
    """Has an enqueue op that fills a queue from a list do so in the list's order.

    Raises:
      Other: it takes groups of examples, which shuffling would make of others.
    """
    before = list(ancestors([op]))
    if any(_TAKES.search(other.type) for other in before):
        if any(_GROUPS.search(other.type) for other in before):
            raise Other
        return
    for shuffle in (other for other in before if other.type == "RandomShuffle"):
        for taker in shuffle.outputs[0].consumers():
            taker._update_input(list(taker.inputs).index(shuffle.outputs[0]), shuffle.inputs[0])


class _Dataset(DatasetSide):
    """A function of tf.data code whose draws are fixed; its examples come in order."""

    def __init__(self, side: DatasetSide, run: int) -> None:
        super().__init__(side.label, side.make)
        self.seed = _SEED + run

    def _dataset(self) -> Any:
        import tensorflow as tf

        if not tf.executing_eagerly():
            raise Other
        try:
            with _seeds(self.seed):
                made = self.make()
            steps = list(steps_of(made))
            if any(len(step._inputs()) > 1 for step in steps):
                raise Other
            _check((node for step in steps for node in nodes_of(step)), self.seed)
        except Exception as problem:  # TensorFlow's own names, say, which it may change
            raise Other from problem
        options = tf.data.Options()
        options.experimental_optimization.apply_default_optimizations = False
        options.autotune.enabled = False
        return made.with_options(options)


def _check(nodes: Iterable[Any], seed: int) -> None:
    """Refuses what draws by other seeds, or may draw for all that is known."""
    for node in nodes:
        if node is None or node.op == "ZipDataset":
            raise Other
        fixed = row_of(node.op).seeded and node.attr["seed"].i == seed
        if may_draw(node) and not fixed:
            raise Other


def _ungrouped(dataset: Any) -> Any:
    """The dataset, of whose examples none is made of others. Raises Other."""
    for step in steps_of(dataset):
        kinds = [type(step).__name__, *(node.op for node in nodes_of(step))]
        if any("Dataset" in kind and _GROUPED.search(kind) for kind in kinds):
            raise Other
    return dataset


@contextmanager
def _seeds(seed: int) -> Iterator[None]:
    """Fixes the draws of what is built meanwhile, in graphs and in functions. Raises Other."""
    import tensorflow as tf
    from tensorflow.python.framework import op_def_registry  # no public spelling

    create, shuffle, apply = (
        tf.Graph._create_op_internal,
        tf.data.Dataset.shuffle,
        tf.data.Dataset.map,
    )
    given: set[tuple[bool, int, int]] = set()
    numbers: Counter[bool] = Counter()

    def created(
        graph: Any, op_type: str, inputs: Any, dtypes: Any = None, input_types: Any = None,
        name: Any = None, attrs: Any = None, op_def: Any = None, *more: Any, **named: Any,
    ) -> Any:  # fmt: skip
        if row_of(op_type).seeded and attrs and "seed2" in attrs:
            is_list = op_type == "RandomShuffle"
            mine = is_list, attrs["seed"].i, attrs["seed2"].i
            if any(mine[1:]) and mine in given:
                raise Other  # such ops draw alike
            given.add(mine)
            numbers[is_list] += 1
            attrs["seed"].i, attrs["seed2"].i = seed, numbers[is_list] + _LISTS * is_list
        elif op_type in _IN_ORDER:
            op_type = _IN_ORDER[op_type]
            op_def = op_def_registry.get(op_type)
            attrs = {k: v for k, v in attrs.items() if k in {a.name for a in op_def.attr}}
        return create(
            graph, op_type, inputs, dtypes, input_types, name, attrs, op_def, *more, **named
        )

    tf.Graph._create_op_internal = created
    tf.data.Dataset.shuffle = lambda self, *args, **kwargs: _ungrouped(self)
    tf.data.Dataset.map = lambda self, function, *args, **kwargs: apply(self, function)
    try:
        yield
    finally:
        tf.Graph._create_op_internal = create
        tf.data.Dataset.shuffle, tf.data.Dataset.map = shuffle, apply
