"""Reductions over an example's axes, where the order of the operands cannot matter.

Adding floats in another order rounds differently, so those sums stay per example. So do float
maxima: of 0.0 and -0.0 the winner depends on the order.
"""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.rules.rule import Site, again, only, rule, shifted


def _order_free(site: Site) -> bool:
    dtype = site.op.inputs[0].dtype
    return (dtype.is_integer or dtype.is_bool) and only(0)(site) and site.constant(1) is not None


@rule("Sum", "Prod", "Max", "Min", "Any", "All", fits=_order_free)
def reduce(site: Site, values: list[tf.Tensor]) -> list[tf.Tensor]:
    axes = [shifted(int(a)) for a in site.constant(1).ravel()]  # type: ignore[union-attr]
    return again(site.op, [values[0], tf.constant(axes, tf.int32)])


@rule("ArgMax", "ArgMin", fits=_order_free)
def arg_extreme(site: Site, values: list[tf.Tensor]) -> list[tf.Tensor]:
    axis = shifted(int(site.constant(1).item()))  # type: ignore[union-attr]
    return again(site.op, [values[0], tf.constant(axis, tf.int32)])
