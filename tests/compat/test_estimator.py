"""An Estimator of the package tensorflow_estimator trains and evaluates on queues."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from queueio.compat import missing
from queueio.compat.estimators import NEEDS_KERAS_2
from queueio.compat.rows import fitting
from tests.processes import python
from tests.v1.test_names import recorded_names

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow_estimator") is None,
    reason="tensorflow_estimator is not installed",
)
PROGRAM = Path(__file__).parent / "estimator_program.py"


@pytest.mark.long
@pytest.mark.parametrize("engine", ["queue", "data"])
def test_an_estimator_trains_and_evaluates_every_example(engine: str, tmp_path: Path) -> None:
    rows = np.random.default_rng(0).random(200).astype(np.float32)
    (tmp_path / "a.csv").write_text("".join(f"{a},{3 * a}\n" for a in rows))
    strict = ("--strict",) if engine == "data" else ()
    run = ("-m", "queueio", "run", "--engine", engine, *strict, str(PROGRAM), "a.csv")
    done = python(*run, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["global_step"] == np.ceil(10 * 200 / 32)
    assert np.isclose(told["w"], 3, atol=0.1)
    # The evaluation has a pipeline of the same name, and a checkpoint that training wrote at the
    # end of its files: it reads all of them all the same. Batches differ by one; so do means.
    assert np.isclose(told["a"], rows.mean(), rtol=1e-5)
    assert np.isclose(told["label"], 3 * rows.mean(), rtol=1e-5)
    assert "Leave train_distribute" in told["strategy"]


FILES = """
import numpy as np
import tensorflow as tf
from tensorflow.python.estimator import model_fn, run_config
from tensorflow.python.estimator.estimator import Estimator
from tensorflow.python.estimator.inputs import inputs, numpy_io
from tensorflow.python.estimator.inputs.queues import feeding_functions

assert Estimator is tf.estimator.Estimator and run_config.RunConfig is tf.estimator.RunConfig
assert model_fn.EstimatorSpec is tf.estimator.EstimatorSpec
assert numpy_io.numpy_input_fn is inputs.numpy_input_fn is tf.estimator.inputs.numpy_input_fn
read = numpy_io.numpy_input_fn(np.arange(6), batch_size=4, shuffle=False, num_epochs=1)
queue = feeding_functions._enqueue_data(np.arange(5), 10, num_epochs=1)
batches = read(), queue.dequeue_up_to(3)[1]
with tf.train.MonitoredSession() as session:
    while not session.should_stop():
        print([part.tolist() for part in session.run(batches)])
"""


WITHOUT = """
from importlib.machinery import PathFinder

found = PathFinder.find_spec
PathFinder.find_spec = lambda name, *more: (
    None if name.startswith("tensorflow_estimator") else found(name, *more)
)
from queueio.cli import main

main(["run", "script.py"])
"""


@pytest.mark.parametrize("engine", ["queue", "data"])
def test_a_script_imports_from_the_files_below_tensorflow_python(
    engine: str, tmp_path: Path
) -> None:
    (tmp_path / "script.py").write_text(FILES)
    run = ("-m", "queueio", "run", "--engine", engine, "script.py")
    done = python(*run, cwd=tmp_path, timeout=60)
    # As TF 1.15.5 prints it.
    wanted = ["[[0, 1, 2, 3], [0, 1, 2]]", "[[4, 5], [3, 4]]"]
    assert done.stdout.splitlines() == wanted, done.stderr[-2000:]


def test_without_the_package_these_files_say_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(FILES)
    done = python("-c", WITHOUT, cwd=tmp_path, timeout=60)
    assert "pip install 'tf-queueio[estimator]'" in done.stderr.splitlines()[-1]


NAMES = """
import json, sys
sys.modules["tf_keras"] = None  # as not installed; a module set to None is found by find_spec
import queueio.compat.legacy_keras as legacy_keras
legacy_keras.is_installed = lambda: False
import queueio.v1 as tf

told = {}
for dotted in sys.argv[1:]:
    value = tf
    try:
        for part in dotted.split("."):
            value = getattr(value, part)
        told[dotted] = None
    except AttributeError as error:
        told[dotted] = str(error)
head = type("Own", (tf.estimator.Head,), {})  # the class that all heads derive from is there
print(json.dumps(told))
"""


def test_with_the_package_its_names_are_there_or_say_that_they_need_keras_2(
    tmp_path: Path,
) -> None:
    names = [name for name in recorded_names() if name.startswith("estimator.")]
    done = python("-c", NAMES, *names, cwd=tmp_path, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    gone = {name for name, text in told.items() if text is not None}
    canned = {name for name in names if fitting(NEEDS_KERAS_2, name)}
    trees = {name for name in names if ".BoostedTrees" in name}
    assert len(names) > 80 and len(canned) == 18 and len(trees) == 3
    assert gone == canned | trees
    for name in canned:
        assert "this is made of Keras 2" in told[name]
        assert "pip install tf_keras" in told[name] and "model_fn of your own" in told[name]


def test_a_name_that_the_package_never_had_is_not_promised_from_it(tmp_path: Path) -> None:
    done = python("-c", NAMES, "estimator.dnn_logit_fn_builder", cwd=tmp_path, timeout=60)
    (said,) = json.loads(done.stdout.splitlines()[-1]).values()
    assert said == "module 'tensorflow.estimator' has no attribute 'dnn_logit_fn_builder'"


def test_a_row_of_the_guide_says_what_is_there_and_where() -> None:
    text = missing.markdown()
    lacking, _, rest = text.partition("There with the package `tensorflow_estimator`")
    assert "`tf.estimator.inputs`" not in lacking and "`tf.estimator.inputs`" in rest
    assert "missing without it" in rest.splitlines()[0]
