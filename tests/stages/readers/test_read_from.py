"""What a reader takes the names of its files from."""

from __future__ import annotations

import pytest
import tensorflow as tf
from google.protobuf import text_format

from queueio import io, train
from queueio.forensics.traps import check_queue


@pytest.mark.parametrize("given", ["a.csv", ["a.csv"]])
def test_a_name_where_a_queue_of_names_is_wanted_gets_the_line_that_makes_one(given):
    with tf.Graph().as_default(), pytest.raises(AttributeError) as raised:
        io.TextLineReader().read(given)
    assert f"'{type(given).__name__}' object has no attribute 'queue_ref'" in str(raised.value)
    assert "right: reader.read(tf.train.string_input_producer(['a.csv']))" in str(raised.value)


@pytest.mark.parametrize("given", [None, 5])
def test_what_is_no_name_is_not_put_into_the_line_that_is_right(given):
    with tf.Graph().as_default(), pytest.raises(AttributeError) as raised:
        io.TextLineReader().read(given)
    assert "right: reader.read(tf.train.string_input_producer(names))" in str(raised.value)


@pytest.mark.parametrize(
    ("make", "right"),
    [
        (lambda: tf.constant("a.csv"), "tf.train.string_input_producer(names)"),
        (lambda: train.string_input_producer(["a.csv"]).dequeue(), "queue"),
    ],
    ids=["names", "taken"],
)
def test_a_tensor_of_names_is_told_from_the_queue_of_them(make, right):
    with tf.Graph().as_default(), pytest.raises(TypeError, match="type string that") as raised:
        io.TextLineReader().read(make())
    assert f"right: reader.read({right})" in str(raised.value)


def test_a_handle_of_a_queue_of_old_is_no_name():
    handle = """node { name: "q" op: "FIFOQueue" attr { key: "component_types" value { list { type:
      DT_STRING } } } }"""
    proto = text_format.Parse(handle, tf.compat.v1.GraphDef())
    with tf.Graph().as_default():
        (queue,) = tf.import_graph_def(proto, return_elements=["q:0"], name="")
        check_queue(queue)
