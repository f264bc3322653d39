"""tf_slim, as released, runs under queueio."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from tests.processes import python

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("tf_slim") is None, reason="the package tf_slim is not installed"
)
PROGRAM = Path(__file__).parent / "slim_program.py"
TRAIN = """
import tensorflow as tf
import tensorflow.contrib.slim as slim
from tensorflow.contrib.framework.python.ops import add_arg_scope, arg_scope
from tensorflow.contrib.slim.nets import vgg

rows = tf.train.range_input_producer(64).dequeue()
a = tf.cast(rows, tf.float32) / 64
x, y = tf.train.batch([tf.stack([a]), 3 * a], 16)
with arg_scope([slim.fully_connected], weights_regularizer=slim.l2_regularizer(1e-6)):
    found = slim.fully_connected(x, 1, activation_fn=None)
slim.losses.mean_squared_error(tf.squeeze(found, 1), y)
step = slim.learning.create_train_op(slim.losses.get_total_loss(), tf.train.AdamOptimizer(0.1))
print("loss", slim.learning.train(step, "log", number_of_steps=150), vgg.vgg_a.__name__)
"""


@pytest.mark.long
def test_its_own_data_tests_pass(tmp_path: Path) -> None:
    done = python("-m", "queueio", "run", str(PROGRAM), cwd=tmp_path, timeout=200)
    ran = re.search(r"Ran (\d+) tests.*\n\nOK \(skipped=(\d+)\)", done.stderr)
    assert ran, done.stderr[-3000:]
    assert int(ran[1]) - int(ran[2]) == 55


@pytest.mark.long
@pytest.mark.parametrize("engine", ["queue", "data"])
def test_a_training_script_of_slims_trains_unchanged(engine: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    strict = ("--strict",) if engine == "data" else ()
    run = ("-m", "queueio", "run", "--engine", engine, *strict, "train.py")
    done = python(*run, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    told = re.search(r"loss (\S+) vgg_a", done.stdout)
    assert told and float(told[1]) < 0.5
