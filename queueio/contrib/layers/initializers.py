"""`tf.contrib.layers`' initialisers: a normal distribution is cut, and made up for by 1.3."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

v1 = tf.compat.v1
_MODES = ("FAN_IN", "FAN_OUT", "FAN_AVG")


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = tf.float32
) -> Callable[..., tf.Tensor]:
    """Variance 2 / (inputs + outputs), after Glorot and Bengio.

    Args:
      uniform: whether to draw from a uniform distribution rather than from a cut normal one.
      seed: of the op that draws, or None.
      dtype: a floating dtype.

    Returns:
      An initialiser: a function of a shape that gives a tensor.
    """
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


xavier_initializer_conv2d = xavier_initializer


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: Any = tf.float32,
) -> Callable[..., tf.Tensor]:
    """Variance `factor` / n, n the number of inputs, of outputs, or their mean.

    Args:
      factor: see above.
      mode: "FAN_IN", "FAN_OUT" or "FAN_AVG": what n is.
      uniform: whether to draw from a uniform distribution rather than from a cut normal one.
      seed: of the op that draws, or None.
      dtype: a floating dtype.

    Returns:
      An initialiser: a function of a shape that gives a tensor.

    Raises:
      TypeError: `dtype` is no floating one, or `mode` none of the three.
    """
    _check(dtype)
    if mode not in _MODES:
        raise TypeError(f"mode is {mode!r}, which is none of {', '.join(_MODES)}")

    def initializer(
        shape: Sequence[Any], dtype: Any = dtype, partition_info: Any = None
    ) -> tf.Tensor:
        _check(dtype)
        fan_in, fan_out = _fans([float(size) for size in shape])
        n = {"FAN_IN": fan_in, "FAN_OUT": fan_out, "FAN_AVG": (fan_in + fan_out) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return v1.random_uniform(shape, -limit, limit, dtype, seed=seed)
        # Cut at two deviations; contrib took 1.3 for what that loses (1.2926 is closer).
        return v1.truncated_normal(shape, 0.0, math.sqrt(1.3 * factor / n), dtype, seed=seed)

    return initializer


def _fans(shape: list[float]) -> tuple[float, float]:
    """How many inputs and outputs a weight of this shape has; the first axes are a window's."""
    if not shape:
        return 1.0, 1.0
    window = math.prod(shape[:-2])
    return window * (shape[-2] if len(shape) > 1 else shape[-1]), window * shape[-1]


def _check(dtype: Any) -> None:
    if not tf.as_dtype(dtype).is_floating:
        raise TypeError(f"an initializer draws floating numbers, and the dtype is {dtype}")
