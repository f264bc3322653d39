"""`tf.py_func` and `tf.numpy_function`, whose functions own the arrays that they are given."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf
from tensorflow.python.ops import script_ops

from queueio.graph.python_function import OfCopies


def _giving_copies(stock: Callable[..., Any], made_by: Callable[..., Any]) -> Any:
    @functools.wraps(stock)
    def call(func: Any = None, *args: Any, **kwargs: Any) -> Any:
        # What cannot be called TensorFlow refuses.
        return made_by(OfCopies(func) if callable(func) else func, *args, **kwargs)

    return call


# What stock py_func calls when it has warned, of the line here, that it is deprecated.
py_func = _giving_copies(tf.py_func, script_ops.py_func_common)
numpy_function = _giving_copies(tf.numpy_function, tf.numpy_function)
