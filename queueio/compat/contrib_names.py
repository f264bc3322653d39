"""What of `tf.contrib` is had from elsewhere: from tf_slim where it is installed, or from `tf`.

queueio's own modules under `queueio/contrib/` come first, then `NAMES`, then `LIBRARIES`.
"""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType
from typing import Any

INSTALL = "pip install 'tf-queueio[slim]'"
LIBRARIES: dict[str, tuple[str, ...]] = {
    "slim": ("tf_slim",),
    "layers": ("tf_slim.layers", "tf_slim.layers.utils"),
    "framework": ("tf_slim.ops.arg_scope", "tf_slim.ops.variables", "tf_slim.ops.framework_ops"),
    "losses": ("tf_slim.losses",),
    "metrics": ("tf_slim.metrics",),
    "training": ("tf_slim.training.training", "tf_slim.training.evaluation"),
}
"""The modules of tf_slim that have the names of each part of tf.contrib."""

_V1 = "tensorflow.compat.v1"
_LOOKUP = "tensorflow.python.ops.lookup_ops"
_DATA = f"{_V1}.data.experimental"


def _all(module: str, names: str) -> dict[str, str]:
    return {name: f"{module}:{name}" for name in names.split()}


NAMES: dict[str, dict[str, str]] = {
    "framework": {
        **_all(
            f"{_V1}.train",
            "assert_global_step create_global_step get_global_step get_or_create_global_step",
        ),
        **_all(f"{_V1}.debugging", "assert_same_float_dtype assert_scalar"),
        **_all(_V1, "TensorSpec argsort is_tensor sort"),
        **_all("tensorflow.python.framework.smart_cond", "smart_case smart_cond"),
        "convert_to_tensor_or_sparse_tensor": f"{_V1}:convert_to_tensor_or_sparse_tensor",
        "RecordInput": "tensorflow.python.ops.data_flow_ops:RecordInput",
        "nest": f"{_V1}:nest",
        "smart_constant_value": "tensorflow.python.framework.smart_cond:smart_constant_value",
    },
    "metrics": {
        "confusion_matrix": f"{_V1}:confusion_matrix",
        "set_difference": f"{_V1}.sets:difference",
        "set_intersection": f"{_V1}.sets:intersection",
        "set_size": f"{_V1}.sets:size",
        "set_union": f"{_V1}.sets:union",
    },
    "lookup": {
        **_all(
            _LOOKUP,
            "FastHashSpec HasherSpec IdTableWithHashBuckets InitializableLookupTableBase"
            " KeyValueTensorInitializer LookupInterface MutableHashTable StrongHashSpec"
            " TableInitializerBase TextFileIdTableInitializer TextFileIndex TextFileInitializer"
            " TextFileStringTableInitializer index_table_from_file index_to_string_table_from_file",
        ),
        "MutableDenseHashTable": f"{_LOOKUP}:DenseHashTable",
        "string_to_index_table_from_file": f"{_LOOKUP}:index_table_from_file",
    },
    "signal": _all(
        f"{_V1}.signal",
        "frame hamming_window hann_window inverse_stft inverse_stft_window_fn"
        " linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms overlap_and_add stft",
    ),
    "staging": {"StagingArea": "tensorflow.python.ops.data_flow_ops:StagingArea"},
    "util": {
        **_all(_V1, "make_ndarray make_tensor_proto"),
        **_all(
            "tensorflow.python.framework.meta_graph",
            "ops_used_by_graph_def stripped_op_list_for_graph",
        ),
        "constant_value": f"{_V1}:get_static_value",
    },
    "data": {
        **_all(
            _DATA,
            "AUTOTUNE Counter CsvDataset Optional RandomDataset Reducer"
            " SqlDataset TFRecordWriter bucket_by_sequence_length choose_from_datasets"
            " copy_to_device dense_to_sparse_batch enumerate_dataset get_next_as_optional"
            " get_single_element group_by_reducer group_by_window ignore_errors"
            " make_batched_features_dataset make_csv_dataset make_saveable_from_iterator"
            " map_and_batch parallel_interleave parse_example_dataset prefetch_to_device"
            " rejection_resample sample_from_datasets scan shuffle_and_repeat unbatch unique",
        ),
        **_all(
            f"{_V1}.data",
            "Dataset FixedLengthRecordDataset Iterator TFRecordDataset TextLineDataset",
        ),
    },
}
"""Names that moved to a public or internal place of TensorFlow's: where they are."""
OWN: dict[str, str] = {
    "data": (
        "batch_and_drop_remainder padded_batch_and_drop_remainder read_batch_features"
        " reduce_dataset sliding_window_batch sloppy_interleave"
    ),
    "framework": (
        "init_from_checkpoint list_variables load_checkpoint load_variable"
        " remove_squeezable_dimensions"
    ),
    "image": (
        "angles_to_projective_transforms compose_transforms flat_transforms_to_matrices"
        " matrices_to_flat_transforms rotate transform translate"
        " translations_to_projective_transforms"
    ),
    "layers": (
        "apply_regularization flatten l1_l2_regularizer l1_regularizer l2_regularizer"
        " sum_regularizer variance_scaling_initializer xavier_initializer"
        " xavier_initializer_conv2d"
    ),
    "lookup": (
        "HashTable index_table_from_tensor index_to_string index_to_string_table_from_tensor"
        " string_to_index string_to_index_table_from_tensor"
    ),
    "timeseries": (
        "CSVReader NumpyReader RandomWindowInputFn TFExampleReader TrainEvalFeatures"
        " WholeDatasetInputFn"
    ),
}
"""Names that queueio makes itself, in queueio/contrib/, with or without tf_slim."""
_ABSENT = object()


def find(room: str, name: str) -> Any:
    """The value of `tf.contrib.<room>.<name>`.

    Args:
      room: such as "slim".
      name: what is asked of it.

    Raises:
      KeyError: neither TensorFlow nor an installed library has it.
    """
    if address := NAMES.get(room, {}).get(name):
        from queueio.compat.serving import resolve

        return resolve(address)
    for library in LIBRARIES.get(room, ()):
        if (value := _of_library(library, name)) is not _ABSENT:
            return value
    raise KeyError(name)


def is_back(dotted: str) -> bool:
    """Whether `tf.contrib.<dotted>` is there without tf_slim: a whole part, or one name of it."""
    room, _, name = dotted.partition(".")
    names = {*NAMES.get(room, ()), *OWN.get(room, "").split()}
    return name in names if name else room in ("data", "lookup", "signal", "staging", "util")


def markdown() -> str:
    """The table of MIGRATION.md: the names of each part that are back, and what needs tf_slim."""
    rows = []
    for room in sorted({*NAMES, *OWN, *LIBRARIES}):
        names = sorted({*NAMES.get(room, ()), *OWN.get(room, "").split()})
        listed = ", ".join(f"`{name}`" for name in names) or "queueio's own stages"
        more = " and ".join(f"`{library}`" for library in LIBRARIES.get(room, ())) or "nothing more"
        rows.append(f"| `tf.contrib.{room}` | {listed} | {more} |")
    head = f"| part | there | with `{INSTALL}` also what is in |"
    return "\n".join([head, "|---|---|---|", *rows]) + "\n"


def is_installed() -> bool:
    """Whether the tf_slim package can be imported."""
    return importlib.util.find_spec("tf_slim") is not None


def _of_library(library: str, name: str) -> Any:
    if not is_installed():
        return _ABSENT
    module = importlib.import_module(library)
    value = getattr(module, name, _ABSENT)
    if isinstance(value, ModuleType) and not value.__name__.startswith("tf_slim."):
        return _ABSENT  # what the file imports for itself: contrib showed nothing of that
    if value is not _ABSENT or not hasattr(module, "__path__"):
        return value
    if importlib.util.find_spec(f"{library}.{name}") is None:
        return _ABSENT
    return importlib.import_module(f"{library}.{name}")
