"""Ops that treat every element alone.

The leading axis is free for them, but for two things. Broadcasting pairs axes from the right,
so ranks are made equal first. And a processor's vector instructions may round differently from
its scalar ones: functions such as exp run on vectors except for the last few elements. They
stay exact only where an example fills whole vectors.
"""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.rules.rule import ChunkSite, rule, stack, with_rank
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
# Elements per widest vector of any processor today, times the unrolling of small types.
_LANES = {tf.float32: 16, tf.float64: 8, tf.float16: 32, tf.bfloat16: 32}


def fills_vectors(site: ChunkSite) -> bool:
    """True where vector and scalar arithmetic cannot meet in one example's result."""
    out = site.op.outputs[0]
    lanes = max(_LANES.get(t.dtype, 1) for t in (*site.op.inputs, out))
    if lanes == 1:
        return True
    size = out.shape.num_elements()
    return size is not None and size % lanes == 0


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


@rule(*EXACT_UNARY, *STRINGS, as_it_is=lambda site: True)
def unary(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values)


@rule("Cast", fits=_cast_exact, as_it_is=lambda site: True)
def cast(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values)


@rule(*ROUNDED_UNARY, fits=fills_vectors)
def rounded_unary(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values)


@rule("Div", "RealDiv", *EXACT_BINARY, fits=ranks_known, as_it_is=_ranks_agree)
def binary(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, aligned(site, values))


@rule(*ROUNDED_BINARY, fits=lambda site: ranks_known(site) and fills_vectors(site))
def rounded_binary(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, aligned(site, values))


@rule("Maximum", "Minimum", fits=ranks_known, retreats=lambda site: not fills_vectors(site))
def extreme(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    values = aligned(site, values)
    x, y = values
    if fills_vectors(site):
        return again(site.op, values)
    # Of two zeros, and where one is no number, vector and scalar instructions may disagree.
    sure = tf.reduce_all((x < y) | (x > y) | (tf.equal(x, y) & tf.not_equal(x, 0)))
    with tf.control_dependencies([tf.debugging.Assert(sure, [site.op.name])]):
        return again(site.op, values)


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


@rule("StringJoin", fits=_alike, as_it_is=lambda site: True)
@rule("RegexFullMatch", "RegexReplace", "LookupTableFindV2", "Substr",
      fits=lambda s: sum(s.stacked) == 1
      and all(r == 0 for i in range(len(s.stacked)) if not s.stacked[i]
              for r in [s.rank(i) if s.op.inputs[i].dtype != tf.resource else 0]))  # fmt: skip
def with_shared_scalars(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values)


@rule("SelectV2", fits=ranks_known)
def select_v2(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    yes, no = site.shape(1), site.shape(2)
    if all(site.stacked) and site.rank(0) == 0 and yes.is_fully_defined() and yes == no:
        # Copies whole examples; the other op would first spread the condition over all elements.
        return [tf.raw_ops.Select(condition=values[0], x=values[1], y=values[2])]
    return again(site.op, aligned(site, values))


@rule("Select", fits=ranks_known)
def select(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    # Select pairs a scalar or vector condition with the first axes, not the last.
    condition, yes, no = (stack(site, v, s) for v, s in zip(values, site.stacked, strict=True))
    for _ in range((site.rank(1) or 0) - (site.rank(0) or 0)):
        condition = tf.expand_dims(condition, -1)
    return [tf.raw_ops.SelectV2(condition=condition, t=yes, e=no)]


@rule("Assert")
def assert_(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    # The text does not matter: a chunk that fails is run again, example by example.
    tf.debugging.Assert(tf.reduce_all(values[0]), [site.op.name])
    return []
