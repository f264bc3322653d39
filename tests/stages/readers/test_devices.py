"""Readers under `tf.device("/gpu:0")` on a machine without a GPU, as TF 1.15.5 ran them."""

from __future__ import annotations

import pytest
import tensorflow as tf

from queueio import io, train

v1 = tf.compat.v1


def first(tensors):
    """What a session with soft placement gets first of a pipeline."""
    with v1.Session(config=v1.ConfigProto(allow_soft_placement=True)) as sess:
        sess.run([v1.local_variables_initializer(), v1.global_variables_initializer()])
        coord = train.Coordinator()
        threads = train.start_queue_runners(sess=sess, coord=coord)
        try:
            return sess.run(tensors)
        finally:
            coord.request_stop()
            coord.join(threads)


@pytest.fixture
def letters(tmp_path):
    path = tmp_path / "letters.txt"
    path.write_text("a\nb\nc\nd\n")
    return str(path)


@pytest.mark.parametrize(("of_names", "of_records"), [("/gpu:0", "/gpu:0"), (None, "/gpu:0")])
def test_a_pipeline_that_is_built_under_a_gpu_is_placed_where_there_is_none(
    letters, of_names, of_records
):
    with tf.Graph().as_default():
        with v1.device(of_names):
            names = train.string_input_producer([letters], num_epochs=1)
        with v1.device(of_records):
            _, line = io.TextLineReader().read(names)
            batch = train.batch([line], 3)
        assert first(batch).tolist() == [b"a", b"b", b"c"]


def test_so_are_the_ops_that_read_several_records_and_ask_the_reader(letters):
    with tf.Graph().as_default(), v1.device("/gpu:0"):
        reader = io.TextLineReader()
        _, lines = reader.read_up_to(train.string_input_producer([letters], num_epochs=1), 3)
        with tf.control_dependencies([lines]):
            told = [reader.num_records_produced(), reader.num_work_units_completed()]
        got, records, files = first([lines, *told])
        with v1.Session(config=v1.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(reader.reset())
    assert (got.tolist(), records, files) == ([b"a", b"b", b"c"], 3, 0)


def test_a_job_and_a_processor_that_are_asked_for_stay_the_readers_own():
    with tf.Graph().as_default(), v1.device("/job:worker/task:1"):
        assert io.TextLineReader().reader_ref.op.device == "/job:worker/task:1"
        with v1.device("/gpu:0"):
            assert io.TextLineReader().reader_ref.op.device == "/job:worker/task:1"
        with v1.device("/cpu:0"):
            asked = io.TextLineReader().reader_ref.op.device
    assert asked == "/job:worker/task:1/device:CPU:0"
