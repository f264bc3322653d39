"""learn.run_n, run_feeds and ModeKeys: the values are those of TF 1.15.5."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import tensorflow as tf

from queueio import contrib, settings, train

v1 = tf.compat.v1
learn = contrib.learn


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize("engine", ["queue", "data"])
def test_run_n_starts_all_that_its_tensors_need(engine: str) -> None:
    """The values are those of TF 1.15.5."""
    number = train.range_input_producer(limit=5, shuffle=False).dequeue()
    batch = train.batch([tf.range(1, 10)[:number]], batch_size=3, dynamic_pad=True)
    known = contrib.lookup.index_table_from_tensor(tf.constant(["a", "b"]))
    wanted = {"x": batch, "of": [v1.Variable(3), known.lookup(tf.constant("b"))]}
    with settings.override(engine=engine):
        first, second = learn.run_n(wanted, n=2)
    assert first["x"].tolist() == [[0, 0], [1, 0], [1, 2]]
    assert second["x"].tolist() == [[1, 2, 3, 0], [1, 2, 3, 4], [0, 0, 0, 0]]
    assert first["of"] == second["of"] == [3, 1]
    fed = v1.placeholder(tf.int32, [])
    assert learn.run_feeds({"twice": fed * 2}, [{fed: 1}, {fed: 5}]) == [
        {"twice": 2},
        {"twice": 10},
    ]
    assert not [t.name for t in threading.enumerate() if "QueueRunner" in t.name]


def test_run_n_ends_with_its_input_and_begins_with_a_checkpoint(tmp_path: Path) -> None:
    number = train.range_input_producer(2, num_epochs=1, shuffle=False).dequeue()
    with pytest.raises(tf.errors.OutOfRangeError):
        learn.run_n({"number": number}, n=5)
    assert learn.run_n({"number": number}, n=2) == [{"number": 0}, {"number": 1}]
    assert learn.run_n({"number": number}, n=0) == []
    seven = v1.Variable(7)
    with v1.Session() as sess:
        sess.run(v1.global_variables_initializer())
        sess.run(seven.assign(9))
        saved = v1.train.Saver().save(sess, str(tmp_path / "model"))
    assert learn.run_n({"v": seven}) == [{"v": 7}]
    assert learn.run_n({"v": seven}, restore_checkpoint_path=saved) == [{"v": 9}]
    with pytest.raises(ValueError, match=r"output_dict is invalid: \{\}"):
        learn.run_n({})


def test_the_modes_of_learn_are_its_own() -> None:
    """Those of TF 1.15.5; `tf.estimator.ModeKeys` calls the third PREDICT."""
    assert (learn.ModeKeys.TRAIN, learn.ModeKeys.EVAL, learn.ModeKeys.INFER) == (
        "train",
        "eval",
        "infer",
    )
