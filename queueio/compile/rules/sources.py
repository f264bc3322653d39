"""Where values come from: decoders of a vector of records, and random ops.

Of random draws without a seed any independent one is as good as any other. With a seed, the n-th
example gets the n-th draw, which a draw of many at once would change: such ops draw by the number
of the example (numbered_draws.py), or stay per example, in order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from queueio.compile.content import Content, is_only_decoded
from queueio.compile.kernels import philox
from queueio.compile.parsing import Features
from queueio.compile.rules.rule import ChunkSite, ahead, one_by_one, only, rule
from queueio.graph.copying import again

_FEW = 64  # numbers, beyond which a call for each example costs less than ours for all
_PHILOX = (1, 3)  # as `alg`; 3 leaves the choice to a device, and processors choose Philox
_MADE_OF_WORDS: dict[tuple[str, tf.DType], Callable[..., tf.Tensor]] = {
    ("StatelessRandomUniformV2", tf.float32): philox.floats,
    ("StatelessRandomUniformIntV2", tf.int32): philox.integers,
}


@rule("DecodeRaw", fits=only(0))
def decode_raw(site: ChunkSite, values: list[Any]) -> list[tf.Tensor]:
    (strings,) = values
    if isinstance(strings, Content):
        return [strings.decoded(site.op.outputs[0].dtype)]
    return again(site.op, values)


@rule("DecodePaddedRaw", "DecodeCSV", "DecodeJSONExample", "DecodeCompressed",
      fits=only(0))  # fmt: skip
def records(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values)


def _dense_only(site: ChunkSite) -> bool:
    shapes = [tf.TensorShape(s) for s in site.attr("dense_shapes")]
    return (
        only(0)(site)
        and site.rank(0) == 0
        and site.attr("num_sparse") == 0
        and all(s.is_fully_defined() for s in shapes)
    )


@rule("ParseSingleExample", fits=_dense_only)
def parse_single_example(site: ChunkSite, values: list[tf.Tensor]) -> list[Any]:
    features = Features.of(site.op)
    assert features is not None
    return _rows(site, features, values)


def _dense_v2(site: ChunkSite) -> bool:
    return _dense_only(site) and not site.attr("ragged_value_types")


@rule("ParseExampleV2", fits=_dense_v2)
def parse_example_v2(site: ChunkSite, values: list[tf.Tensor]) -> list[Any]:
    features = Features.of(site.op)
    return again(site.op, values) if features is None else _rows(site, features, values)


def _rows(site: ChunkSite, features: Features, values: list[tf.Tensor]) -> list[Any]:
    defaults = values[len(values) - len(features.dense) :]
    return features.rows(values[0], defaults, list(map(is_only_decoded, site.users)))


def unseeded(site: ChunkSite) -> bool:
    return not any(site.stacked) and site.attr("seed") == 0 and site.attr("seed2") == 0


@rule("RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal",
      fits=unseeded)  # fmt: skip
def draw(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    shape = tf.cast(values[0], tf.int32)
    return again(site.op, [ahead(site.rows, shape), *values[1:]])


def _as_ours(site: ChunkSite) -> bool:
    """Whether the generator is Philox, and there are numbers between the bounds: else the op
    itself says what is wrong."""
    alg, *bounds = (site.constant(i) for i in range(3, len(site.op.inputs)))
    if alg is None or int(alg) not in _PHILOX:
        return False
    if not bounds:
        return True
    least, limit = bounds
    return least is not None and limit is not None and bool(least < limit)


@rule("StatelessRandomNormalV2", "StatelessTruncatedNormalV2", "StatelessRandomUniformV2",
      "StatelessRandomUniformIntV2", fits=only(2))  # fmt: skip
def draw_by_counter(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    (out,) = site.op.outputs
    _, key, counters, _, *bounds = values
    count = out.shape.num_elements()
    made = _MADE_OF_WORDS.get((site.op.type, out.dtype))
    if made is None or not count or count > _FEW or not _as_ours(site):
        return one_by_one(site, values)
    drawn = made(philox.words(counters, key, count), *bounds)
    return [tf.reshape(drawn, [-1, *out.shape])]
