"""What a TF1 program finds in `import queueio.v1 as tf`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.processes import python

ROOT = Path(__file__).resolve().parents[2]

FACTS = """
import json, sys, types, warnings

sys.modules["tf_slim"] = sys.modules["tensorflow_estimator"] = None  # as not installed
before = "tensorflow" in sys.modules
import queueio.v1 as tf
from queueio.v1 import app, flags, gfile, logging
import queueio
from queueio import io, train
import numpy as np

facts = {}


def fact(name):
    def note(function):
        try:
            facts[name] = function()
        except Exception as error:
            facts[name] = f"{type(error).__name__}: {error}"
    return note


@fact("eager")
def _(): return tf.executing_eagerly()
@fact("resource variables")
def _(): return tf.resource_variables_enabled()
@fact("variable dtype is a reference")
def _(): return tf.Variable(1.0).dtype._is_ref_dtype
@fact("control flow v2")
def _(): return tf.control_flow_v2_enabled()
@fact("dimension")
def _(): return tf.placeholder(tf.float32, [None, 3]).shape[1].value
@fact("unknown dimension")
def _(): return tf.placeholder(tf.float32, [None, 3]).get_shape()[0].value
@fact("compat.v1 is tf")
def _(): return tf.compat.v1 is tf and tf.compat.v1.compat.v1 is tf
@fact("compat.v2")
def _(): return tf.compat.v2.__name__
@fact("versions")
def _(): return [type(tf.__version__).__name__, tf.__git_version__ == tf.GIT_VERSION,
                 tf.VERSION == tf.__version__, bool(tf.__compiler_version__)]
@fact("the from-imports are the attributes")
def _(): return [app is tf.app, flags is tf.flags, gfile is tf.gfile, logging is tf.logging]
@fact("tf.flags keeps its names")
def _():
    tf.flags.DEFINE_integer("batch_size", 32, "")
    tf.app.flags.DEFINE_string("path", "x", "")
    FLAGS = tf.flags.FLAGS
    FLAGS(["program", "--batch_size=4"])
    return [FLAGS.batch_size, FLAGS.__flags["path"].value, "DEFINE_string" in vars(tf.flags),
            FLAGS.flag_values_dict()["batch_size"]]
@fact("flags as before 1.5")
def _():
    FLAGS = tf.flags.FLAGS
    sys.argv[1:] = ["--batch_size=9"]
    FLAGS._parse_flags()
    tf.flags.DEFINE_integer("defined_later", 1, "")
    return [FLAGS.batch_size, FLAGS.__dict__["__flags"]["batch_size"].value,
            "defined_later" in FLAGS.__dict__["__flags"], sorted(vars(FLAGS))[0]]
@fact("queueio's names in tf.train")
def _(): return [n for n in train.__all__ if n != "queue_runner"
                 and getattr(tf.train, n) is not getattr(train, n)]
@fact("queueio's names in tf.io, tf.queue and on top")
def _(): return [f"{space.__name__}.{n}" for space in (tf, tf.io, tf.queue, tf.image)
                 for n in io.__all__ if getattr(space, n, None) not in (None, getattr(io, n))]
@fact("readers on top")
def _(): return [n for n in ("TextLineReader", "TFRecordReader", "FixedLengthRecordReader",
                             "WholeFileReader", "IdentityReader", "ReaderBase", "FIFOQueue",
                             "RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue",
                             "decode_csv", "decode_raw", "parse_single_example")
                 if getattr(tf, n) is not getattr(io, n)]
@fact("queue_runner namespace")
def _(): return [isinstance(tf.train.queue_runner, types.ModuleType),
                 tf.train.queue_runner.QueueRunner is train.QueueRunner,
                 tf.train.queue_runner.add_queue_runner is train.add_queue_runner,
                 tf.train.queue_runner.start_queue_runners is train.start_queue_runners]
@fact("internal modules")
def _(): return [tf.python.training.queue_runner.QueueRunner is train.QueueRunner,
                 tf.python.training.input.batch is train.batch,
                 tf.python.ops.data_flow_ops.FIFOQueue is tf.FIFOQueue,
                 tf.core.framework.graph_pb2.GraphDef is tf.GraphDef]
@fact("namespaces are modules with names")
def _(): return [isinstance(tf.nn, types.ModuleType), "conv2d" in dir(tf.nn), "train" in dir(tf),
                 "shuffle_batch" in dir(tf.train), "VERSION" in tf.__all__]
@fact("star import")
def _():
    names = {}
    exec("from queueio.v1 import *", names)
    return [names["placeholder"] is tf.placeholder, names["train"] is tf.train]
@fact("half upgraded names")
def _(): return callable(tf.random.set_seed)
@fact("hasattr is honest")
def _(): return [hasattr(tf, "nonsense"), hasattr(tf.train, "nonsense"), hasattr(tf, "mul"),
                 hasattr(tf.train, "batch"), hasattr(tf.contrib, "nonsense")]
@fact("estimator hooks")
def _(): return [tf.estimator.SessionRunHook is tf.train.SessionRunHook,
                 tf.estimator.ModeKeys.PREDICT]
@fact("devices")
def _(): return tf.config.experimental_list_devices()[0]
@fact("local server's job")
def _(): return tf.train.Server.create_local_server(start=False).server_def.job_name
@fact("layers make TF1's variables")
def _():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 8, 8, 1])
        h = tf.layers.conv2d(x, 2, 3, activation=tf.nn.relu)
        h = tf.layers.dense(tf.layers.flatten(tf.layers.max_pooling2d(h, 2, 2)), 4)
        tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(3), tf.reshape(h, [-1, 2, 2]),
                          dtype=tf.float32)
        return [v.name for v in tf.trainable_variables()]
@fact("layers warnings")
def _():
    with warnings.catch_warnings(record=True) as caught, tf.Graph().as_default():
        tf.layers.dense(tf.zeros([1, 2]), 1)
    return [str(w.message) for w in caught if "tf.layers" in str(w.message)]
@fact("nonsense")
def _(): return tf.train.nonsense
@fact("old name")
def _(): return tf.mul(1, 2)
@fact("old concat")
def _(): return tf.concat(0, [[1], [2]])
@fact("old split")
def _(): return tf.split(1, 2, tf.zeros([2, 2]))
@fact("new order")
def _():
    with tf.Session() as s:
        return s.run(tf.split(tf.concat([[1], [2]], 0), 2, 0))[1].tolist()
@fact("contrib")
def _(): return tf.contrib.rnn.static_rnn()
@fact("contrib slim")
def _(): return tf.contrib.slim.nets
@fact("estimator")
def _(): return tf.estimator.Estimator
@fact("keras backend")
def _(): return tf.keras.backend.get_session()
@fact("batch_normalization")
def _(): return tf.layers.batch_normalization
@fact("eager refused no more")
def _(): return tf.train.batch([tf.constant(1)], 2).name

print(json.dumps(facts, default=str))
"""


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One process looks at everything; each test asserts one thing that it saw."""
    program = tmp_path_factory.mktemp("drop_in") / "program.py"
    program.write_text(FACTS)
    done = python(program, cwd=program.parent, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "not supported in the long term" not in done.stderr
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return seen


def has_tf_keras() -> bool:
    from queueio.compat.legacy_keras import is_installed

    return is_installed()


# Refusals: each names the thing, the line of the user's file, and the way out.


@pytest.mark.long
def test_a_name_nobody_ever_had_fails_as_in_python(facts: dict[str, Any]) -> None:
    expected = "AttributeError: module 'tensorflow.train' has no attribute 'nonsense'"
    assert facts["nonsense"] == expected


def test_a_name_renamed_in_tf_1_0_says_its_new_name(facts: dict[str, Any]) -> None:
    assert "tf.mul does not exist" in facts["old name"]
    assert "def _(): return tf.mul(1, 2)" in facts["old name"]
    assert facts["old name"].endswith("Use tf.multiply.")


def test_calls_in_the_order_of_tf_0_say_the_new_form(facts: dict[str, Any]) -> None:
    assert facts["new order"] == [2]
    for name, form in (
        ("concat", "tf.concat(values, axis)"),
        ("split", "tf.split(value, num_or_size_splits, axis)"),
    ):
        text = facts[f"old {name}"]
        assert text.startswith(f"TypeError: tf.{name} is called as before TF 1.0")
        assert "program.py:" in text and form in text


def test_contrib_names_the_whole_thing_the_line_and_the_way_out(facts: dict[str, Any]) -> None:
    text = facts["contrib"]
    assert text.startswith("AttributeError: tf.contrib.rnn.static_rnn does not exist")
    assert "program.py:" in text and "return tf.contrib.rnn.static_rnn()" in text
    assert "tf.nn.static_rnn" in text
    assert "pip install 'tf-queueio[slim]'" in facts["contrib slim"]


def test_estimators_say_what_installs_them(facts: dict[str, Any]) -> None:
    assert "Estimators left TensorFlow with version 2.16" in facts["estimator"]
    assert "pip install 'tf-queueio[estimator]'" in facts["estimator"]


@pytest.mark.skipif(has_tf_keras(), reason="with tf_keras installed these names exist")
def test_keras_2_names_say_how_to_get_keras_2(facts: dict[str, Any]) -> None:
    for name in ("keras backend", "batch_normalization"):
        assert "pip install tf_keras" in facts[name]
        assert "TF_USE_LEGACY_KERAS=1" in facts[name]


def test_hasattr_answers_and_does_not_raise(facts: dict[str, Any]) -> None:
    assert facts["hasattr is honest"] == [False, False, False, True, False]


# What is there.


def test_importing_it_switches_v2_behaviour_off(facts: dict[str, Any]) -> None:
    assert facts["eager"] is False
    assert facts["resource variables"] is False
    assert facts["variable dtype is a reference"] is True
    assert facts["control flow v2"] is False


def test_its_docstring_says_that_it_switches_v2_behaviour_off() -> None:
    text = (ROOT / "queueio" / "v1.py").read_text().split('"""')[1]
    assert "disable_v2_behavior" in text and "whole process" in text


def test_dimensions_have_a_value(facts: dict[str, Any]) -> None:
    assert facts["dimension"] == 3
    assert facts["unknown dimension"] is None


def test_compat_v1_is_the_module_itself(facts: dict[str, Any]) -> None:
    assert facts["compat.v1 is tf"] is True
    assert "v2" in facts["compat.v2"]


def test_versions_are_tensorflows(facts: dict[str, Any]) -> None:
    assert facts["versions"] == ["str", True, True, True]


def test_gfile_flags_app_and_logging_can_be_imported_from_it(facts: dict[str, Any]) -> None:
    assert facts["the from-imports are the attributes"] == [True] * 4
    assert facts["tf.flags keeps its names"] == [4, "x", True, 4]


def test_flags_are_parsed_and_listed_as_files_from_before_1_5_do_it(facts: dict[str, Any]) -> None:
    assert facts["flags as before 1.5"] == [9, 9, True, "__flags"]


def test_every_queue_name_is_queueios_wherever_tf1_had_it(facts: dict[str, Any]) -> None:
    assert facts["queueio's names in tf.train"] == []
    assert facts["queueio's names in tf.io, tf.queue and on top"] == []
    assert facts["readers on top"] == []
    assert facts["queue_runner namespace"] == [True] * 4
    assert facts["internal modules"] == [True] * 4


def test_namespaces_list_their_names(facts: dict[str, Any]) -> None:
    assert facts["namespaces are modules with names"] == [True] * 5
    assert facts["star import"] == [True, True]


def test_names_that_only_tf2_has_serve_half_upgraded_scripts(facts: dict[str, Any]) -> None:
    assert facts["half upgraded names"] is True


def test_aliases_give_what_1_15_gave(facts: dict[str, Any]) -> None:
    # 'infer', 'local' and the device name are what TF 1.15.5 answers.
    assert facts["estimator hooks"] == [True, "infer"]
    assert facts["local server's job"] == "local"
    assert facts["devices"].startswith("/job:localhost/replica:0/task:0/device:CPU:0")


def test_layers_and_cells_make_the_variables_that_1_15_made(facts: dict[str, Any]) -> None:
    # Names printed by TF 1.15.5 for the same lines; old checkpoints depend on them.
    assert facts["layers make TF1's variables"] == [
        "conv2d/kernel:0",
        "conv2d/bias:0",
        "dense/kernel:0",
        "dense/bias:0",
        "rnn/basic_lstm_cell/kernel:0",
        "rnn/basic_lstm_cell/bias:0",
    ]
    assert facts["layers warnings"] == []


def test_queue_functions_work_outside_of_an_explicit_graph(facts: dict[str, Any]) -> None:
    assert facts["eager refused no more"] == "batch:0"


IN_ITS_PLACE = """
import sys
import queueio.v1
sys.modules["tensorflow"] = queueio.v1  # as one gives old modules a drop-in
import tensorflow as tf
import queueio
import tensorflow.compat.v1
assert tf is queueio.v1 and tf.train.Server and tf.layers
names = tf.train.range_input_producer(6, num_epochs=1, shuffle=False)
batch = tf.train.batch([names.dequeue()], 2)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    with queueio.running(sess):
        print(sess.run(batch).tolist())
plan = queueio.lift(batch)
compile(str(plan.to_source()), "source", "exec")
dataset = plan.to_dataset()
print(plan.explain()[:5], tf.keras.__name__)
"""


@pytest.mark.long
def test_in_the_place_of_tensorflow_it_serves_the_program_and_not_the_libraries(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = run_python(IN_ITS_PLACE, timeout=100)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith("[0, 1]\n")
