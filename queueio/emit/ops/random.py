"""Random numbers, with the seeds that the graph had."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.framework.random_seed import DEFAULT_GRAPH_SEED  # no public spelling

from queueio.emit.facts.draws import seed_of
from queueio.emit.ops import SourceSite, expresses
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, code

_NAMES = {
    "RandomUniform": "tf.random.uniform", "RandomStandardNormal": "tf.random.normal",
    "TruncatedNormal": "tf.random.truncated_normal",
}  # fmt: skip


def seed(site: SourceSite) -> Code | None:
    """`7`, or nothing."""
    found = seed_of(site.op)
    return None if found is None else code(found)


def shape(site: SourceSite) -> Code:
    """The shape that is drawn; `[]` for one number."""
    known = site.static(0)
    return site.arg(0) if known is None else literal.plain(known)


@expresses(*_NAMES)
def uniform(site: SourceSite) -> Code:
    """`tf.random.uniform([], seed=7)`."""
    kind = site.attr("dtype")
    more = None if kind == tf.float32 else literal.dtype(kind)
    return call(_NAMES[site.op.type], shape(site), dtype=more, seed=seed(site))


@expresses("RandomUniformInt")
def uniform_int(site: SourceSite) -> Code:
    """`tf.random.uniform([], 0, 10, tf.int32)`."""
    kind = literal.dtype(site.op.outputs[0].dtype)
    low, high = site.operand(1), site.operand(2)
    return call("tf.random.uniform", shape(site), low, high, kind, seed=seed(site))


@expresses("RandomShuffle")
def shuffle(site: SourceSite) -> Code:
    """`tf.random.shuffle(rows)`."""
    return call("tf.random.shuffle", site.arg(0), seed=seed(site))


@expresses("Multinomial")
def categorical(site: SourceSite) -> Any:
    """`tf.random.categorical(logits, 1)`."""
    kind = site.attr("output_dtype")
    more = None if kind == tf.int64 else literal.dtype(kind)
    return call("tf.random.categorical", *site.args, dtype=more, seed=seed(site))


@expresses("SampleDistortedBoundingBoxV2")
def sample_distorted_bounding_box(site: SourceSite) -> Any:
    """`begin, size, _ = tf.image.sample_distorted_bounding_box(tf.shape(image), boxes)`."""
    if site.attr("seed") not in (0, DEFAULT_GRAPH_SEED):
        return None  # TF1's function took both seeds, today's takes one
    kinds = (("aspect_ratio_range", [0.75, 1.33]), ("area_range", [0.05, 1.0]))
    more: dict[str, Any] = {"seed": seed(site), "min_object_covered": site.arg(2)}
    for name, usual in kinds:
        given = np.array(site.attr(name), np.float32)
        if not np.array_equal(given, np.array(usual, np.float32)):
            more[name] = literal.plain(given)
    if site.attr("max_attempts") != 100:
        more["max_attempts"] = code(site.attr("max_attempts"))
    if site.attr("use_image_if_no_bounding_boxes"):
        more["use_image_if_no_bounding_boxes"] = Code("True")
    if more["min_object_covered"].flat == "0.1":
        del more["min_object_covered"]
    name = "tf.image.sample_distorted_bounding_box"
    found = call(name, site.arg(0), site.arg(1), **more)
    return site.body.unpacked(site.op, found, ("begin", "size", "bboxes"))
