"""A whole pipeline: its last stage, and the structure that the user asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from queueio.plan.node import Node
from queueio.plan.show import show


@dataclass(frozen=True, eq=False)
class PlanTree:
    """What a queue pipeline delivers, and how: data. Its verbs are `queueio.lifted.Plan`'s.

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
    def resumes(self) -> bool:
        """Whether where it stands can be written down, and taken up again by the same pipeline."""
        return all(node.resumes and not _hands_out(node) for node in self.stages)

    @property
    def endless(self) -> bool:
        """Whether it is known never to end by itself: what it begins with is evaluated for ever,
        no op counts, and none may end a stream."""
        from queueio.graph.bodies import ending_ops

        stages = list(self.stages)
        begins = [stage for stage in stages if not stage.inputs]
        if not all(stage.evaluates for stage in begins) or any(s.counts_with for s in stages):
            return False
        return not any(ending_ops(part.ops) for stage in stages for part in stage.fragments)

    @property
    def state(self) -> set[Any]:
        """The ops of the variables and tables whose values it reads while it runs."""
        fragments = (fragment for node in self.stages for fragment in node.fragments)
        return {tensor.op for fragment in fragments for tensor in fragment.captures}

    @property
    def element_spec(self) -> Any:
        """The fetches' structure, with a `tf.TypeSpec` for each tensor."""
        import tensorflow as tf

        return tf.nest.map_structure(lambda i: self.root.elements[i], self.structure)

    def __str__(self) -> str:
        return show(self.root)


def _hands_out(node: Node) -> bool:
    """Whether a Python function of a stage gives data that it does not make of what it is given."""
    from queueio.graph.traits import Effect, row_of
    from queueio.graph.traversal import ancestors

    for fragment in node.fragments:
        given = {tensor.op for tensor in fragment.inputs}
        for op in fragment.ops:
            python = row_of(op.type).effect is Effect.RUNS_PYTHON
            if python and given.isdisjoint(ancestors([op])):
                return True
    return False
