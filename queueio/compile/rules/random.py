"""Random ops without a seed: any independent draw is as good as any other.

With a seed, the n-th example gets the n-th draw, which a draw of many at once would change;
seeded ops stay per example, in order.
"""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.rules.rule import Site, again, ahead, rule


def unseeded(site: Site) -> bool:
    return not any(site.stacked) and site.attr("seed") == 0 and site.attr("seed2") == 0


@rule("RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal",
      fits=unseeded)  # fmt: skip
def draw(site: Site, values: list[tf.Tensor]) -> list[tf.Tensor]:
    shape = tf.cast(values[0], tf.int32)
    return again(site.op, [ahead(site.rows, shape), *values[1:]])
