"""The parameters of every public function and method that queueio promises to keep."""

from __future__ import annotations

import inspect
import threading
from typing import Any

TRAIN = [
    "match_filenames_once",
    "limit_epochs",
    "input_producer",
    "string_input_producer",
    "range_input_producer",
    "slice_input_producer",
    "batch",
    "maybe_batch",
    "batch_join",
    "maybe_batch_join",
    "shuffle_batch",
    "maybe_shuffle_batch",
    "shuffle_batch_join",
    "maybe_shuffle_batch_join",
    "add_queue_runner",
    "start_queue_runners",
]
TRAIN_CLASSES = ["Coordinator", "LooperThread", "QueueRunner"]
DECODERS = [
    "decode_csv",
    "decode_raw",
    "decode_compressed",
    "decode_json_example",
    "parse_single_example",
    "parse_example",
    "parse_single_sequence_example",
    "parse_tensor",
]
IMAGES = ["decode_jpeg", "decode_png", "decode_image", "decode_gif", "decode_bmp"]
CLASSES = [
    "ReaderBase",
    "TextLineReader",
    "TFRecordReader",
    "FixedLengthRecordReader",
    "WholeFileReader",
    "IdentityReader",
    "LMDBReader",
    "QueueBase",
    "FIFOQueue",
    "RandomShuffleQueue",
    "PaddingFIFOQueue",
    "PriorityQueue",
]
# Below tf.contrib: functions, and classes with their methods.
CONTRIB = [
    "input_pipeline.obtain_next",
    "learn.extract_pandas_data",
    "learn.extract_pandas_labels",
    "learn.extract_pandas_matrix",
    "learn.io.generator_input_fn",
    "learn.io.numpy_input_fn",
    "learn.io.pandas_input_fn",
    "learn.io.queue_parsed_features",
    "learn.read_batch_examples",
    "learn.read_batch_features",
    "learn.read_batch_record_features",
    "learn.read_keyed_batch_examples",
    "learn.read_keyed_batch_examples_shared_queue",
    "learn.read_keyed_batch_features",
    "learn.read_keyed_batch_features_shared_queue",
    "slim.parallel_reader.get_data_files",
    "slim.parallel_reader.parallel_read",
    "slim.parallel_reader.single_pass_read",
    "slim.prefetch_queue.prefetch_queue",
    "slim.queues.QueueRunners",
    "training.bucket",
    "training.bucket_by_sequence_length",
    "training.rejection_sample",
    "training.resample_at_rate",
    "training.stratified_sample",
    "training.weighted_resample",
]
CONTRIB_CLASSES = [
    "slim.data_decoder.DataDecoder",
    "slim.data_provider.DataProvider",
    "slim.dataset.Dataset",
    "slim.dataset_data_provider.DatasetDataProvider",
    "slim.parallel_reader.ParallelReader",
    "slim.tfexample_decoder.BackupHandler",
    "slim.tfexample_decoder.BoundingBox",
    "slim.tfexample_decoder.Image",
    "slim.tfexample_decoder.ItemHandler",
    "slim.tfexample_decoder.ItemHandlerCallback",
    "slim.tfexample_decoder.LookupTensor",
    "slim.tfexample_decoder.SparseTensor",
    "slim.tfexample_decoder.TFExampleDecoder",
    "slim.tfexample_decoder.Tensor",
]


def parameters(function: Any) -> list[list[Any]]:
    """[name, repr of the default] of each parameter, without `self`."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    found = []
    for p in inspect.signature(function).parameters.values():
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = [] if p.default is p.empty else [repr(p.default)]
        if p.name not in ("self", "cls"):
            found.append([star + p.name] + default)
    return found


def methods(cls: Any) -> list[tuple[str, Any]]:
    """The public methods of a class and its constructor."""
    python = dir(threading.Thread) if issubclass(cls, threading.Thread) else []
    public = [name for name in dir(cls) if not name.startswith("_") and name not in python]
    found = [("__init__", cls.__init__)] + [(name, getattr(cls, name)) for name in public]
    return [(name, f) for name, f in found if callable(f) and not inspect.isclass(f)]


def below(owner: Any, dotted: str) -> Any:
    for name in dotted.split("."):
        owner = getattr(owner, name)
    return owner


def signatures(tf: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in TRAIN:
        found["train." + name] = parameters(getattr(tf.train, name))
    for name in DECODERS:
        found[name] = parameters(getattr(tf, name))
    for name in IMAGES:
        found["image." + name] = parameters(getattr(tf.image, name))
    for name in CONTRIB:
        found["contrib." + name] = parameters(below(tf.contrib, name))
    for name in CONTRIB_CLASSES:
        for method, function in methods(below(tf.contrib, name)):
            found[f"contrib.{name}.{method}"] = parameters(function)
    owners = [("train.", tf.train, TRAIN_CLASSES), ("", tf, CLASSES)]
    for prefix, owner, names in owners:
        for name in names:
            for method, function in methods(getattr(owner, name)):
                found[f"{prefix}{name}.{method}"] = parameters(function)
    return found
