"""What the table says of op types, held against TensorFlow's registry of all of them."""

from __future__ import annotations

import re
from typing import Any

import pytest
import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session

from queueio.graph.traits import TRAITS, UNKNOWN, Effect, State, row_of, traits_of

v1 = tf.compat.v1


@pytest.fixture(scope="module")
def registered() -> dict[str, Any]:
    """Every op type of this TensorFlow, those that Python cannot call included."""
    found = op_def_pb2.OpList()
    found.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    return {op.name: op for op in found.op}


def test_every_op_that_tensorflow_calls_stateful_is_in_the_table(
    registered: dict[str, Any],
) -> None:
    assert {name for name, op in registered.items() if op.is_stateful} <= set(TRAITS)


def test_the_table_holds_no_op_that_there_is_not(registered: dict[str, Any]) -> None:
    assert set(TRAITS) <= set(registered)


def test_an_op_whose_name_speaks_of_files_sockets_or_python_has_an_effect(
    registered: dict[str, Any],
) -> None:
    """A second list, by names: what TensorFlow does not call stateful is found as well."""
    speaks = re.compile("Write|Save|Dump|Py|Rpc|Service|Remote|Send|Debug|Abort|SummaryWriter|ToTF")
    harmless = re.compile(
        r"TensorArrayWrite|DebugGradient|DebugNumericSummaryV2|Polymorphic|CopyFrom|DeleteRpc|"
        r"BoostedTreesExampleDebug|ResourceScatter|Copy"
    )
    named = {name for name in registered if speaks.search(name) and not harmless.search(name)}
    assert len(named) > 40
    assert not {name for name in named if name not in TRAITS or TRAITS[name].effect is None}


def test_an_op_that_takes_a_handle_reads_or_changes_what_is_behind_it(
    registered: dict[str, Any],
) -> None:
    """But for what lives no longer than a run, datasets, and what has an effect anyway."""
    lives_for_a_run = re.compile("TensorArray|Stack|TemporaryVariable|Dataset|RefIn|TwoRefsIn")
    for name, op in registered.items():
        takes = any(arg.is_ref or arg.type == tf.resource for arg in op.input_arg)
        if takes and not lives_for_a_run.search(name):
            row = TRAITS[name]
            assert row.effect or row.state in (State.READS, State.WRITES), name


def test_a_print_into_a_file_writes_it() -> None:
    with tf.Graph().as_default() as graph:
        tf.print("x", name="screen")
        tf.print("x", output_stream="file:///dev/null", name="file")
        ops = [op for op in graph.get_operations() if op.type == "PrintV2"]
    assert [traits_of(op).effect for op in ops] == [Effect.PRINTS, Effect.WRITES_FILES]


def test_an_op_that_nobody_has_heard_of_may_do_anything() -> None:
    assert row_of("FromSomeLibrary") is UNKNOWN
    assert row_of("MatMul").effect is None, "registered, and not as stateful"


def test_what_reads_the_world_is_told_from_what_the_graph_holds() -> None:
    with tf.Graph().as_default():
        file, folder = tf.io.read_file("x").op, tf.io.matching_files("*").op
        assert [traits_of(op).reads for op in (file, folder)] == ["a file", "a folder"]
        assert traits_of(tf.constant(1).op).reads is None
