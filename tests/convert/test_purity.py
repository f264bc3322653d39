"""What a script takes from a module counts as fixed only where it is known to be so in each run."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from queueio.convert.purity import is_known, is_outside, reads_the_world, tells_the_time
from queueio.convert.source import Script

VARYING = """
    tf.Session tf.compat.v1.Session tf.InteractiveSession tf.get_default_session
    tf.train.MonitoredTrainingSession tf.train.Supervisor tf.train.SessionManager
    tf.train.global_step tf.train.load_variable tf.train.NewCheckpointReader
    tf.python.client.session.Session tf.contrib.slim.learning.train tf.keras.backend.get_value
    tf.get_collection tf.global_variables tf.contrib.framework.get_variables
    tf.saved_model.loader.load tf.saved_model.loader.maybe_saved_model_directory
    tf.gfile.GFile tf.io.gfile.exists tf.python.platform.gfile.Exists tf.io.tf_record_iterator
    tf.app.flags.FLAGS tf.test.is_gpu_available tf.config.experimental.list_physical_devices
    tf.compat.forward_compatible tf.resource_loader.load_resource tf.contrib.learn.datasets.mnist
    tf._nobody_thought_of tf.train.nobody_thought_of tf.contrib.nobody_thought_of
    np.load np.memmap np.lib.format.open_memmap np.lib.npyio.load np.DataSource np.rec.fromfile
    np.random.rand np.datetime64 np.busday_count np.is_busday np.get_include
    np.nobody_thought_of os.path.exists os.path.abspath os.path.realpath os.path.relpath
    os.path.expanduser os.path.getmtime os.path.samefile os.path.nobody_thought_of
    os.getcwd os.environ os.cpu_count sys.argv sys.path time.time random.random json.load
    six.moves.input six.moves.urllib.request helper.value
"""
FIXED = """
    tf.constant tf.string tf.string_split tf.image.resize_images tf.nn.relu tf.train.batch
    tf.compat.v1.train.shuffle_batch tf.train.Example tf.train.Features tf.train.Coordinator
    tf.contrib.slim.tfexample_decoder.Tensor tf.contrib.training.bucket
    tf.contrib.training.python.training.bucket_ops.bucket tf.contrib.learn.ModeKeys.TRAIN
    tf.contrib.learn.read_batch_examples tf.contrib.layers.one_hot_encoding
    tf.io.decode_csv tf.io.FixedLenFeature tf.io.TFRecordOptions tf.logging.info
    tf.python.framework.dtypes.float32 tf.python.ops.array_ops.reshape tf.estimator.ModeKeys.EVAL
    tf.compat.as_bytes tf.GraphKeys.QUEUE_RUNNERS tf.errors.OutOfRangeError tf.__version__
    np.array np.float32 np.linalg.norm np.lib.stride_tricks.as_strided np.pi np.save np.newaxis
    os.path.join os.path.basename os.path.dirname os.path.splitext os.path.normpath os.sep
    sys.maxsize math.pi json.loads six.moves.xrange six.iteritems collections.OrderedDict
"""
MODULES = {"tf": "tensorflow", "np": "numpy"}


def asked(name: str) -> bool:
    module, *parts = name.split(".")
    return reads_the_world(MODULES.get(module, module), parts)


@pytest.mark.parametrize("name", VARYING.split())
def test_what_may_be_another_in_the_next_run_is_not_fixed(name: str) -> None:
    assert asked(name)


@pytest.mark.parametrize("name", FIXED.split())
def test_what_ordinary_scripts_compute_with_is_fixed(name: str) -> None:
    assert not asked(name)


@pytest.mark.parametrize("name", ["dir", "open", "globals", "hash", "id", "input", "nosuch"])
def test_a_builtin_that_tells_of_the_process_is_not_fixed(name: str) -> None:
    assert not is_known(name)


@pytest.mark.parametrize("name", ["len", "sorted", "ValueError", "object", "__name__", "getattr"])
def test_a_builtin_of_its_arguments_is_fixed(name: str) -> None:
    assert is_known(name)


@pytest.mark.parametrize(
    ("text", "tells"),
    [("M8[D]", True), ("<M8[s]", True), ("datetime64", True), ("M", False), ("today", False)],
)
def test_a_dtype_for_which_today_is_a_date_is_not_fixed(text: str, tells: bool) -> None:
    assert tells_the_time(ast.Constant(text)) == tells


@pytest.mark.parametrize(
    ("line", "varies"),
    [
        ("k = getattr(os, 'getpid')()", True),
        ("k = getattr(os, name)", True),
        ("k = helper(os)", True),
        ("k = [os.path]", True),
        ("k = getattr(os, 'sep')", False),
        ("k = hasattr(os, 'sep')", False),
        ("path = os.path", False),
        ("path = os.path\npath = None", True),
    ],
)
def test_a_module_that_is_handed_on_is_fixed_where_it_is_seen_what_is_taken(
    line: str, varies: bool, tmp_path: Path
) -> None:
    (tmp_path / "script.py").write_text(f"import os\n{line}\n")
    source = Script(str(tmp_path / "script.py"))
    names = [n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == "os"]
    node: ast.expr = names[0]
    parts: list[str] = []
    while isinstance(above := source.above[node], ast.Attribute):
        node, parts = above, [*parts, above.attr]
    assert is_outside(node, "os", parts, source) == varies
