"""Arithmetic, comparison, and functions of single numbers."""

from __future__ import annotations

import contextlib
from typing import Any

import tensorflow as tf

from queueio.emit.ops import SourceSite, expresses
from queueio.emit.ops.reciprocal import reciprocal, unchanged
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import COMPARISON, PRODUCT, SUM, Code, binary, call, negative
from queueio.emit.spelling.lists import listed

_OPERATORS = {
    "Add": ("+", SUM), "AddV2": ("+", SUM), "Sub": ("-", SUM), "Mul": ("*", PRODUCT),
    "RealDiv": ("/", PRODUCT), "Div": ("/", PRODUCT), "FloorDiv": ("//", PRODUCT),
    "FloorMod": ("%", PRODUCT),
    "Less": ("<", COMPARISON), "LessEqual": ("<=", COMPARISON),
    "Greater": (">", COMPARISON), "GreaterEqual": (">=", COMPARISON),
}  # fmt: skip

# Functions of their inputs alone.
_PLAIN = {
    "Abs": "tf.abs", "Acos": "tf.acos", "Asin": "tf.asin", "Atan": "tf.atan", "Atan2": "tf.atan2",
    "Ceil": "tf.math.ceil", "Cos": "tf.cos", "Cosh": "tf.cosh", "Div": "tf.truncatediv",
    "DivNoNan": "tf.math.divide_no_nan", "Elu": "tf.nn.elu", "Equal": "tf.equal",
    "Erf": "tf.math.erf", "Exp": "tf.exp", "Expm1": "tf.math.expm1", "Floor": "tf.floor",
    "Inv": "tf.math.reciprocal", "IsFinite": "tf.math.is_finite", "IsInf": "tf.math.is_inf",
    "IsNan": "tf.math.is_nan", "L2Loss": "tf.nn.l2_loss", "Log": "tf.math.log",
    "Log1p": "tf.math.log1p", "LogicalAnd": "tf.logical_and", "LogicalNot": "tf.logical_not",
    "LogicalOr": "tf.logical_or", "Maximum": "tf.maximum", "Minimum": "tf.minimum",
    "Mod": "tf.truncatemod", "NotEqual": "tf.not_equal", "OnesLike": "tf.ones_like",
    "Pow": "tf.pow", "Reciprocal": "tf.math.reciprocal", "Relu": "tf.nn.relu",
    "Relu6": "tf.nn.relu6", "Rint": "tf.math.rint", "Round": "tf.round",
    "Rsqrt": "tf.math.rsqrt", "Select": "tf.compat.v1.where", "SelectV2": "tf.where",
    "Sigmoid": "tf.sigmoid", "Sign": "tf.sign", "Sin": "tf.sin", "Sinh": "tf.sinh",
    "Softplus": "tf.math.softplus", "Sqrt": "tf.sqrt", "Square": "tf.square",
    "SquaredDifference": "tf.math.squared_difference", "Tan": "tf.tan", "Tanh": "tf.tanh",
    "TruncateDiv": "tf.truncatediv", "TruncateMod": "tf.truncatemod", "Xdivy": "tf.math.xdivy",
    "Xlogy": "tf.math.xlogy", "ZerosLike": "tf.zeros_like", "InvertPermutation":
    "tf.math.invert_permutation", "HSVToRGB": "tf.image.hsv_to_rgb",
    "RGBToHSV": "tf.image.rgb_to_hsv", "AdjustHue": "tf.image.adjust_hue",
    "AdjustSaturation": "tf.image.adjust_saturation", "ClipByValue": "tf.clip_by_value",
    "Where": "tf.where", "Softmax": "tf.nn.softmax", "LogSoftmax": "tf.nn.log_softmax",
    "Real": "tf.math.real", "Imag": "tf.math.imag", "ComplexAbs": "tf.abs",
    "BitwiseAnd": "tf.bitwise.bitwise_and", "BitwiseOr": "tf.bitwise.bitwise_or",
    "BitwiseXor": "tf.bitwise.bitwise_xor", "LeftShift": "tf.bitwise.left_shift",
    "RightShift": "tf.bitwise.right_shift", "Invert": "tf.bitwise.invert",
}  # fmt: skip

_REDUCTIONS = {
    "Sum": "tf.reduce_sum", "Mean": "tf.reduce_mean", "Max": "tf.reduce_max",
    "Min": "tf.reduce_min", "Prod": "tf.reduce_prod", "All": "tf.reduce_all",
    "Any": "tf.reduce_any",
}  # fmt: skip


@expresses(*(name for name in _OPERATORS if name != "Div"))
def operator(site: SourceSite) -> Code:
    """`x * 2.0`: one side may be a bare number."""
    inverse = reciprocal(site.op)
    if inverse is not None:
        return binary("*", site.operand(0), _inverse(site, inverse), PRODUCT)
    kept = unchanged(site.op)
    if kept is not None:
        return site.body.value(kept)
    sign, level = _OPERATORS[site.op.type]
    factor = _divisor(site.static(1)) if site.op.type == "Mul" else None
    if factor is not None:
        return binary("*", site.operand(0), Code(f"1 / {factor}", PRODUCT), level)
    known = [site.behind(i) for i in (0, 1)]
    left, right = [
        site.body.tensor(site.op.inputs[i]) if value is not None and value.ndim
        else site.arg(i) if known[1 - i] is not None else site.operand(i)
        for i, value in enumerate(known)
    ]  # fmt: skip
    return binary(sign, left, right, level)


def _inverse(site: SourceSite, value: Any) -> Code:
    """`(1 / 255.0)`, whose product is what a session makes of a division by 255.0."""
    divisor, kind = site.static(1), site.op.inputs[1].dtype
    if divisor is None or divisor.ndim:
        return binary("/", Code("1.0"), site.body.tensor(site.op.inputs[1]), PRODUCT)
    written = literal.plain(divisor)
    with contextlib.suppress(ZeroDivisionError, OverflowError, ValueError):
        # Python divides in double precision, and for some divisors gets another number.
        if kind.as_numpy_dtype(1 / float(written.flat)) == value:
            return binary("/", Code("1"), written, PRODUCT)
    return literal.plain(value)


def _divisor(value: Any) -> int | None:
    """255 for the number 1 / 255 in its precision, if it has no short spelling of its own."""
    if value is None or value.ndim or value.dtype.kind != "f" or not 1e-5 < value < 0.5:
        return None
    whole = round(float(1 / value))
    return whole if len(str(value)) > 6 and value.dtype.type(1 / whole) == value else None


@expresses(*_PLAIN)
def function(site: SourceSite) -> Any:
    """`tf.exp(x)`."""
    inverse = reciprocal(site.op)
    if site.op.type == "Xdivy" and inverse is not None:
        factor = literal.typed(inverse, site.op.inputs[1].dtype)
        return call("tf.math.multiply_no_nan", factor, site.arg(0))
    if site.op.type == "Div" and not site.op.inputs[0].dtype.is_integer:
        return operator(site)
    if site.op.type == "Inv" and site.op.inputs[0].dtype.is_integer:
        return None
    if site.op.type == "Sign" and site.op.inputs[0].dtype.is_complex:
        return None  # tf.sign divides, and has other zeros and infinities
    if not site.bare():
        return None
    if site.op.type in ("Equal", "NotEqual") and site.static(1) is not None:
        return call(_PLAIN[site.op.type], site.arg(0), site.operand(1))
    if site.op.type in ("Maximum", "Minimum") and site.static(1) is not None:
        return call(_PLAIN[site.op.type], site.arg(0), site.operand(1))
    return call(_PLAIN[site.op.type], *site.args)


@expresses("Neg")
def neg(site: SourceSite) -> Code:
    """`-x`."""
    return negative(site.arg(0))


@expresses("AddN")
def add_n(site: SourceSite) -> Code:
    """A sum of many."""
    return call("tf.add_n", listed(site.args))


@expresses("Cast")
def cast(site: SourceSite) -> Any:
    """`tf.cast(x, tf.float32)`."""
    if not site.usual(Truncate=False):
        return None
    return call("tf.cast", site.arg(0), literal.dtype(site.attr("DstT")))


@expresses("Bitcast")
def bitcast(site: SourceSite) -> Code:
    """The same bits as another type."""
    return call("tf.bitcast", site.arg(0), literal.dtype(site.attr("type")))


@expresses(*_REDUCTIONS)
def reduction(site: SourceSite) -> Code:
    """`tf.reduce_mean(x, axis=0)`; no axis where it is all of them."""
    name, axes = _REDUCTIONS[site.op.type], site.static(1)
    keep = Code("True") if site.attr("keep_dims") else None
    rank = site.op.inputs[0].shape.rank
    if (
        axes is not None
        and rank is not None
        and sorted(axes.ravel() % max(rank, 1)) == list(range(rank))
    ):
        return call(name, site.arg(0), keepdims=keep)
    return call(name, site.arg(0), axis=site.arg(1), keepdims=keep)


@expresses("ArgMax", "ArgMin")
def arg_extreme(site: SourceSite) -> Code:
    """`tf.argmax(x, axis)`."""
    kind = site.attr("output_type")
    more = None if kind == tf.int64 else literal.dtype(kind)
    name = "tf.argmax" if site.op.type == "ArgMax" else "tf.argmin"
    return call(name, site.arg(0), axis=site.arg(1), output_type=more)


@expresses("Cumsum", "Cumprod")
def cumulative(site: SourceSite) -> Code:
    """Running sums and products."""
    yes = {name: Code("True") if site.attr(name) else None for name in ("exclusive", "reverse")}
    return call(f"tf.math.{site.op.type.lower()}", site.arg(0), axis=site.arg(1), **yes)


@expresses("MatMul", "BatchMatMul", "BatchMatMulV2")
def matmul(site: SourceSite) -> Any:
    """`tf.matmul(a, b)`."""
    one, other = ("transpose_a", "transpose_b") if site.op.type == "MatMul" else ("adj_x", "adj_y")
    if site.op.type != "MatMul" and (site.attr(one) or site.attr(other)):
        return None
    flags = {n: Code("True") if site.attr(n) else None for n in (one, other)}
    return call("tf.matmul", *site.args, **flags)
