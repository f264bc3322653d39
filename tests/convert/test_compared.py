"""What a converted pipeline is compared with: the script's graph, as the script left it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tensorflow as tf

from queueio import lift
from queueio.compare.findings.case import DIFFERENT, Finding
from queueio.compare.findings.often import UNSEEN
from queueio.compare.sides.graph_side import BuiltSide
from queueio.convert.compared import _outcome


def test_a_graph_that_the_script_finalized_is_run_and_stays_finalized() -> None:
    train = tf.compat.v1.train
    with tf.Graph().as_default() as graph:
        number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        side = BuiltSide("batch", train.batch([number], 3))
    graph.finalize()
    for _ in range(2):
        with side.open() as stream:
            assert [batch.count for batch in stream.batches()] == [3, 3]
    assert graph.finalized


@pytest.mark.parametrize(
    ("code", "epochs", "join", "same"),
    [
        ("how-often", None, True, True),
        (UNSEEN, None, True, True),
        ("not-compared", None, True, False),
        ("how-often", None, False, False),
        ("how-often", 1, True, False),
        ("missing-examples", None, True, False),
    ],
)
def test_how_often_examples_come_is_no_difference_where_endless_producers_are_joined(
    code: str, epochs: int | None, join: bool, same: bool
) -> None:
    """Each thread goes on as fast as it can; no order of turns is the one that TF1 had."""
    train = tf.compat.v1.train
    with tf.Graph().as_default():
        both = [[train.range_input_producer(n, epochs).dequeue()] for n in (3, 5)]
        batch = train.batch_join(both, 2) if join else train.batch(both[0], 2)
        found: Any = SimpleNamespace(name="batch_join", plan=lift(batch))
    side = SimpleNamespace(examples=40)
    result = SimpleNamespace(
        findings=[Finding(code.lower(), DIFFERENT, f"{code}: at random", 8)], old=side, new=side,
        verdict="Different: at random", level=DIFFERENT,
    )  # fmt: skip
    told = _outcome(result, found, Path("input_fn.py"), endless=epochs is None)
    assert told.same is same
    assert ("threads decide" in told.text) is same and ("at random" in told.text) is not same
