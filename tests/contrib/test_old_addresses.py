"""The files of tf.contrib from which scripts import what its parts show."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import tensorflow as tf

from queueio import contrib

# As TF 1.15.5 takes it, but for the files of `dataframe`, which TF 1.3 had last.
IMPORTS = """
import tensorflow as tf
import tensorflow.contrib.training.python.training.bucket_ops as buckets
from tensorflow.contrib.training.python.training.bucket_ops import bucket_by_sequence_length
from tensorflow.contrib.training.python.training import resample, sampling_ops
from tensorflow.contrib.learn.python.learn.learn_io import graph_io
from tensorflow.contrib.learn.python.learn.learn_io.numpy_io import numpy_input_fn
from tensorflow.contrib.learn.python.learn.dataframe.queues import feeding_functions
from tensorflow.contrib.framework.python.framework import checkpoint_utils
from tensorflow.contrib.framework.python.ops import audio_ops
from tensorflow.contrib.data.python.ops.grouping import group_by_window

contrib = tf.contrib
assert bucket_by_sequence_length is contrib.training.bucket_by_sequence_length is not None
assert buckets.bucket is contrib.training.bucket
assert sampling_ops.stratified_sample is contrib.training.stratified_sample
assert resample.resample_at_rate is contrib.training.resample_at_rate
assert graph_io.read_batch_features is contrib.learn.read_batch_features
assert numpy_input_fn is contrib.learn.io.numpy_input_fn
assert callable(feeding_functions.enqueue_data)
assert checkpoint_utils.list_variables is contrib.framework.list_variables
assert callable(audio_ops.decode_wav)
assert group_by_window is contrib.data.group_by_window
print("all there")
"""


def test_a_script_imports_from_the_files_that_contrib_had(
    run_python: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "script.py").write_text(IMPORTS)
    done = run_python("from queueio.__main__ import main\n\nmain()\n", "run", "script.py")
    assert "all there" in done.stdout, done.stderr[-2000:]


def test_a_file_that_is_called_as_a_name_in_it_can_be_used_as_either() -> None:
    arg_scope = contrib.framework.python.ops.arg_scope
    assert arg_scope.arg_scope is contrib.framework.arg_scope
    with arg_scope([]) as in_scope:
        assert in_scope == {}


def test_sounds_are_decoded_by_the_file_that_contrib_kept_in_framework() -> None:
    audio_ops = contrib.framework.python.ops.audio_ops
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        sound = audio_ops.encode_wav([[0.5], [-0.25], [0.0]], 8000)
        found = session.run(audio_ops.decode_wav(sound, desired_channels=1, desired_samples=2))
        power = audio_ops.audio_spectrogram(found.audio, window_size=2, stride=1)
        shape = session.run(audio_ops.mfcc(power, 8000, dct_coefficient_count=5)).shape
    assert (found.sample_rate, found.audio.shape, shape) == (8000, (2, 1), (1, 1, 5))
    with pytest.raises(AttributeError, match=r"contrib\.framework\.decode_wav"):
        _ = contrib.framework.decode_wav


def test_layers_of_tf_slim_are_found_in_the_file_that_contrib_kept_them_in() -> None:
    layers = contrib.layers.python.layers.layers
    assert layers.fully_connected is contrib.layers.fully_connected


@pytest.mark.parametrize("name", ["nonsense", "bucket_ops.read_batch_examples", "tuner"])
def test_what_was_in_no_such_file_or_is_gone_is_refused(name: str) -> None:
    with pytest.raises(AttributeError, match=r"contrib\.training\."):
        found = contrib.training.python.training
        for part in name.split("."):
            found = getattr(found, part)


@pytest.mark.parametrize("name", ["layers.ops", "training.evaluation", "framework.variables"])
def test_what_tf_slims_files_import_for_themselves_is_no_name_of_contrib(name: str) -> None:
    part, _, name = name.partition(".")
    with pytest.raises(AttributeError, match=rf"contrib\.{part}\.{name}"):
        getattr(getattr(contrib, part), name)
