"""A session that is told how to rewrite its graph gives the floats that it gave with queues."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import rewriter_config_pb2

import queueio
from queueio import train
from tests.data_engine.test_decision import drained

v1 = tf.compat.v1
_OFF = rewriter_config_pb2.RewriterConfig.OFF
_TOLD = {
    "nothing": {},
    "one iteration": {"meta_optimizer_iterations": rewriter_config_pb2.RewriterConfig.ONE},
    "no arithmetic": {"arithmetic_optimization": _OFF, "constant_folding": _OFF},
    "no rewrites": {"disable_meta_optimizer": True},
}
_SHORT = [("no arithmetic", False), ("no rewrites", True)]


def _config(told: str) -> Any:
    config = v1.ConfigProto()
    for name, value in _TOLD[told].items():
        setattr(config.graph_options.rewrite_options, name, value)
    return config


def _batch(own_queue: bool, floats: bool) -> Any:
    number = train.range_input_producer(512, num_epochs=1, shuffle=False).dequeue()
    if floats:
        number = tf.cast(number, tf.float32) / 255.0 - 0.1 - 0.3
    if not own_queue:
        return train.batch([number], 64)
    queue = tf.queue.FIFOQueue(64, [number.dtype], [[]])
    train.add_queue_runner(train.QueueRunner(queue, [queue.enqueue([number])]))
    return queue.dequeue_many(64)


def _given(engine: str, told: str, own_queue: bool, floats: bool = True) -> bytes:
    with tf.Graph().as_default(), queueio.engine(engine):
        batch = _batch(own_queue, floats)
        with v1.Session(config=_config(told)) as session:
            session.run(v1.local_variables_initializer())
            with queueio.running(session):
                return np.concatenate(drained(session, batch)).tobytes()


_CASES = [
    pytest.param(told, own, marks=[] if (told, own) in _SHORT else pytest.mark.long)
    for told in _TOLD
    for own in (False, True)
]


@pytest.mark.parametrize(("told", "own_queue"), _CASES)
def test_both_engines_give_the_same_bits_whatever_a_session_is_told(
    told: str, own_queue: bool
) -> None:
    otherwise = told.startswith("no ")
    warned = pytest.warns(queueio.FallbackWarning, match="rewrite_options")
    with warned if otherwise else contextlib.nullcontext():
        by_data = _given("data", told, own_queue)
    assert by_data == _given("queue", told, own_queue)
    assert (by_data != _given("queue", "nothing", own_queue)) == otherwise


def test_what_computes_no_floats_is_made_by_tf_data_whatever_a_session_is_told(
    recwarn: Any,
) -> None:
    assert len(_given("data", "no rewrites", own_queue=False, floats=False)) == 4 * 512
    assert not [w for w in recwarn if issubclass(w.category, queueio.FallbackWarning)]
