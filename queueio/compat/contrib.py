"""Where each part of `tf.contrib` went. TensorFlow 2 removed the whole of it."""

from __future__ import annotations

from queueio.compat.contrib_columns import COLUMNS
from queueio.compat.contrib_gone import has_no_successor
from queueio.compat.contrib_names import INSTALL
from queueio.compat.estimators import INSTALL as ESTIMATORS
from queueio.compat.rows import InWords

_ADDONS = InWords("code of your own: tensorflow_addons, which had it, ended in 2024")
_ESTIMATOR = InWords(
    f"tf.estimator, after {ESTIMATORS}, or a plain training loop; Estimators left TensorFlow with"
    " version 2.16"
)
# The normal distribution is cut at two deviations, which narrows it to 0.8796 of its width;
# contrib made up for that by a variance of 1.3, tf by one of 1 / 0.8796 ** 2. The ratio of these:
_CUT = "1.0058637"
_XAVIER = (
    "tf.glorot_uniform_initializer; with uniform=False"
    f" tf.variance_scaling_initializer({_CUT}, 'fan_avg')"
)
_COPY = "Copy what you need of it from TensorFlow's r1.15 branch"

# The first part below tf.contrib: where it went.
WAYS_OUT: dict[str, str] = {
    "autograph": "tf.autograph",
    "checkpoint": "tf.train.Checkpoint, with a plain list or dict, and tf.train.CheckpointManager",
    "cluster_resolver": "tf.distribute.cluster_resolver",
    "crf": _ADDONS,
    "cudnn_rnn": InWords("tf.keras.layers.LSTM or GRU, which use cuDNN by themselves"),
    "data": "tf.data and tf.data.experimental; shuffles draw another order from the same seed",
    "distribute": "tf.distribute",
    "distributions": "tf.distributions, or for the rest the tensorflow_probability package",
    "eager": (
        "tf.GradientTape and tf.executing_eagerly, and where the script enables it,"
        " enable_eager_execution of the top level"
    ),
    "estimator": _ESTIMATOR,
    "feature_column": "tf.feature_column",
    "framework": (
        "tf_slim's variables and arg_scope, which contrib.framework shows after"
        f" {INSTALL}; or tf.train"
    ),
    "image": _ADDONS,
    "keras": "tf.keras, with tf_keras installed: Keras 3 has no graph mode and other dtypes",
    "layers": (
        "tf.layers, which applies no ReLU where contrib's fully_connected and convolutions do;"
        f" or {INSTALL}: contrib.layers is tf_slim's then, which is the same code"
    ),
    "learn": _ESTIMATOR,
    "legacy_seq2seq": _ADDONS,
    "lookup": "tf.lookup.StaticHashTable, or tf.lookup.StaticVocabularyTable for spare buckets",
    "losses": (
        "tf.losses, labels first: contrib took predictions first. hinge_loss was not averaged"
        " (reduction='none'), and mean_pairwise_squared_error was divided by n, not n - 1"
    ),
    "metrics": "tf.metrics without streaming_, labels first: contrib took predictions first",
    "mixed_precision": "tf.train.experimental",
    "nn": "tf.nn, with labels= and logits= by name: the deprecated_flipped_… take logits first",
    "opt": (
        "tf.train.AdamOptimizer for LazyAdam on dense variables, tf.train.MomentumOptimizer for"
        " MomentumW without decay; the rest lived in tensorflow_addons until 2024: write it out"
    ),
    "quantize": InWords("the tensorflow_model_optimization package"),
    "rnn": "tf.nn.rnn_cell, and tf.nn.static_rnn",
    "saved_model": InWords("tf.saved_model, or model.save(path)"),
    "seq2seq": _ADDONS,
    "signal": "tf.signal",
    "slim": (
        f"tf_slim, after {INSTALL}: contrib.slim is it then, which is the same code, and runs under"
        " queueio.v1 and queueio run"
    ),
    "staging": InWords("tf.data's prefetch"),
    "stateless": "tf.random.stateless_uniform and its like",
    "summary": InWords("tf.compat.v2.summary, which writes tensors where this wrote numbers"),
    "tensorboard": InWords("the tensorboard package"),
    "tfprof": InWords("tf.profiler"),
    "timeseries": InWords(
        "tensorflow_probability's sts for structural models, or write the model out; the readers"
        " and input functions are there"
    ),
    "tpu": InWords("tf.tpu and tf.distribute"),
    "training": f"tf.train, or {INSTALL} for train loops, which contrib.training has then",
}
# Functions that became classes.
_HEADS = {
    "binary_classification": "BinaryClass",
    "logistic_regression": "LogisticRegression",
    "multi_class": "MultiClass",
    "multi": "Multi",
    "multi_label": "MultiLabel",
    "poisson_regression": "PoissonRegression",
    "regression": "Regression",
}
# Single names that moved elsewhere than their neighbours.
SINGLE: dict[str, str] = {
    "estimator.add_metrics": f"tf.estimator.add_metrics, after {ESTIMATORS}",
    **{
        f"estimator.{name}": f"tf.estimator.experimental.{name}, after {ESTIMATORS}"
        for name in ("build_raw_supervised_input_receiver_fn", "call_logit_fn")
    },
    **{
        f"estimator.{name}_logit_fn_builder": (
            f"tf.estimator.experimental.{name}_logit_fn_builder, after {ESTIMATORS}, which brings"
            " the Keras 2 that it is made of"
        )
        for name in ("dnn", "linear")
    },
    **{
        f"estimator.{name}_head": InWords(
            f"tf.estimator.{made}Head, after {ESTIMATORS}, which brings the Keras 2 that it is made"
            " of"
        )
        for name, made in _HEADS.items()
    },
    "framework.get_or_create_global_step": "tf.train.get_or_create_global_step",
    "framework.list_variables": "tf.train.list_variables",
    "framework.nest": "tf.nest",
    "framework.python.ops.audio_ops": InWords(
        "tf.audio.decode_wav and encode_wav, and tf.raw_ops.AudioSpectrogram and Mfcc"
    ),
    "learn.datasets": InWords(
        "the files themselves, which its loaders downloaded; tf.keras.datasets.mnist.load_data()"
        " gives MNIST as arrays"
    ),
    "layers.batch_norm": (
        "tf.layers.batch_normalization(x, momentum=0.999, scale=False, training=True); the moving"
        " variance of a matrix divides by n, contrib's by n - 1"
    ),
    "layers.conv2d": (
        "tf.layers.conv2d(x, filters, kernel, padding='same', activation=tf.nn.relu)"
    ),
    "layers.dropout": "tf.nn.dropout(x, keep_prob=0.5)",
    "layers.flatten": "tf.layers.flatten",
    "layers.fully_connected": "tf.layers.dense(x, units, activation=tf.nn.relu)",
    "layers.l1_regularizer": "lambda w: scale * tf.reduce_sum(tf.abs(w))",
    "layers.l2_regularizer": (
        "lambda w: scale * tf.nn.l2_loss(w), or tf_slim.l2_regularizer(scale), or with tf_keras"
        " tf.keras.regularizers.l2(scale / 2), as Keras does not halve the sum of squares"
    ),
    "layers.max_pool2d": "tf.layers.max_pooling2d(x, kernel, strides=2)",
    "layers.variance_scaling_initializer": (
        f"tf.variance_scaling_initializer(factor * {_CUT}) for a normal distribution, or"
        " (factor, distribution='uniform'); factor was 2.0 by default, scale is 1.0"
    ),
    "layers.xavier_initializer": _XAVIER,
    "layers.xavier_initializer_conv2d": _XAVIER,
    **{f"layers.{name}": text for name, text in COLUMNS.items()},
}


def way_out(dotted: str) -> tuple[str, str]:
    """Why `tf.contrib.…` is gone, and what to use instead.

    Args:
      dotted: the name below `tf`, beginning with "contrib.".
    """
    name = dotted.removeprefix("contrib.")
    why = "TensorFlow 2 removed all of tf.contrib"
    if do := _single(name):
        return why, f"Use {do}"
    if has_no_successor(name):
        return f"{why}, and this has no successor", _COPY
    room = WAYS_OUT.get(name.partition(".")[0])
    return why, f"Use {room}" if room else _COPY


def _single(name: str) -> str | None:
    fits = [key for key in SINGLE if name == key or name.startswith(f"{key}.")]
    if not fits and name.startswith("slim."):  # which showed all of contrib.layers
        return _single(name.replace("slim.", "layers.", 1))
    return SINGLE[max(fits, key=len)] if fits else None
