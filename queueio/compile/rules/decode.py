"""Decoders that take a vector of records: Example protos, CSV lines, raw bytes."""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.rules.rule import Site, again, only, rule


@rule("DecodeRaw", "DecodePaddedRaw", "DecodeCSV", "DecodeJSONExample", "DecodeCompressed",
      fits=only(0))  # fmt: skip
def records(site: Site, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values)


def _dense_only(site: Site) -> bool:
    shapes = [tf.TensorShape(s) for s in site.attr("dense_shapes")]
    return (
        only(0)(site)
        and site.rank(0) == 0
        and site.attr("num_sparse") == 0
        and all(s.is_fully_defined() for s in shapes)
    )


@rule("ParseSingleExample", fits=_dense_only)
def parse_single_example(site: Site, values: list[tf.Tensor]) -> list[tf.Tensor]:
    none = tf.zeros([0], tf.string)
    parsed = tf.raw_ops.ParseExampleV2(
        serialized=values[0],
        names=none,
        sparse_keys=none,
        dense_keys=tf.constant(site.attr("dense_keys"), tf.string, [len(values) - 1]),
        ragged_keys=none,
        dense_defaults=values[1:],
        num_sparse=0,
        sparse_types=[],
        ragged_value_types=[],
        ragged_split_types=[],
        dense_shapes=site.attr("dense_shapes"),
    )
    return list(parsed.dense_values)


def _dense_v2(site: Site) -> bool:
    return _dense_only(site) and not site.attr("ragged_value_types")


@rule("ParseExampleV2", fits=_dense_v2)
def parse_example_v2(site: Site, values: list[tf.Tensor]) -> list[tf.Tensor]:
    return again(site.op, values)
