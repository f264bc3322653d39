"""Ops are added to the graphs of datasets as TensorFlow adds them, with what is around, and errors.

That whole graphs are the same as TensorFlow's is shown with those of the golden pipelines, in
tests/data_engine/test_kept_datasets.py.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf
from tensorflow.python.framework import op_def_library

from queueio.compile.kernels.op_building import FunctionGraph, PlainGraph, building

v1, ops = tf.compat.v1, tf.raw_ops
Build = Callable[[tf.Tensor, tf.Tensor], Any]


def waiting(x: tf.Tensor, y: tf.Tensor) -> Any:
    with tf.control_dependencies([x]):
        return tf.identity(y)


def on_a_device(x: tf.Tensor, y: tf.Tensor) -> Any:
    with tf.device("/CPU:0"):
        return x + 1


def beside(x: tf.Tensor, y: tf.Tensor) -> Any:
    with v1.colocate_with(x):
        return tf.negative(x)


def in_scopes(x: tf.Tensor, y: tf.Tensor) -> Any:
    with tf.name_scope("a"):
        first = ops.Neg(x=x, name="b")
    with tf.name_scope("a"):
        return first, ops.Neg(x=x, name="b"), ops.Neg(x=x, name="c/"), ops.Pow(x=x, y=2.0)


def lists(x: tf.Tensor, y: tf.Tensor) -> Any:
    parts = ops.Split(axis=0, value=tf.concat([x, x], 0), num_split=2)
    return (
        ops.Pack(values=[x, [1.0], *parts]),
        ops.IdentityN(input=[x, y, 3]),
        tf.concat([y, [1]], 0),
    )


def by_default(x: tf.Tensor, y: tf.Tensor) -> Any:
    empty = tf.reshape(x, [])
    return empty, tf.reshape(x, tf.constant([1], tf.int64)), ops.Sum(input=[[1], [2]], axis=[])


def branches(x: tf.Tensor, y: tf.Tensor) -> Any:
    chosen = tf.cond(tf.reduce_sum(x) > 0, lambda: x + 1, lambda: x - 1)
    return chosen, tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, s + x), (0, x))


BUILDS = (waiting, on_a_device, beside, in_scopes, lists, by_default, branches)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("kind", ["function", "plain"])
def test_what_is_around_an_op_counts_as_in_tensorflows_graphs(build: Build, kind: str) -> None:
    def texts(graph: Any) -> list[str]:
        x, y = v1.placeholder(tf.float32, [1]), v1.placeholder(tf.int32, [1])
        build(x, y)
        return sorted(str(node) for node in graph.as_graph_def().node)

    with building(FunctionGraph("f") if kind == "function" else PlainGraph()):
        ours = texts(v1.get_default_graph())
    with (tf.__internal__.FuncGraph("f") if kind == "function" else tf.Graph()).as_default():
        theirs = texts(v1.get_default_graph())
    assert [_settled(text) for text in ours] == [_settled(text) for text in theirs]


def _settled(text: str) -> str:
    """Without the numbers that TensorFlow gives to functions, and to what is tried once more."""
    return re.sub(r"_\d+", "", text)


WRONG: tuple[Build, ...] = (
    lambda x, y: ops.AddV2(x=x, y=y),
    lambda x, y: ops.AddV2(x=x, y="a"),
    lambda x, y: ops.MatMul(a=x, b=x),
    lambda x, y: ops.Pack(values=[x, y]),
    lambda x, y: ops.Pack(values=[]),
    lambda x, y: ops.Pack(values=x),
    lambda x, y: ops.BitwiseAnd(x=x, y=x),
    lambda x, y: ops.DecodeRaw(bytes=x, out_type=tf.int32),
    lambda x, y: ops.DecodeRaw(bytes="ab", out_type=tf.string),
    lambda x, y: ops.Cast(x=x, DstT="no type"),
    lambda x, y: ops.ExpandDims(input=x, axis=7),
    lambda x, y: ops.Squeeze(input=x, axis=["a"]),
    lambda x, y: ops.ConcatV2(values=[x], axis=0),
    lambda x, y: ops.DecodeJpeg(contents="a", channels="many"),
    lambda x, y: ops.Unpack(value=x, num=-1),
)


@pytest.mark.parametrize("build", WRONG)
def test_errors_are_those_of_tensorflow(build: Build) -> None:
    def error(graph: Any) -> tuple[Any, ...]:
        x, y = v1.placeholder(tf.float32, [1]), v1.placeholder(tf.int32, [1])
        with pytest.raises((TypeError, ValueError)) as told:
            build(x, y)
        return type(told.value), _settled(str(told.value))

    with building(FunctionGraph("f")) as _:
        ours = error(v1.get_default_graph())
    with tf.__internal__.FuncGraph("f").as_default():
        theirs = error(v1.get_default_graph())
    assert ours == theirs


def test_tensors_of_another_graph_are_refused_by_plain_graphs() -> None:
    with tf.Graph().as_default():
        elsewhere = v1.placeholder(tf.float32, [1])
    with building(PlainGraph()):
        here = v1.placeholder(tf.float32, [1])
        with pytest.raises(ValueError, match="same graph"):
            ops.AddV2(x=here, y=elsewhere)


def test_tensorflow_adds_ops_itself_once_nothing_is_built() -> None:
    stock = op_def_library._apply_op_helper
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with building(FunctionGraph("other")):
            entered.set()
            leave.wait(60)

    with building(FunctionGraph("f")):
        thread = threading.Thread(target=other)
        thread.start()
        entered.wait(60)
        assert op_def_library._apply_op_helper is not stock
    with tf.Graph().as_default():  # of another thread's, meanwhile
        assert tf.constant(1.0) + tf.constant(2.0) is not None
    leave.set()
    thread.join()
    assert op_def_library._apply_op_helper is stock
