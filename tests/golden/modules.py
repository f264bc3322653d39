"""The `tf` that the pipelines get, by the name given to `record.py --module`."""

from __future__ import annotations

import importlib
from typing import Any


def module(name: str) -> Any:
    """`tensorflow`, `tensorflow.compat.v1`, `queueio.v1`, or `queueio.train`."""
    if name == "queueio.train":
        return InsideTensorFlow2()
    tf = importlib.import_module(name)
    if name == "tensorflow.compat.v1":
        tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    return tf


class InsideTensorFlow2:
    """Newer code: `from queueio import io, train` in a graph, with TensorFlow 2's behaviour.

    Whatever is not queueio's comes from compat.v1, whose v2 behaviour stays switched on: resource
    variables, control flow v2, TensorShape without Dimensions.
    """

    def __init__(self) -> None:
        import tensorflow as tf
        from queueio import contrib, io, train

        self._v1 = tf.compat.v1
        self._v1.logging.set_verbosity(self._v1.logging.ERROR)
        self._io = io
        self.train = train
        self.contrib = contrib
        self.__version__ = tf.__version__

    def __getattr__(self, name: str) -> Any:
        return getattr(self._io, name) if hasattr(self._io, name) else getattr(self._v1, name)


class Stock:
    """Stock compat.v1, but for `tf.contrib`, which it lost; and for `train`, if that is given."""

    def __init__(self, train: Any = None) -> None:
        import tensorflow as tf
        from queueio import contrib

        self._v1 = tf.compat.v1
        self.contrib = contrib
        self.train = train or self._v1.train

    def __getattr__(self, name: str) -> Any:
        return getattr(self._v1, name)
