"""Where each part of `tf.contrib` went. TensorFlow 2 removed the whole of it."""

from __future__ import annotations

_ADDONS = "write it out: tensorflow_addons, which had it, ended in 2024"
_ESTIMATOR = "tf.keras or a plain training loop; Estimators left TensorFlow with version 2.16"

# The first part below tf.contrib: where it went.
WAYS_OUT: dict[str, str] = {
    "autograph": "tf.autograph",
    "checkpoint": "tf.train.Checkpoint",
    "cluster_resolver": "tf.distribute.cluster_resolver",
    "crf": _ADDONS,
    "cudnn_rnn": "tf.keras.layers.LSTM or GRU, which use cuDNN by themselves",
    "data": "tf.data and tf.data.experimental",
    "distribute": "tf.distribute",
    "distributions": "the tensorflow_probability package",
    "eager": "tf.enable_eager_execution, GradientTape and tf.train.Checkpoint",
    "estimator": _ESTIMATOR,
    "feature_column": "tf.feature_column",
    "framework": "tf_slim's variables and arg_scope (pip install tf_slim), or tf.train",
    "image": _ADDONS,
    "input_pipeline": "tf.train.string_input_producer and tf.train.batch",
    "keras": "tf.keras",
    "layers": "pip install tf_slim, which is the same code, or tf.layers",
    "learn": _ESTIMATOR,
    "legacy_seq2seq": _ADDONS,
    "lookup": "tf.lookup",
    "losses": "tf.losses",
    "metrics": "tf.metrics, or pip install tf_slim",
    "mixed_precision": "tf.train.experimental",
    "nn": "tf.nn",
    "opt": "tf.train's optimizers; the rest lived in tensorflow_addons until 2024",
    "quantize": "the tensorflow_model_optimization package",
    "rnn": "tf.nn.rnn_cell",
    "saved_model": "tf.saved_model",
    "seq2seq": _ADDONS,
    "signal": "tf.signal",
    "slim": "pip install tf_slim, then `import tf_slim as slim`: the same code, kept alive",
    "staging": "tf.data's prefetch",
    "stateless": "tf.random.stateless_uniform and its like",
    "summary": "tf.compat.v2.summary",
    "tensorboard": "the tensorboard package",
    "tfprof": "tf.profiler",
    "tpu": "tf.tpu and tf.distribute",
    "training": "tf.train, or pip install tf_slim for train loops",
}
# Single names that moved elsewhere than their neighbours.
SINGLE: dict[str, str] = {
    "framework.get_or_create_global_step": "tf.train.get_or_create_global_step",
    "framework.list_variables": "tf.train.list_variables",
    "framework.nest": "tf.nest",
    "image.rotate": "tf.keras.layers.RandomRotation, or scipy.ndimage.rotate on the array",
    "layers.xavier_initializer": "tf.glorot_uniform_initializer",
    "layers.xavier_initializer_conv2d": "tf.glorot_uniform_initializer",
    "layers.variance_scaling_initializer": "tf.variance_scaling_initializer",
    "layers.flatten": "tf.layers.flatten",
    "layers.batch_norm": "tf.layers.batch_normalization, or tf_slim.batch_norm",
    "layers.l2_regularizer": "tf.keras.regularizers.l2, or tf_slim.l2_regularizer",
}


def way_out(dotted: str) -> tuple[str, str]:
    """Why `tf.contrib.…` is gone, and what to use instead.

    Args:
      dotted: the name below `tf`, beginning with "contrib.".
    """
    name = dotted.removeprefix("contrib.")
    fits = [key for key in SINGLE if name == key or name.startswith(f"{key}.")]
    do = SINGLE[max(fits, key=len)] if fits else WAYS_OUT.get(name.partition(".")[0])
    why = "TensorFlow 2 removed all of tf.contrib"
    return why, f"Use {do}" if do else "Copy what you need of it from TensorFlow's r1.15 branch"
