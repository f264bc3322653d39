"""A tf.data.Dataset, a Plan, or a function that returns one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from queueio import recorder
from queueio.compare.sides import schema as schemas
from queueio.compare.sides.graph_side import as_batch, iterate_in_graph
from queueio.compare.sides.otherwise import refuse_others
from queueio.compare.sides.seeds import draws, of_dataset, of_graph, seeded_dataset, seeded_graph
from queueio.compare.sides.side import CannotRun, Delivered, End, RunningSide, Side, failed
from queueio.graph.error_text import readable
from queueio.graph.own_session import own_session


def numpy_of(dataset: Any) -> Iterator[Any]:
    """The elements as numpy values; sparse and ragged ones stay so.

    Of tf.data's own iterator sparse ones come filled, and ragged ones as arrays of arrays.
    """
    import tensorflow as tf

    parted = (tf.SparseTensorSpec, tf.RaggedTensorSpec)
    if not any(isinstance(s, parted) for s in tf.nest.flatten(dataset.element_spec)):
        yield from dataset.as_numpy_iterator()
        return
    for element in dataset:
        yield tf.nest.map_structure(_numpy, element)


def _numpy(value: Any) -> Any:
    if hasattr(value, "dense_shape"):
        parts = value.indices, value.values, value.dense_shape
        return recorder.Sparse(*(part.numpy() for part in parts))
    if hasattr(value, "row_splits"):
        return recorder.Ragged(_numpy(value.values), value.row_splits.numpy())
    return value.numpy()


def _without_tuner(dataset: Any) -> Any:
    """The dataset without tf.data's tuner, for whose thread the end of an iteration may wait.

    It looks after the iteration in turns that double, up to a minute, and may miss that it ended.
    """
    import tensorflow as tf

    options = tf.data.Options()
    options.autotune.enabled = False
    return dataset.with_options(options)


def _is_eager(dataset: Any) -> bool:
    return not hasattr(dataset._variant_tensor, "graph")


class Runs:
    """Runs of one dataset by one iterator, each from where the last one ended.

    A new iterator would set up all functions of the dataset anew, which takes longer than a short
    run. The end of a run shows when the next one begins, so that its first element is held.
    """

    def __init__(self, dataset: Any) -> None:
        self._numbered = numpy_of(dataset.enumerate().repeat())
        self._held: list[Any] = []
        self.between = True  # no run is under way

    def run(self) -> Iterator[Any]:
        """The elements of one run."""
        first, self._held, self.between = self._held, [], False
        yield from first
        begun = bool(first)
        for number, element in self._numbered:
            if begun and not number:
                self._held, self.between = [element], True
                return
            begun = True
            yield element


class DatasetStream(RunningSide):
    """An eager iteration over a dataset; `elements` are its numpy values, if it is under way."""

    def __init__(self, dataset: Any, elements: Iterator[Any] | None = None) -> None:
        self.dataset, self.elements = dataset, elements
        self.schema = schemas.from_element_spec(dataset.element_spec)
        self.expected = self._expected()

    def _expected(self) -> int | None:
        """The number of elements, if tf.data knows it, times the batch size, if that is fixed."""
        elements = int(self.dataset.cardinality())
        sizes = {c.shape[0] for c in self.schema.components if c.shape}
        if elements < 0 or (self.schema.batched and None in sizes):
            return None
        return elements * (max(s or 1 for s in sizes) if self.schema.batched and sizes else 1)

    def batches(self) -> Iterator[Delivered]:
        import tensorflow as tf

        iterator = self.elements or numpy_of(self.dataset)
        while True:
            try:
                element = next(iterator)
            except (StopIteration, tf.errors.OutOfRangeError):
                self.end = End("clean")
                return
            except (tf.errors.OpError, ValueError, TypeError) as problem:
                told = readable(problem, tf.Graph())
                self.end = End("error", type(told).__name__, str(told))
                return
            leaves = [leaf for _, leaf in recorder.flatten(element)]
            yield as_batch(leaves, self.schema.batched)


class DatasetSide(Side):
    """Iterates a dataset; a function is called anew for each run, but for a first one if `made`."""

    kind = "dataset"

    def __init__(
        self, label: str, make: Callable[[], Any], plan: Any = None, made: Any = None
    ) -> None:
        super().__init__(label)
        self.make, self.plan = make, plan
        self._made = made
        self._runs: Runs | None = None
        self._same: Any = None

    @property
    def unbounded(self) -> bool:  # type: ignore[override]
        import tensorflow as tf

        if self.plan is not None and self.plan.endless:
            return True  # its dataset, made by chunks, does not know its own length
        self._made = self._dataset()
        if not _is_eager(self._made):
            return False
        return bool(self._made.cardinality() == tf.data.INFINITE_CARDINALITY)

    def _dataset(self) -> Any:
        made, self._made = self._made, None
        if made is not None:
            return made
        try:
            return self.make()
        except CannotRun:
            raise
        except Exception as problem:  # a function may do so in a later call only
            raise failed(self.label, problem) from problem

    @contextmanager
    def open(self, more: bool = False, same: bool = False) -> Iterator[RunningSide]:
        import tensorflow as tf

        if same and self._same is None:
            self._same = self._dataset()
        dataset = self._same if same else self._dataset()
        refuse_others(self.label, dataset.element_spec)
        if _is_eager(dataset):
            stream = DatasetStream(dataset, self._elements(dataset, same) if more else None)
            graph = getattr(self.plan, "graph", None)  # a compiled dataset hides its functions
            stream.seeds = of_dataset(dataset) if graph is None else of_graph(graph)
            stream.seeded = seeded_dataset(dataset) if graph is None else seeded_graph(graph)
            stream.draws = graph is not None or draws(dataset)
            yield stream
            return
        # Made under version 1's behaviour, the dataset lives in a graph and wants a session.
        from queueio.compare.sides.graph_side import GraphStream, close

        graph = dataset._variant_tensor.graph
        session = own_session(graph)
        try:
            with graph.as_default():  # not while it runs: the other side may be built meanwhile
                fetches = iterate_in_graph(dataset, self.label)
                session.run(tf.compat.v1.tables_initializer())
            running = GraphStream(session, fetches, None)
        except BaseException:
            session.close()
            raise
        try:
            yield running
        finally:
            close(session, running)

    def _elements(self, dataset: Any, same: bool) -> Iterator[Any]:
        """The next run of a dataset that is always the `same`, as a plan's is, or the only one."""
        if not same and self.plan is None:
            return numpy_of(_without_tuner(dataset))
        if self._runs is None or not self._runs.between:
            self._runs = Runs(_without_tuner(dataset))
        return self._runs.run()

    def rest(self) -> None:
        self._runs = self._same = None
