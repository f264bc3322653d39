"""A function that builds tensors in a graph: a queue pipeline, or an iterator's get_next()."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from queueio import recorder
from queueio.compare.sides import behaviour, seeds
from queueio.compare.sides import schema as schemas
from queueio.compare.sides.otherwise import refuse_others, returned
from queueio.compare.sides.side import (
    CannotRun,
    Delivered,
    End,
    RunningSide,
    Side,
    called,
    failed,
    said,
)
from queueio.graph.error_text import readable
from queueio.graph.own_session import own_session

STALL_MILLISECONDS = 60_000
_SCOPE = "queueio_compare/"
_SEEDS = ("seed", "seed2")


class GraphStream(RunningSide):
    """Session.run of the fetched tensors, again and again."""

    def __init__(self, session: Any, fetches: Any, coordinator: Any) -> None:
        self.session, self.coordinator = session, coordinator
        self.tensors = [tensor for _, tensor in recorder.flatten(fetches)]
        self.schema = schemas.from_tensors(fetches)
        self.promised_pool = _promised_pool(session.graph)
        self.seeds = seeds.of_graph(session.graph)
        self.seeded = seeds.seeded_graph(session.graph)

    def batches(self) -> Iterator[Delivered]:
        import tensorflow as tf

        step = self.session.make_callable(self.tensors, accept_options=True)
        options = tf.compat.v1.RunOptions(timeout_in_ms=STALL_MILLISECONDS)
        while True:
            try:
                got = step(options=options)
            except tf.errors.OutOfRangeError:
                self.end = self._end_of_input()
                return
            except tf.errors.DeadlineExceededError as problem:
                self.end = End("stalled", type(problem).__name__, str(problem))
                return
            except (tf.errors.OpError, ValueError, TypeError) as problem:
                hidden: Any = recorder.hidden_error(self.coordinator) or problem
                hidden = readable(hidden, self.session.graph)
                self.end = End("error", type(hidden).__name__, str(hidden))
                return
            yield as_batch(got, self.schema.batched)

    def _end_of_input(self) -> End:
        """Tells the end of the input from a runner's error, which closes the queue likewise."""
        hidden: Any = recorder.hidden_error(self.coordinator)
        if hidden is None:
            return End("clean")
        return End("error", type(hidden).__name__, str(hidden))


def _promised_pool(graph: Any) -> int | None:
    """The least that a shuffle queue of the graph mixes, from its min_after_dequeue; 0 where the
    queues of the graph shuffle no records, though threads may race; None if that is not known."""
    from queueio.graph.traversal import is_queue

    ops = graph.get_operations()
    queues = [op for op in ops if op.type.startswith("RandomShuffleQueue")]
    if queues:
        return 1 + max(int(op.get_attr("min_after_dequeue")) for op in queues)
    return 0 if any(map(is_queue, ops)) and not _shuffles_records(ops) else None


def _shuffles_records(ops: list[Any]) -> bool:
    """Whether an op shuffles anything but the names of files of many records."""
    from queueio.forensics.records import file_kind_of
    from queueio.forensics.sources import name_tensors, reader_of
    from queueio.graph.traversal import ancestors, is_read

    reads = [op for op in ops if is_read(op) and not file_kind_of(reader_of(op)).one_each]
    names = ancestors(tensor for read in reads for tensor in name_tensors(read))
    return not {op for op in ops if op.type == "RandomShuffle"} <= set(names)


def as_batch(values: Any, batched: bool) -> Delivered:
    """A batch from the fetched values of one step."""
    arrays = [v if recorder.kind_of(v) != "dense" else recorder.as_array(v) for v in values]
    if not batched:
        arrays = [recorder.as_one_row(v) for v in arrays]
    return Delivered(recorder.rows_of(arrays[0]), arrays)


def _drawing_anew(graph: Any) -> list[tuple[Any, int]]:
    """Gives ops that are built already another seed; see `seeds.drawing_anew`.

    Returns:
      The ops with the seeds that they had, to be set again once their session is closed.
    """
    found = [op for op in graph.get_operations() if "seed2" in op.node_def.attr]
    before = [(op, op.get_attr("seed2")) for op in found if any(map(op.get_attr, _SEEDS))]
    for op, _ in before:
        _set_seed(op, seeds.drawn_seed())
    return before


def _set_seed(op: Any, seed: int) -> None:
    from tensorflow.core.framework import attr_value_pb2

    op._set_attr("seed2", attr_value_pb2.AttrValue(i=seed))


class GraphSide(Side):
    """Runs a graph-building function in its own tf.Graph, with a session and queue runners."""

    kind = "graph"

    def __init__(
        self, label: str, function: Callable[..., Any], epochs: int | None,
        allow: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        super().__init__(label)
        self.function, self.epochs, self.allow = function, epochs, allow

    @functools.cached_property
    def unbounded(self) -> bool:  # type: ignore[override]
        """Asked of the plan: a graph with no plan may end, for all that is known."""
        plan = plan_of(self)
        return plan is not None and bool(plan.endless)

    @contextmanager
    def open(self, more: bool = False, same: bool = False) -> Iterator[RunningSide]:
        from queueio.runtime.diagnosis.queues import opened

        # The graph is the default one only while it is built: the other side runs meanwhile.
        with self.graph().as_default() as graph, behaviour.of(self.function):
            with seeds.drawing_anew() if same else nullcontext():
                fetches = self.build()
            seeded = _drawing_anew(graph) if same else []
            session = own_session(graph)
            try:
                with opened(graph, _SCOPE):  # a script may have finalized it
                    initialised(session)
                coordinator, threads = _start(session)
                stream = GraphStream(session, fetches, coordinator)
            except Exception as problem:
                session.close()
                raise CannotRun(f"{self.label} cannot start: {said(problem)}") from problem
        try:
            yield stream
        finally:
            _stop(coordinator, threads)
            close(session, stream)
            for op, seed in seeded:
                _set_seed(op, seed)

    def graph(self) -> Any:
        """The graph to build in: a new one for each run."""
        import tensorflow as tf

        return tf.Graph()

    def build(self) -> Any:
        """The tensors to fetch, built in the default graph. Raises CannotRun."""
        with behaviour.of(self.function):
            try:
                fetches = called(self.function, self.epochs)
            except Exception as problem:
                raise failed(self.label, problem) from problem
            fetches = iterate_in_graph(fetches, self.label)
        check_effects(fetches, self.label, self.allow)
        return fetches


class BuiltSide(GraphSide):
    """Tensors of a graph that is built already; each run has a session of its own."""

    def __init__(self, label: str, fetches: Any) -> None:
        super().__init__(label, lambda: fetches, None)
        self._graph = recorder.flatten(fetches)[0][1].graph

    def graph(self) -> Any:
        return self._graph


def plan_of(side: Any) -> Any:
    """The plan of a side: its own, or the one lifted from its graph; None if there is none."""
    plan = getattr(side, "plan", None)
    if plan is not None or side.kind != "graph":
        return plan
    import tensorflow as tf

    try:
        from queueio import lift

        with tf.Graph().as_default():
            return lift(side.build(), allow=side.allow)  # type: ignore[operator, unused-ignore]
    except Exception:
        return None


def close(session: Any, stream: RunningSide) -> None:
    """Closes the session: that of a side that hangs waits for it, and is left to do so."""
    if stream.end.kind == "stalled":
        threading.Thread(target=session.close, name="queueio-close", daemon=True).start()
    else:
        session.close()


def initialised(session: Any) -> None:
    """Runs the initialisers of the default graph's variables and tables."""
    import tensorflow as tf

    v1 = tf.compat.v1
    session.run([v1.local_variables_initializer(), v1.global_variables_initializer()])
    session.run(v1.tables_initializer())


def check_effects(fetches: Any, label: str, allow: frozenset[str]) -> None:
    """Refuses to run imported ops that act on the world outside of the graph.

    Raises:
      CannotRun: which ops, where they were made, and what they do.
    """
    from queueio.graph.traversal import ancestors
    from queueio.graph.trust import Trust, objections

    found = list(objections(ancestors(_run_by_a_side(fetches)), Trust(allow=allow)))
    if found:
        raise CannotRun(f"{label} would run what a graph from elsewhere holds. {'; '.join(found)}."
                        " If you know it and want that, name the types of ops in allow=[...]"
                        " (--allow on the command line).")  # fmt: skip


def _run_by_a_side(fetches: Any) -> set[Any]:
    """The ops that a side runs: the fetches', the queue runners', the initialisers."""
    import tensorflow as tf

    from queueio.graph.runners import collected

    keys = tf.compat.v1.GraphKeys
    runs = [tensor for _, tensor in recorder.flatten(fetches)]
    graph = _op_of(runs[0]).graph
    for runner in collected(graph):
        runs += [*runner.enqueue_ops, runner.close_op]
    runs += graph.get_collection(keys.TABLE_INITIALIZERS)
    for key in (keys.GLOBAL_VARIABLES, keys.LOCAL_VARIABLES):
        runs += [variable.initializer for variable in graph.get_collection(key)]
    return {_op_of(each) for each in runs if each is not None}


def _op_of(item: Any) -> Any:
    """The op of a tensor, of a sparse one, or of an op."""
    import tensorflow as tf

    return getattr(item.values if isinstance(item, tf.SparseTensor) else item, "op", item)


def iterate_in_graph(fetches: Any, label: str) -> Any:
    """The tensors to fetch; those of a dataset through an iterator, initialised with the tables."""
    import tensorflow as tf

    v1 = tf.compat.v1
    if isinstance(fetches, (tf.data.Dataset, v1.data.Dataset)):
        refuse_others(label, fetches.element_spec)
        iterator = v1.data.make_initializable_iterator(fetches)
        v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        return iterator.get_next()
    leaves = [leaf for _, leaf in recorder.flatten(fetches)] if fetches is not None else []
    wrong = [leaf for leaf in leaves if not hasattr(leaf, "dtype") or not hasattr(leaf, "graph")]
    if not leaves or wrong:
        raise returned(label, fetches, leaves, wrong)
    refuse_others(label, fetches)
    return fetches


def _start(session: Any) -> tuple[Any, Any]:
    """A coordinator and the started threads; queueio's own end without polling."""
    import tensorflow as tf

    v1 = tf.compat.v1
    try:
        from queueio.runtime.threads.coordinator import Coordinator
        from queueio.runtime.threads.start import start_queue_runners
    except ImportError:
        return _start_stock(session)
    coordinator = Coordinator()
    if not session.graph.get_collection(v1.GraphKeys.QUEUE_RUNNERS):
        return coordinator, []  # an iterator needs no runners
    return coordinator, start_queue_runners(session, coordinator)


def _start_stock(session: Any) -> tuple[Any, Any]:
    import tensorflow as tf

    train = tf.compat.v1.train
    coordinator = train.Coordinator()
    return coordinator, train.start_queue_runners(session, coordinator)


def _stop(coordinator: Any, threads: Any) -> None:
    """Stops the runners; what they report now was already kept as the stream's end."""
    coordinator.request_stop()
    try:
        coordinator.join(threads, stop_grace_period_secs=5)
    except Exception:
        return
