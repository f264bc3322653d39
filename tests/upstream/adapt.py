"""Rewrites the imports of one of upstream's test files, so that it tests `queueio.v1`."""

from __future__ import annotations

import re

FILES = (
    "tensorflow/python/training/input_test.py",
    "tensorflow/python/training/coordinator_test.py",
    "tensorflow/python/training/queue_runner_test.py",
    "tensorflow/python/kernel_tests/reader_ops_test.py",
    "tensorflow/contrib/input_pipeline/python/ops/input_pipeline_ops_test.py",
    "tensorflow/contrib/learn/python/learn/learn_io/generator_io_test.py",
    "tensorflow/contrib/learn/python/learn/learn_io/graph_io_test.py",
    "tensorflow/contrib/slim/python/slim/data/dataset_data_provider_test.py",
    "tensorflow/contrib/slim/python/slim/data/parallel_reader_test.py",
    "tensorflow/contrib/slim/python/slim/data/prefetch_queue_test.py",
    "tensorflow/contrib/slim/python/slim/data/tfexample_decoder_test.py",
    "tensorflow/contrib/timeseries/python/timeseries/input_pipeline_test.py",
    "tensorflow/contrib/training/python/training/batch_sequences_with_states_test.py",
    "tensorflow/contrib/training/python/training/bucket_ops_test.py",
    "tensorflow/contrib/training/python/training/hparam_test.py",
    "tensorflow/contrib/training/python/training/resample_test.py",
    "tensorflow/contrib/training/python/training/sampling_ops_test.py",
    "tensorflow/contrib/training/python/training/sampling_ops_threading_test.py",
    "tensorflow/contrib/training/python/training/sequence_queueing_state_saver_test.py",
    "tensorflow/contrib/training/python/training/feeding_queue_runner_test.py",
    # Of the repository tensorflow/estimator, r1.15, put into the same folder.
    "tensorflow_estimator/python/estimator/inputs/numpy_io_test.py",
    "tensorflow_estimator/python/estimator/inputs/pandas_io_test.py",
    "tensorflow_estimator/python/estimator/inputs/queues/feeding_functions_test.py",
    "tensorflow_estimator/python/estimator/inputs/queues/feeding_queue_runner_test.py",
)

# TensorFlow's internal modules, and where a user of TF1 finds the names that the tests take.
_PUBLIC = {
    "_enqueue_data": "tf.contrib.learn.feeding_functions._enqueue_data",
    "array_ops": "tf",
    "bucket_ops": "tf.contrib.training",
    "compat": "tf.compat",
    "config_pb2": "tf",
    "constant_op": "types.SimpleNamespace(constant=tf.constant)",
    "control_flow_ops": "tf",
    "coordinator": "tf.train",
    "data_flow_ops": "tf",
    "dataset": "tf.contrib.slim.dataset",
    "dataset_data_provider": "tf.contrib.slim.dataset_data_provider",
    "dtypes": "tf",
    "errors": "tf.errors",
    "errors_impl": "tf.errors",
    "example_pb2": "tf.train",
    "feature_pb2": "tf.train",
    "feeding_functions": "own.feeding_functions",
    "generator_io": "tf.contrib.learn.io.generator_io",
    "gfile": "own.gfile",
    "graph_io": "own.graph_io",
    "hparam": "own.hparam",
    "image_ops": "tf.image",
    "input": "own",
    "TrainEvalFeatures": "tf.contrib.timeseries.TrainEvalFeatures",
    "input_pipeline": "tf.contrib.timeseries.input_pipeline",
    "input_pipeline_ops": "tf.contrib.input_pipeline.input_pipeline_ops",
    "io_ops": "tf",
    "logging_ops": "types.SimpleNamespace(merge_summary=tf.summary.merge)",
    "math_ops": "tf",
    "monitored_session": "tf.train",
    "numpy_io": "tf.estimator.inputs",
    "ops": "tf",
    "pandas_io": "tf.estimator.inputs",
    "parallel_reader": "tf.contrib.slim.parallel_reader",
    "parsing_ops": "tf",
    "prefetch_queue": "tf.contrib.slim.prefetch_queue",
    "queue_runner_impl": "tf.train",
    "queues": "tf.contrib.slim.queues",
    "random_ops": "tf",
    "random_seed": "tf",
    "resample": "own.resample",
    "sampling_ops": "own.sampling_ops",
    "server_lib": "tf.train",
    "saver": "tf.train",
    "sequence_queueing_state_saver": "own.sequences",
    "session": "tf",
    "sparse_ops": "tf",
    "string_ops": "tf",
    "sparse_tensor": "tf",
    "state_ops": "types.SimpleNamespace(assign=tf.assign, variable_op=own.variable_op)",
    "supervisor": "tf.train",
    "tensor_shape": "types.SimpleNamespace(scalar=lambda: tf.TensorShape([]))",
    "test": "tf.test",
    "tf_logging": "tf.logging",
    "tf_record": "tf.python_io",
    "tfexample_decoder": "tf.contrib.slim.tfexample_decoder",
    "variables": "tf",
}
# Decorators that switch a test to graphs; tables and models, which are not queueio's.
_KEPT = {"test_util", "lookup_ops", "_LinearModel"}
# Modules that stand beside the tests in the checkout.
_BESIDE = {"test_utils": "tensorflow/contrib/slim/python/slim/data/test_utils.py"}
# Modules of one name, by what stands before it: time series' imports all of contrib's models.
_OF_FOLDER = {("contrib.timeseries", "test_utils"): "own.timeseries"}
_IMPORT = re.compile(r"^from tensorflow(?:_estimator)?\.([\w.]+) import (\w+)(?: as (\w+))?$", re.M)
_HEADER = "import types\nimport queueio.v1 as tf\nfrom tests.upstream import own\n"
# Names that Python, NumPy or TensorFlow's TestCase lost since.
_RENAMED = (
    ("import tensorflow as tf\n", ""),  # the header has it
    ("from six.moves import xrange", "xrange = range"),
    ("assertRaisesRegexp(", "assertRaisesRegex("),
    ("assertEquals(", "assertEqual("),
    ("assertItemsEqual(", "assertCountEqual("),
    ("VariableV1(", "Variable("),
    (".tostring()", ".tobytes()"),
    ("np.str)", "np.str_)"),
)


def adapt(source: str, resource_variables: bool) -> str:
    """The text of a test file with other imports.

    Args:
      source: the text of upstream's file.
      resource_variables: whether its variables will be resource variables. The tests expect
        threads that are named after `CountUpTo`, the op of reference variables.

    Raises:
      ValueError: it imports a module whose names nobody told.
    """
    text = _IMPORT.sub(_assigned, source)
    for old, new in _RENAMED:
        text = text.replace(old, new)
    if resource_variables:
        text = text.replace("-CountUpTo", "-ResourceCountUpTo")
        text = text.replace('"VariableV2"', '"VarHandleOp"')
    futures = "".join(re.findall(r"^from __future__ .*\n", text, re.M))
    text = re.sub(r"^from __future__ .*\n", "", text, flags=re.M)
    return futures + _HEADER + text


def _assigned(found: re.Match[str]) -> str:
    folder, module, alias = found.group(1), found.group(2), found.group(3) or found.group(2)
    for (start, name), own in _OF_FOLDER.items():
        if folder.startswith(start) and module == name:
            return f"{alias} = {own}"
    if module in _KEPT:
        return found.group(0)
    if module in _BESIDE:
        return f"{alias} = own.beside({_BESIDE[module]!r})"
    if module not in _PUBLIC:
        raise ValueError(
            f"{found.group(0)!r}: where queueio.v1 has the names of {module!r} is not known."
            " Add it to tests/upstream/adapt.py"
        )
    return f"{alias} = {_PUBLIC[module]}"
