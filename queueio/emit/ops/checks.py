"""What is there for its effect: assertions and prints."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.emit.facts.values import says
from queueio.emit.ops import SourceSite, expresses
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, code
from queueio.emit.spelling.lists import listed


@expresses("EnsureShape")
def ensure_shape(site: SourceSite) -> Code:
    """`tf.ensure_shape(x, [None, 3])`."""
    shape = tf.TensorShape(site.attr("shape"))
    if says(site.op.inputs[0].shape, shape):
        return site.arg(0)
    return call("tf.ensure_shape", site.arg(0), literal.shape(shape))


@expresses("CheckNumerics", "CheckNumericsV2")
def check_numerics(site: SourceSite) -> Code:
    """Refuses infinities."""
    return call("tf.debugging.check_numerics", site.arg(0), site.text("message"))


@expresses("Print")
def print_values(site: SourceSite) -> Any:
    """TF1's print, which hands its first input through."""
    first = site.attr("first_n")
    return call(
        "tf.compat.v1.Print",
        site.arg(0),
        listed(site.args[1:]),
        message=site.text("message") if site.attr("message") else None,
        first_n=code(first) if first != -1 else None,
        summarize=code(site.attr("summarize")) if not site.usual(summarize=3) else None,
    )
