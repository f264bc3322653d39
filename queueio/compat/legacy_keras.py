"""Keras 2, which is what TF1's `tf.keras`, `tf.layers` and `tf.nn.rnn_cell` are written for.

TensorFlow 2.16 and later come with Keras 3, which has no graph mode and none of the three. The
package tf_keras carries Keras 2 on; TensorFlow routes to it where TF_USE_LEGACY_KERAS is set.
Without tf_keras, most functions of `tf.layers` and the plain RNN cells still lie in TensorFlow's
own wheel, where its remaining v1 code uses them; `tf.layers.batch_normalization` does not.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import warnings
from types import ModuleType

SWITCH = "TF_USE_LEGACY_KERAS"
ADVICE = f"pip install tf_keras (which is Keras 2), and set the environment variable {SWITCH}=1"
_TF_KERAS = "tf_keras.api._v1.keras.__internal__.legacy"
_MODULES = {
    "layers": (f"{_TF_KERAS}.layers", "tensorflow.python.layers.layers"),
    "nn.rnn_cell": (
        f"{_TF_KERAS}.rnn_cell",
        "tensorflow.python.keras.layers.legacy_rnn.rnn_cell_impl",
    ),
}


def is_installed() -> bool:
    """Whether the tf_keras package can be imported."""
    return "tf_keras" in sys.modules or importlib.util.find_spec("tf_keras") is not None


def prefer() -> None:
    """Routes `tf.keras` to tf_keras where that is installed and the user has not decided.

    TensorFlow reads the variable when `tf.keras` is first used, so call this before that.
    """
    if is_installed():
        os.environ.setdefault(SWITCH, "1")
    # Both sources of tf.layers say on every call that it is deprecated. The user knows.
    for name in (r"tf\.layers\.", r"tf\.nn\.rnn_cell\.", r"layer\.(apply|add_variable)`"):
        warnings.filterwarnings("ignore", message=f"`{name}")


def legacy_module(path: str) -> ModuleType | None:
    """The best module that stands in for `tf.layers` or `tf.nn.rnn_cell` here, or None.

    Args:
      path: "layers" or "nn.rnn_cell"; any other path has no stand-in.
    """
    for name in _MODULES.get(path, ()):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None
