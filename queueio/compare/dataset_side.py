"""A tf.data.Dataset, a Plan, or a function that returns one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from queueio.compare import schema as schemas
from queueio.compare.graph_side import as_batch, iterate_in_graph
from queueio.compare.seeds import of_dataset, of_graph
from queueio.compare.side import Batch, CannotRun, End, Side, Stream


class DatasetStream(Stream):
    """An eager iteration over a dataset."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self.schema = schemas.from_element_spec(dataset.element_spec)
        self.expected = self._expected()

    def _expected(self) -> int | None:
        """The number of elements, if tf.data knows it, times the batch size, if that is fixed."""
        elements = int(self.dataset.cardinality())
        sizes = {c.shape[0] for c in self.schema.components if c.shape}
        if elements < 0 or (self.schema.batched and None in sizes):
            return None
        return elements * (max(s or 1 for s in sizes) if self.schema.batched and sizes else 1)

    def batches(self) -> Iterator[Batch]:
        import tensorflow as tf

        from queueio import recorder

        iterator = self.dataset.as_numpy_iterator()
        while True:
            try:
                element = next(iterator)
            except (StopIteration, tf.errors.OutOfRangeError):
                self.end = End("clean")
                return
            except (tf.errors.OpError, ValueError, TypeError) as problem:
                self.end = End("error", type(problem).__name__, str(problem))
                return
            leaves = [leaf for _, leaf in recorder.flatten(element)]
            yield as_batch(leaves, self.schema.batched)


class DatasetSide(Side):
    """Iterates a dataset; a function is called anew for each run."""

    kind = "dataset"

    def __init__(self, label: str, make: Callable[[], Any], plan: Any = None) -> None:
        super().__init__(label)
        self.make, self.plan = make, plan

    @property
    def unbounded(self) -> bool:  # type: ignore[override]
        import tensorflow as tf

        dataset = self.make()
        if not tf.executing_eagerly():
            return False
        return bool(dataset.cardinality() == tf.data.INFINITE_CARDINALITY)

    @contextmanager
    def open(self) -> Iterator[Stream]:
        import tensorflow as tf

        dataset = self.make()
        if tf.executing_eagerly():
            stream = DatasetStream(dataset)
            graph = getattr(self.plan, "graph", None)  # a compiled dataset hides its functions
            stream.seeds = of_dataset(dataset) if graph is None else of_graph(graph)
            yield stream
            return
        # Version 1 behaviour is on: the dataset lives in a graph and wants a session.
        from queueio.compare.graph_side import GraphStream

        graph = dataset._variant_tensor.graph
        with graph.as_default(), tf.compat.v1.Session(graph=graph) as session:
            fetches = iterate_in_graph(dataset, self.label)
            session.run(tf.compat.v1.tables_initializer())
            yield GraphStream(session, fetches, None)


def not_a_dataset(label: str, got: Any) -> CannotRun:
    """The refusal of a value that is no side."""
    return CannotRun(
        f"{label} is {type(got).__name__}, which cannot be compared: give a function that builds "
        "a queue pipeline, a Plan, a tf.data.Dataset, 'script.py:name' or a recording."
    )
