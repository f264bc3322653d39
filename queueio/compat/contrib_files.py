"""The files in which `tf.contrib` kept what its parts show, and from which scripts import it.

    from tensorflow.contrib.training.python.training.bucket_ops import bucket_by_sequence_length

A file is in the table where names of it are back. Which of them, its part tells: a name that is
gone is refused as it is there.
"""

from __future__ import annotations

_FILES: dict[str, str] = {
    "data": (
        "ops.batching ops.counter ops.dataset_ops ops.enumerate_ops ops.error_ops"
        " ops.get_single_element ops.grouping ops.interleave_ops ops.iterator_ops"
        " ops.prefetching_ops ops.random_ops ops.readers ops.resampling ops.scan_ops"
        " ops.shuffle_ops ops.sliding ops.unique ops.writers"
    ),
    "framework": (
        "framework.checkpoint_utils framework.tensor_util ops.arg_scope ops.sort_ops ops.variables"
    ),
    "layers": "layers.initializers layers.layers layers.regularizers",
    "learn": "learn.dataframe learn.dataframe.queues learn.learn_io",
    "metrics": "ops.confusion_matrix_ops ops.set_ops",
    "training": (
        "training.bucket_ops training.evaluation training.feeding_queue_runner training.hparam"
        " training.resample training.sampling_ops training.sequence_queueing_state_saver"
        " training.training"
    ),
}
_OWN_NAMES: dict[tuple[str, str], str] = {
    ("framework", "ops.audio_ops"): "tensorflow.python.ops.gen_audio_ops",
}
"""The files of whose names their part shows none, and the modules that have these names today."""


def is_file(part: str, path: str) -> bool:
    """Whether `tf.contrib.<part>.python.<path>` was a file, or a folder, of names that are back.

    Args:
      part: such as "training".
      path: such as "training.bucket_ops".
    """
    return path in _FILES.get(part, "").split() or (part, path) in _OWN_NAMES


def module_of(part: str, path: str) -> str:
    """The module that has the names of a file today: its part, for most.

    Args:
      part: such as "training".
      path: such as "training.bucket_ops".
    """
    return _OWN_NAMES.get((part, path), f"queueio.contrib.{part}")
