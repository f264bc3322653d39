"""`tf.concat` and `tf.split`, whose arguments TF 1.0 turned round, say so to calls of TF 0.x."""

from __future__ import annotations

import functools
import numbers
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from queueio.errors import message
from queueio.graph.origin import user_line


def _refusing(stock: Callable[..., Any], is_old: Callable[..., bool], new: str) -> Any:
    @functools.wraps(stock)
    def call(*args: Any, **kwargs: Any) -> Any:
        if is_old(*args, **kwargs):
            what = f"tf.{stock.__name__} is called as before TF 1.0 ({user_line()})"
            raise TypeError(message(what, "TF 1.0 changed the order of its arguments", new))
        return stock(*args, **kwargs)

    return call


def _is_old_concat(values: Any = None, *rest: Any, **named: Any) -> bool:
    return isinstance(values, numbers.Integral) or "concat_dim" in named


def _is_old_split(value: Any = None, *rest: Any, **named: Any) -> bool:
    # One number cannot be split.
    return (isinstance(value, numbers.Integral) and len(rest) > 1) or "num_split" in named


concat = _refusing(tf.concat, _is_old_concat, "Write tf.concat(values, axis): the axis comes last")
split = _refusing(
    tf.split, _is_old_split, "Write tf.split(value, num_or_size_splits, axis): the axis comes last"
)
