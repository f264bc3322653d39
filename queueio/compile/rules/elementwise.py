"""Ops that treat every element alone.

The leading axis is free for them, but for two things. Broadcasting pairs axes from the right,
so ranks are made equal first. And a processor's vector instructions may round differently from
its scalar ones: functions such as exp, and products of complex numbers, run on vectors except for
the last few elements. They stay exact only where an example fills whole vectors.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from queueio.compile.content import PLAIN
from queueio.compile.rules.rule import ChunkSite, only, repaired, rule, stack, with_rank
from queueio.graph.copying import again

EXACT_UNARY = (
    "Abs", "Bitcast", "Ceil", "CheckNumerics", "Floor", "Identity", "Invert", "IsFinite",
    "IsInf", "IsNan", "LogicalNot", "Neg", "OnesLike",
    "PreventGradient", "Rint", "Round", "Snapshot", "Sqrt", "Square", "StopGradient",
    "ZerosLike",
)  # fmt: skip
STRINGS = (
    "AsString", "DecodeBase64", "EncodeBase64", "StaticRegexFullMatch", "StaticRegexReplace",
    "StringLength", "StringLower", "StringStrip", "StringToHashBucket",
    "StringToHashBucketFast", "StringToHashBucketStrong", "StringToNumber", "StringUpper",
)  # fmt: skip
ROUNDED_UNARY = (
    "Cos", "Elu", "Erf", "Exp", "Expm1", "Inv", "LeakyRelu", "Log", "Log1p", "Reciprocal",
    "Relu", "Relu6", "Rsqrt", "Sigmoid", "Sign", "Sin", "Softplus", "Softsign", "Tanh",
)  # fmt: skip
EXACT_BINARY = (
    "Add", "AddV2", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Greater",
    "GreaterEqual", "LeftShift", "Less", "LessEqual", "LogicalAnd", "LogicalOr", "Mul",
    "RightShift", "SquaredDifference", "Sub",
)  # fmt: skip
ROUNDED_BINARY = (
    "DivNoNan", "FloorDiv", "FloorMod", "Mod", "MulNoNan", "Pow",
    "TruncateDiv", "TruncateMod",
)  # fmt: skip
# What is one exact instruction for each real number; of a complex one it mixes the two parts.
_MIXING_PARTS = ("Div", "Mul", "RealDiv", "Sqrt", "Square", "SquaredDifference")
# Elements per widest vector of any processor today, times the unrolling of small types.
LANES = {
    tf.float32: 16, tf.float64: 8, tf.float16: 32, tf.bfloat16: 32,
    tf.complex64: 8, tf.complex128: 4,
}  # fmt: skip


_WIDEST = tf.int64
"""As what several narrower numbers are moved at once."""
_LARGE = 256
"""Bytes of an example, below which that is not worth its ops."""


def fills_vectors(site: ChunkSite) -> bool:
    """True where vector and scalar arithmetic cannot meet in one example's result."""
    out = site.op.outputs[0]
    lanes = max(LANES.get(t.dtype, 1) for t in (*site.op.inputs, out))
    if lanes == 1:
        return True
    size = out.shape.num_elements()
    return size is not None and size % lanes == 0


def exact_anywhere(site: ChunkSite) -> bool:
    """True where the place of a value decides no bit, as it does when complex parts are mixed."""
    mixes = site.op.type in _MIXING_PARTS and site.op.inputs[0].dtype.is_complex
    return not mixes or fills_vectors(site)


def ranks_known(site: ChunkSite) -> bool:
    return all(t.shape.rank is not None for t in site.op.inputs)


def aligned(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    """The inputs with ranks such that broadcasting pairs an example's axes as before."""
    ranks = [t.shape.rank or 0 for t in site.op.inputs]
    return [
        with_rank(v, r, max(ranks)) if s else v
        for v, r, s in zip(values, ranks, site.stacked, strict=True)
    ]


def _ranks_agree(site: ChunkSite) -> bool:
    """Whether `aligned` has nothing to do."""
    ranks = [t.shape.rank for t in site.op.inputs]
    return None not in ranks and all(
        not stacked or rank == max(r or 0 for r in ranks)
        for rank, stacked in zip(ranks, site.stacked, strict=True)
    )


def _cast_exact(site: ChunkSite) -> bool:
    source, target = site.op.inputs[0].dtype, site.op.outputs[0].dtype
    if source.is_floating and target.is_integer:
        # Out of range the result is whatever the instruction leaves.
        return fills_vectors(site) or target in (tf.int32, tf.int64)
    return not (source.is_complex or target.is_complex)


@rule(*EXACT_UNARY, *STRINGS, fits=exact_anywhere, as_it_is=lambda site: any(site.stacked))
def unary(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    (made,) = again(site.op, values)  # of no example: a check of what all of them share
    return [stack(site, made, any(site.stacked))]


@rule("Cast", fits=_cast_exact, as_it_is=lambda site: True)
def cast(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values)


@rule(*ROUNDED_UNARY, fits=fills_vectors)
def rounded_unary(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values)


def _of_two(site: ChunkSite) -> bool:
    """Of more floats the order of the sum depends on who else holds them, and of two that are no
    numbers which one it is.
    """
    constants = [site.constant(i) for i in range(len(site.op.inputs))]
    sure = any(value is not None and np.all(value == value) for value in constants)
    return sure and len(constants) == 2 and ranks_known(site)


@rule("AddN", fits=_of_two)
def sum_of_two(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    x, y = aligned(site, values)
    return [tf.raw_ops.AddV2(x=x, y=y)]


@rule("Div", "RealDiv", *EXACT_BINARY, as_it_is=_ranks_agree,
      fits=lambda site: ranks_known(site) and exact_anywhere(site))  # fmt: skip
def binary(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, aligned(site, values))


@rule(*ROUNDED_BINARY, fits=lambda site: ranks_known(site) and fills_vectors(site))
def rounded_binary(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, aligned(site, values))


def _known(site: ChunkSite) -> bool:
    whole = all(t.shape.is_fully_defined() for t in (*site.op.inputs, *site.op.outputs))
    # In a vector of bfloat16 what is subnormal becomes zero; a number alone stays as it is.
    whole = whole and site.op.inputs[0].dtype != tf.bfloat16
    return whole or (ranks_known(site) and fills_vectors(site))


@rule("Maximum", "Minimum", fits=_known, repairs=lambda site: not fills_vectors(site))
def extreme(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    x, y = aligned(site, values)
    (made,) = again(site.op, [x, y])
    if fills_vectors(site):
        return [made]
    # Of two zeros, and where one is no number, vector and scalar instructions may disagree.
    sure = (x < y) | (x > y) | (tf.equal(x, y) & tf.not_equal(x, 0))
    within = list(range(1, 1 + site.op.outputs[0].shape.rank))
    return repaired(site, values, made, tf.logical_not(tf.reduce_all(sure, within)))


@rule("Equal", "NotEqual", fits=lambda s: ranks_known(s) and s.attr("incompatible_shape_error"))
def equality(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, aligned(site, values))


@rule("ClipByValue", fits=lambda s: fills_vectors(s) and s.rank(1) == 0 and s.rank(2) == 0
      and s.stacked == (True, False, False))  # fmt: skip
def clip(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values)


def _alike(site: ChunkSite) -> bool:
    """Whether an example's inputs are all of one rank, but for scalars that all examples share."""
    ranks = [site.rank(i) for i, stacked in enumerate(site.stacked) if stacked]
    shared = [site.rank(i) for i, stacked in enumerate(site.stacked) if not stacked]
    return None not in ranks and len(set(ranks)) == 1 and not any(r != 0 for r in shared)


def _by_shared_scalars(site: ChunkSite) -> bool:
    """Whether values alone differ, and what is done to them is the same: no pattern, no place."""
    values = 1 if site.op.inputs[0].dtype == tf.resource else 0
    others = [t for i, t in enumerate(site.op.inputs) if i != values and t.dtype != tf.resource]
    return only(values)(site) and all(t.shape.rank == 0 for t in others)


@rule("StringJoin", fits=_alike, as_it_is=lambda site: True)
@rule("RegexFullMatch", "RegexReplace", "LookupTableFindV2", "Substr", fits=_by_shared_scalars)
def with_shared_scalars(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values)


def _examples_of(
    condition: tf.Tensor, yes: tf.Tensor, no: tf.Tensor, shape: tf.TensorShape
) -> tf.Tensor:
    """Whole examples of `yes` or of `no`, each [C, *shape].

    Where the other op would first spread the condition over all elements, this one copies element
    by element: the wider they are, the fewer.
    """
    kind, size = yes.dtype, shape.num_elements() * yes.dtype.size
    if kind not in PLAIN or kind.size == _WIDEST.size or size % _WIDEST.size or size < _LARGE:
        return tf.raw_ops.Select(condition=condition, x=yes, y=no)
    parts = [-1, size // _WIDEST.size, _WIDEST.size // kind.size]
    wide = (tf.bitcast(tf.reshape(side, parts), _WIDEST) for side in (yes, no))
    chosen = tf.raw_ops.Select(condition=condition, x=next(wide), y=next(wide))
    return tf.reshape(tf.bitcast(chosen, kind), [-1, *shape])


@rule("SelectV2", fits=ranks_known)
def select_v2(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    yes, no = site.shape(1), site.shape(2)
    if all(site.stacked) and site.rank(0) == 0 and yes.is_fully_defined() and yes == no:
        return [_examples_of(values[0], values[1], values[2], yes)]
    return again(site.op, aligned(site, values))


@rule("Select", fits=ranks_known)
def select(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    """This op takes two of one shape, where SelectV2 would spread the smaller one."""
    condition, yes, no = (stack(site, v, s) for v, s in zip(values, site.stacked, strict=True))
    own, rank = site.rank(0) or 0, site.rank(1) or 0
    if own not in (0, rank):  # a vector, which chooses along the first axis of each example
        here = tf.equal(tf.shape(condition), tf.shape(yes)[:2])
        with tf.control_dependencies([tf.debugging.Assert(tf.reduce_all(here), [site.op.name])]):
            condition = tf.reshape(condition, tf.concat([tf.shape(condition), [1] * (rank - 1)], 0))
        condition = tf.broadcast_to(condition, tf.shape(yes))
    return [tf.raw_ops.Select(condition=condition, x=yes, y=no)]


@rule("Assert", fits=lambda site: site.rank(0) == 0)  # of more conditions it is an error
def assert_(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    # The text does not matter: a chunk that fails is run again, example by example.
    tf.debugging.Assert(tf.reduce_all(values[0]), [site.op.name])
    return []
