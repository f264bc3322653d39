"""`tf.contrib.layers`' penalties on weights; that of squares is halved, unlike Keras's."""

from __future__ import annotations

import logging
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1
Regularizer = Callable[..., Any]


def l1_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """A function of weights that gives `scale` times the sum of their sizes.

    Args:
      scale: a float or scalar tensor; 0.0 switches the penalty off.
      scope: the name scope; by default "l1_regularizer".

    Raises:
      ValueError: `scale` is an integer, or negative.
    """

    def penalty(weights: Any) -> tf.Tensor:
        return tf.reduce_sum(tf.abs(weights))

    return _scaled(scale, scope, "l1_regularizer", penalty)


def l2_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """A function of weights that gives `scale` times half the sum of their squares.

    Args:
      scale: a float or scalar tensor; 0.0 switches the penalty off.
      scope: the name scope; by default "l2_regularizer".

    Raises:
      ValueError: `scale` is an integer, or negative.
    """
    return _scaled(scale, scope, "l2_regularizer", tf.nn.l2_loss)


def l1_l2_regularizer(
    scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: str | None = None
) -> Regularizer | None:
    """A function of weights that gives the sum of both penalties.

    Args:
      scale_l1: of the sum of sizes; 0.0 leaves it out.
      scale_l2: of half the sum of squares; 0.0 leaves it out.
      scope: the name scope; by default "l1_l2_regularizer".

    Raises:
      ValueError: a scale is an integer, or negative.
    """
    _check(scale_l1)
    _check(scale_l2)
    scope = scope or "l1_l2_regularizer"
    if _is_zero(scale_l1):
        return l2_regularizer(scale_l2, scope)
    if _is_zero(scale_l2):
        return l1_regularizer(scale_l1, scope)
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope)


def sum_regularizer(
    regularizer_list: Sequence[Regularizer | None], scope: str | None = None
) -> Regularizer | None:
    """A function of weights that gives the sum of what several give; None where there are none.

    Args:
      regularizer_list: functions of weights; None among them is left out.
      scope: the name scope; by default "sum_regularizer".
    """
    regularizers = [each for each in regularizer_list if each is not None]

    def summed(weights: Any) -> Any:
        with v1.name_scope(scope, "sum_regularizer", [weights]) as name:
            penalties = [regularizer(weights) for regularizer in regularizers]
            found = [penalty for penalty in penalties if penalty is not None]
            return tf.add_n(found, name=name) if found else None

    return summed if regularizers else None


def apply_regularization(regularizer: Regularizer, weights_list: Any = None) -> tf.Tensor:
    """The sum of a penalty over many weights, which joins the regularization losses.

    Args:
      regularizer: a function of weights that gives a scalar, or None.
      weights_list: weights; by default the collection `tf.GraphKeys.WEIGHTS`.

    Returns:
      A scalar of the penalties' dtype.

    Raises:
      ValueError: there are no weights, or a penalty is no scalar.
    """
    weights_list = weights_list or v1.get_collection(v1.GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError("there are no weights to regularize: give weights_list")
    with v1.name_scope("get_regularization_penalty", values=weights_list) as scope:
        found = [regularizer(weights) for weights in weights_list]
        penalties = [tf.constant(0.0) if each is None else each for each in found]
        for penalty in penalties:
            if penalty.shape.rank != 0:
                raise ValueError(f"a regularizer gives a scalar; this one gave {penalty.shape}")
        total = tf.add_n(penalties, name=scope)
    v1.add_to_collection(v1.GraphKeys.REGULARIZATION_LOSSES, total)
    return total


def _scaled(
    scale: Any, scope: str | None, default: str, penalty: Callable[[Any], tf.Tensor]
) -> Regularizer:
    _check(scale)
    if _is_zero(scale):
        logging.getLogger("tensorflow").info("Scale of 0 disables regularizer.")
        return lambda _: None

    def regularizer(weights: Any) -> tf.Tensor:
        with v1.name_scope(scope, default, [weights]) as name:
            factor = tf.convert_to_tensor(scale, weights.dtype.base_dtype, name="scale")
            return tf.multiply(factor, penalty(weights), name=name)

    return regularizer


def _check(scale: Any) -> None:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real) and scale < 0.0:
        raise ValueError(f"scale is {scale}: a penalty cannot be negative")


def _is_zero(scale: Any) -> bool:
    return isinstance(scale, numbers.Real) and float(scale) == 0.0
