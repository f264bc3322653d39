"""A whole pipeline as a plan: its last stage, and the structure that the user asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from queueio.plan.node import Node
from queueio.plan.show import show


@dataclass(frozen=True, eq=False)
class Plan:
    """What a queue pipeline delivers, and how; made by `queueio.lift`.

    Raises nothing by itself: whatever could not be translated was refused by the lifter.
    """

    root: Node
    """The last stage: its elements are what one `sess.run` of the fetches gave."""
    structure: Any
    """The fetches' own structure (list, tuple, dict), with positions in `root.elements`."""
    graph: Any = field(repr=False)
    """The graph that it was lifted from; kept alive for its functions, tables and variables."""
    owned: bool = field(default=False, repr=False)
    """Whether no session ever ran that graph: its variables hold their initial values."""
    scope: str | None = field(default=None, repr=False)
    """Of a MetaGraph: the scope that it was imported under, or ""; None for a graph made here."""
    allow: frozenset[str] = field(default=frozenset(), repr=False)
    """Types of ops with an effect that may run, although the graph is not the program's own."""
    values: Any = field(default=None, repr=False)
    """What holds the values of its variables: a session, or a checkpoint's path."""

    @property
    def stages(self) -> Iterator[Node]:
        """All nodes, the last stage first."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.inputs))

    @property
    def element_spec(self) -> Any:
        """The fetches' structure, with a `tf.TypeSpec` for each tensor."""
        import tensorflow as tf

        return tf.nest.map_structure(lambda i: self.root.elements[i], self.structure)

    def to_dataset(
        self, *, vectorise: bool = True, checkpoint: str | None = None, session: Any = None
    ) -> Any:
        """This pipeline in tf.data.

        Args:
          vectorise: whether to work on chunks of examples where that is exact; False gives the
            plain form, one example at a time.
          checkpoint: a checkpoint (its path without `.index`) with the values of the variables
            that the pipeline reads; for a dataset made outside of the pipeline's graph.
          session: the same from a session that holds them.

        Returns:
          A `tf.data.Dataset` that ends where the queues ended. Its elements have the fetches'
          structure (lists as tuples: tf.data has no lists), their dtypes and static shapes.
          Made inside a `tf.Graph` it belongs to that graph, else it is an eager one. tf.data's
          autotuner is off in it, since chunks leave it nothing to tune; `with_options` of yours
          can turn it on.

        Raises:
          NotLifted, NoEquivalent: a part has no tf.data form here; or it reads a variable whose
            value is neither told nor known from the graph.
          ValueError: both a checkpoint and a session are given.
          tf.errors.DataLossError: under `strict`, its files hold bytes that no reader delivers;
            else that is a DataLossWarning.
        """
        from queueio.compile.audited import audit_plan
        from queueio.compile.dataset import to_dataset

        if checkpoint is not None and session is not None:
            raise ValueError(
                "checkpoint and session are both given: which has the values? Give one"
            )
        audit_plan(self)
        told = checkpoint if session is None else session
        plan = self if told is None else replace(self, values=told)
        return to_dataset(plan, vectorise=vectorise)

    def explain(self) -> str:
        """The stages as `print(plan)` shows them, each with its lesson and its tf.data form."""
        from queueio.explain import explain

        return explain(self)

    def __str__(self) -> str:
        return show(self.root)

    def to_source(self, *, style: str = "plain", title: str = "") -> Any:
        """This pipeline as a Python module that needs TensorFlow only.

        Args:
          style: "plain" maps single examples; "fast" shuffles and batches what the reader gives,
            then parses a whole batch in one call, wherever that delivers the same.
          title: the script that the module's docstring names; by default the plan's own.

        Returns:
          A `queueio.emit.module.Module`: `print` it, or `write` it to a file.

        Raises:
          NotLifted, NoEquivalent: a part cannot be written down (a Python function of the
            program, a loop of TF1's control flow).
        """
        from queueio.emit.module import to_source

        return to_source(self, style=style, title=title)
