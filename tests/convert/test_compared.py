"""What a converted pipeline is compared with: the script's graph, as the script left it."""

from __future__ import annotations

import tensorflow as tf

from queueio.compare.sides.graph_side import BuiltSide


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
