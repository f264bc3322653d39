"""What a stage may ask for when it writes itself: the steps of its stream, and what they need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from queueio.emit.spelling.code import Code
from queueio.emit.steps.buckets import inner, write_buckets
from queueio.emit.steps.counted import write_counted
from queueio.emit.steps.lines import Lines
from queueio.emit.steps.rows import write_rows
from queueio.emit.steps.seeds import seed_for
from queueio.emit.steps.transform import write_by_turns, write_transform
from queueio.plan.node import Node

AUTOTUNE = "tf.data.AUTOTUNE"


@dataclass
class Writer(Lines):
    """The module in the making.

    A stage's `to_source(writer, wanted)` asks for what it is made from (`upstream`), adds its
    steps (`start`, `step`), and returns the variable that holds its dataset. `wanted` is the
    structure that the elements of that dataset shall have, with positions of components.
    """

    def upstream(self, node: Node, wanted: Any) -> str:
        """The variable that holds the dataset of an input."""
        return node.to_source(self, wanted)

    def rows(self, node: Any, wanted: Any) -> str:
        """The beginning of a stream; see steps/rows.py."""
        return write_rows(self, node, wanted)

    def counted(self, node: Any, wanted: Any) -> str:
        """The numbers of a counter; see steps/counted.py."""
        return write_counted(self, node, wanted)

    def transform(self, node: Any, wanted: Any) -> str:
        """The map over a node's fragment; see steps/transform.py."""
        return write_transform(self, node, wanted)

    def by_turns(
        self, node: Any, transforms: Sequence[Any], wanted: Any, notes: Sequence[str]
    ) -> str:
        """The map that gives each element one of several transforms; see steps/transform.py."""
        return write_by_turns(self, node, transforms, wanted, notes)

    def buckets(self, node: Any, taken: Sequence[int], wanted: Any) -> str:
        """Batches of one bucket each; see steps/buckets.py."""
        self.pads(node.batches.examples)
        stream = self.upstream(node.input, (inner(taken), len(node.input.elements) - 1))
        return write_buckets(self, node, stream, taken, wanted)

    def seed(self, node: Node) -> Code:
        """The argument for the seed of a stage that shuffles; see steps/seeds.py."""
        return seed_for(self, node)
