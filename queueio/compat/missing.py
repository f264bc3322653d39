"""Names of TF 1.15 that `queueio.v1` cannot bring back, each with what to use instead.

This table is the only place: the AttributeError of a missing name and the section of
MIGRATION.md (`markdown`) are both made from it. A key with a `*` is a pattern; the longest key
that fits wins.
"""

from __future__ import annotations

import re
from importlib.util import find_spec

from queueio.compat.contrib import SINGLE, WAYS_OUT, way_out
from queueio.compat.contrib_names import is_back
from queueio.compat.estimators import INSTALL, NEEDS_ESTIMATOR, NEEDS_KERAS_2
from queueio.compat.legacy_keras import ADVICE
from queueio.compat.rows import InWords, fitting
from queueio.errors import message
from queueio.graph.origin import user_line

_STATS = InWords(
    "tf.data statistics were removed; time the pipeline with tf.profiler, or drop the option"
)
_TPU_DEBUG = InWords("TPU kernels for this were removed; use the raw op without GradAccumDebug")
_TPU_OPTIMIZER = "tf.compat.v2.tpu.experimental.embedding"
_NO_KERAS_ESTIMATOR = InWords(
    "model.fit; or tf.estimator.Estimator with a model_fn, after"
    f" {INSTALL}: model_to_estimator left with TensorFlow 2.16"
)

# Nothing that can be installed beside a current TensorFlow has these.
NAMES: dict[str, str] = {
    "data.experimental.CheckpointInputPipelineHook": (
        "tf.train.CheckpointSaverHook, with a saveable made by"
        " tf.data.experimental.make_saveable_from_iterator"
    ),
    "data.experimental.MapVectorizationOptions": "drop the option; batch before map instead",
    "data.experimental.StatsAggregator": _STATS,
    "data.experimental.StatsOptions": _STATS,
    "data.experimental.bytes_produced_stats": _STATS,
    "data.experimental.latency_stats": _STATS,
    "estimator.BoostedTrees*": InWords(
        "the tensorflow_decision_forests package, which has models of its own kind"
    ),
    "examples.*": (
        "the data itself: read its unpacked files with"
        " tf.FixedLengthRecordReader(784, header_bytes=16) and divide the bytes by 255;"
        " read_data_sets kept the first 5,000 images for validation"
    ),
    "keras.estimator": _NO_KERAS_ESTIMATOR,
    "keras.estimator.*": _NO_KERAS_ESTIMATOR,
    "keras.experimental.LinearCosineDecay": "tf.train.linear_cosine_decay",
    "keras.experimental.NoisyLinearCosineDecay": "tf.train.noisy_linear_cosine_decay",
    "keras.experimental.PeepholeLSTMCell": (
        "tf.nn.rnn_cell.LSTMCell(units, use_peepholes=True), whose gates are sigmoid: the same"
        " numbers as with recurrent_activation='sigmoid', where the default was hard_sigmoid"
    ),
    "keras.experimental.export_saved_model": "model.save(path)",
    "keras.experimental.load_from_saved_model": "tf.keras.models.load_model(path)",
    "keras.experimental.terminate_keras_multiprocessing_pools": InWords("nothing; drop the call"),
    "keras.mixed_precision.experimental": InWords("tf.keras.mixed_precision"),
    "keras.mixed_precision.experimental.*": InWords(
        "the same name in tf.keras.mixed_precision; TF 1.15's policies infer and"
        " infer_with_float32_vars, which compute in the input's dtype, have no successor"
    ),
    "keras.utils.HDF5Matrix": "h5py.File(path)[dataset]",
    "keras.utils.convert_all_kernels_in_model": InWords("nothing; it converted Theano kernels"),
    "keras.utils.multi_gpu_model": InWords("tf.distribute.MirroredStrategy"),
    "keras.wrappers.*": InWords("the scikeras package"),
    "lite.experimental.get_potentially_supported_ops": InWords(
        "tf.lite.experimental.Analyzer.analyze, which tells of one model"
    ),
    "lite.experimental.nn": "tf.nn.rnn_cell; the converter fuses it",
    "lite.experimental.nn.*": "tf.nn.rnn_cell and tf.nn.dynamic_rnn; the converter fuses them",
    "raw_ops.CompareAndBitpack": (
        "tf.cast(x > threshold, tf.uint8), eight columns weighted by 128 … 1 and summed"
    ),
    "raw_ops.*GradAccumDebug": _TPU_DEBUG,
    "tpu.experimental.AdagradParameters": f"{_TPU_OPTIMIZER}.Adagrad",
    "tpu.experimental.AdamParameters": (
        f"{_TPU_OPTIMIZER}.Adam(rate, epsilon=1e-8), where 1e-7 is the default now"
    ),
    "tpu.experimental.StochasticGradientDescentParameters": f"{_TPU_OPTIMIZER}.SGD",
}

# These are back as soon as the tf_keras package is installed.
NEEDS_TF_KERAS: dict[str, str] = {
    "keras.*": "Keras 3 has no such name. Keras 2 has: " + ADVICE,
    "layers.*": "Keras 3 has no tf.layers. Keras 2 has: " + ADVICE,
    "nn.rnn_cell.*": "Keras 3 has no RNN cells of TF1. Keras 2 has: " + ADVICE,
}

_TAGGED = ", which puts the name scope before the tag and takes one tag, not several"

# Names that were old already in TF 1.15, but are in many files from 2016.
RENAMED: dict[str, str] = {
    "all_variables": "tf.global_variables",
    "audio_summary": f"tf.summary.audio{_TAGGED}",
    "batch_matmul": "tf.matmul",
    "complex_abs": "tf.abs",
    "concat_v2": "tf.concat",
    "histogram_summary": f"tf.summary.histogram{_TAGGED}",
    "image_summary": f"tf.summary.image{_TAGGED}",
    "inv": "tf.reciprocal",
    "listdiff": "tf.setdiff1d",
    "merge_all_summaries": "tf.summary.merge_all",
    "merge_summary": "tf.summary.merge",
    "mul": "tf.multiply",
    "neg": "tf.negative",
    "pack": "tf.stack",
    "scalar_summary": f"tf.summary.scalar{_TAGGED}",
    "select": "tf.where",
    "sub": "tf.subtract",
    "train.SummaryWriter": "tf.summary.FileWriter",
    "unpack": "tf.unstack",
    "nn.rnn": "tf.nn.static_rnn",
    "nn.seq2seq": InWords("tf.nn.dynamic_rnn, written out"),
}


def instead(dotted: str) -> str | None:
    """What to use instead of `tf.<dotted>`; None for a name that TF 1.15 never had either.

    Args:
      dotted: the name below `tf`, such as "estimator.inputs.numpy_input_fn".
    """
    if dotted.startswith("contrib."):
        return way_out(dotted)[1]
    for table in (NAMES, RENAMED, NEEDS_TF_KERAS, NEEDS_KERAS_2, NEEDS_ESTIMATOR):
        if key := fitting(table, dotted):
            return table[key]
    return None


def attribute_error(dotted: str) -> str:
    """The text of the AttributeError for `tf.<dotted>`, with the line of the user's that asks."""
    line = user_line()
    dotted = _as_written(dotted, line)
    what = f"tf.{dotted} does not exist in this TensorFlow" + (f" ({line})" if line else "")
    why, do = reason(dotted)
    if not why:
        module, _, name = f"tensorflow.{dotted}".rpartition(".")
        return f"module {module!r} has no attribute {name!r}"
    return message(what, why, do)


def reason(dotted: str) -> tuple[str, str]:
    """Why `tf.<dotted>` is gone, and what to do; two empty texts where TF1 never had it."""
    if dotted.startswith("contrib."):
        return way_out(dotted)
    if f"{dotted}.".startswith("python.estimator.") and not _has_estimators():
        return (
            "Estimators left TensorFlow with version 2.16",
            f"Run {NEEDS_ESTIMATOR['estimator.*']}",
        )
    if dotted.startswith("python."):
        return "it was internal and has moved", "Use a public name instead"
    if dotted in RENAMED:
        return "TF 1.0 renamed it", f"Use {RENAMED[dotted]}"
    advice = instead(dotted)
    if advice is None or (advice == NEEDS_ESTIMATOR["estimator.*"] and _has_estimators()):
        return "", ""
    if ADVICE in advice:
        why, _, do = advice.partition(". ")
        return why, do
    if not fitting(NAMES, dotted) and fitting(NEEDS_ESTIMATOR, dotted):
        made = ", and this is made of Keras 2" if fitting(NEEDS_KERAS_2, dotted) else ""
        return f"Estimators left TensorFlow with version 2.16{made}", f"Run {advice}"
    return "TF 1.15 had it", f"Use instead: {advice}"


def _has_estimators() -> bool:
    """Whether the package is there: a name that it lacks in spite of that, it never had."""
    return find_spec("tensorflow_estimator") is not None


def markdown() -> str:
    """The section of MIGRATION.md on missing names: two tables, sorted by name."""
    parts = [
        "Missing from `queueio.v1`, each with what to use instead:",
        _rows(NAMES),
        "`tf.contrib` left as a whole. Where its parts went:",
        _rows(_gone_of_contrib()),
        f"There with the package `tensorflow_estimator` (`{INSTALL}`), missing without it:",
        _rows(NEEDS_ESTIMATOR),
        "The models and heads of that package are made of Keras 2, so they need `tf_keras` too:",
        _rows(NEEDS_KERAS_2),
        "Back as soon as `tf_keras` is installed:",
        _rows(NEEDS_TF_KERAS),
        "Renamed in TF 1.0 already (the error says the new name):",
        _rows(RENAMED),
    ]
    return "\n\n".join(parts) + "\n"


def _gone_of_contrib() -> dict[str, str]:
    rows = {**WAYS_OUT, **SINGLE}
    return {f"contrib.{name}": text for name, text in rows.items() if not is_back(name)}


def _as_written(dotted: str, line: str) -> str:
    """The whole name that the line spells, where `dotted` is only its first missing part."""
    name = re.escape(dotted)
    if found := re.search(rf"from tensorflow\.({name}(?:\.\w+)*) import \(?\s*(\w+)", line):
        return f"{found[1]}.{found[2]}"
    found = re.search(rf"\b{name}(?:\.\w+)+", line)
    return found.group() if found else dotted


def _rows(table: dict[str, str]) -> str:
    rows = [f"| `tf.{name}` | {text} |" for name, text in sorted(table.items())]
    return "\n".join(["| TF 1.15 | use instead |", "|---|---|", *rows])
