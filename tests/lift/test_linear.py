"""Much preprocessing is lifted and traced op by op: no step goes over all of it for each op."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

import queueio

v1 = tf.compat.v1


def long_pipeline(ops: int) -> Any:
    number = v1.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    one = tf.constant(1)
    for _ in range(ops):
        number = number + one
    return v1.train.batch([number], 2)


def nodes(dataset: Any) -> int:
    """How many nodes the functions of a dataset hold together."""
    with tf.init_scope():
        graph = tf.compat.v1.GraphDef()
        graph.ParseFromString(tf.raw_ops.DatasetToGraphV2(
            input_dataset=dataset._variant_tensor, external_state_policy=1).numpy())  # fmt: skip
    return sum(len(function.node_def) for function in graph.library.function)


@pytest.mark.long
def test_twice_the_ops_are_twice_the_nodes_and_the_numbers_are_right() -> None:
    found = []
    for count in (500, 1000):
        dataset = queueio.lift(lambda count=count: long_pipeline(count)).to_dataset()
        assert [b.tolist() for b in dataset.as_numpy_iterator()] == [
            [count, count + 1],
            [count + 2, count + 3],
        ]
        found.append(nodes(dataset))
    more = found[1] - found[0]
    assert 500 <= more <= 4 * 500, "a chunk, and single examples where a chunk fails: before, after"


def test_our_own_code_is_not_rewritten_by_autograph(monkeypatch: Any) -> None:
    from tensorflow.python.autograph.impl import api

    rewritten: list[str] = []
    stock = api._convert_actual

    def convert(entity: Any, context: Any) -> Any:
        rewritten.append(f"{entity.__module__}.{entity.__qualname__}")
        return stock(entity, context)

    monkeypatch.setattr(api, "_convert_actual", convert)
    queueio.lift(lambda: long_pipeline(3)).to_dataset()
    assert not [name for name in rewritten if name.startswith("queueio.compile.vectorise")]
    assert not [name for name in rewritten if name.startswith("queueio.compile.rules")]
