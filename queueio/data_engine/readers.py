"""Ops that ask a reader how far it has come: tf.data reads the files without the reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from queueio.graph.index import Evaluator
from queueio.graph.refusal import refuse
from queueio.graph.traversal import is_read, root
from queueio.lift.state import users_of


def asks(evaluators: Iterable[Evaluator]) -> Iterator[Any]:
    """The ops that tell or set the state of a reader that `evaluators` read with."""
    points = [point for evaluator in evaluators for point in evaluator.points]
    readers = {root(p.inputs[0]).op for p in points if is_read(p)}
    for reader in sorted(readers, key=lambda op: str(op.name)):
        for user in users_of(reader):
            if user.type.startswith("Reader") and not is_read(user):
                yield user


def check_unasked(evaluators: Iterable[Evaluator]) -> None:
    """Refuses a pipeline of whose readers the graph asks more than their records.

    Raises:
      NotLifted: which op asks.
    """
    for op in asks(evaluators):
        reader = root(op.inputs[0]).op
        raise refuse(
            op,
            f"it asks the reader {reader.name!r} itself, which stands still where tf.data reads the"
            " files",
            "Count the batches in the training step, and leave this op out",
        )
