"""Where values come from: decoders of a vector of records, and random ops without a seed.

Of random draws without a seed any independent one is as good as any other. With a seed, the n-th
example gets the n-th draw, which a draw of many at once would change; seeded ops stay per example,
in order.
"""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.parsing import Features
from queueio.compile.rules.rule import ChunkSite, ahead, only, rule
from queueio.graph.copying import again


@rule("DecodeRaw", "DecodePaddedRaw", "DecodeCSV", "DecodeJSONExample", "DecodeCompressed",
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
def parse_single_example(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    features = Features.of(site.op)
    assert features is not None
    return list(features.parsed(values[0], values[1:]).dense_values)


def _dense_v2(site: ChunkSite) -> bool:
    return _dense_only(site) and not site.attr("ragged_value_types")


@rule("ParseExampleV2", fits=_dense_v2)
def parse_example_v2(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values)


def unseeded(site: ChunkSite) -> bool:
    return not any(site.stacked) and site.attr("seed") == 0 and site.attr("seed2") == 0


@rule("RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal",
      fits=unseeded)  # fmt: skip
def draw(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    shape = tf.cast(values[0], tf.int32)
    return again(site.op, [ahead(site.rows, shape), *values[1:]])
