"""Random numbers, with the seeds that the graph had."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.emit import literal
from queueio.emit.code import Code, call, code
from queueio.emit.ops import Site, expresses

_NAMES = {
    "RandomUniform": "tf.random.uniform", "RandomStandardNormal": "tf.random.normal",
    "TruncatedNormal": "tf.random.truncated_normal",
}  # fmt: skip


def seed(site: Site) -> Code | None:
    """The op's own seed; the graph's alone is a seed as well."""
    graph, own = int(site.attr("seed")), int(site.attr("seed2"))
    return None if (graph, own) == (0, 0) else code(own or graph)


def shape(site: Site) -> Code:
    """The shape that is drawn; `[]` for one number."""
    known = site.static(0)
    return site.arg(0) if known is None else literal.plain(known)


@expresses(*_NAMES)
def uniform(site: Site) -> Code:
    """`tf.random.uniform([], seed=7)`."""
    kind = site.attr("dtype")
    more = None if kind == tf.float32 else literal.dtype(kind)
    return call(_NAMES[site.op.type], shape(site), dtype=more, seed=seed(site))


@expresses("RandomUniformInt")
def uniform_int(site: Site) -> Code:
    """`tf.random.uniform([], 0, 10, tf.int32)`."""
    kind = literal.dtype(site.op.outputs[0].dtype)
    low, high = site.operand(1), site.operand(2)
    return call("tf.random.uniform", shape(site), low, high, kind, seed=seed(site))


@expresses("RandomShuffle")
def shuffle(site: Site) -> Code:
    """`tf.random.shuffle(rows)`."""
    return call("tf.random.shuffle", site.arg(0), seed=seed(site))


@expresses("Multinomial")
def categorical(site: Site) -> Any:
    """`tf.random.categorical(logits, 1)`."""
    kind = site.attr("output_dtype")
    more = None if kind == tf.int64 else literal.dtype(kind)
    return call("tf.random.categorical", *site.args, dtype=more, seed=seed(site))
