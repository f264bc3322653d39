"""Text split into parts, where all examples have as many: fields of a line, words of a fixed form.

    fields = tf.string_split([line], ",").values      how many there are, no graph says
    numbers = tf.reshape(tf.string_to_number(fields), [6])      but this wants six of them

The lines of a chunk are split in one call. If one has another number of parts, the chunk fails, and
goes example by example, where that line fails as it did.
"""

from __future__ import annotations

import tensorflow as tf

from queueio.compile.rules.elementwise import EXACT_UNARY, STRINGS
from queueio.compile.rules.rule import ChunkSite, only, rule
from queueio.graph.copying import again

_AS_MANY = frozenset({*EXACT_UNARY, *STRINGS, "Cast"})
"""Unary ops that give as many elements as they take."""


def _one_text_into_known_parts(site: ChunkSite) -> bool:
    known = site.shape(0).is_fully_defined() and site.shape(0).as_list() == [1]
    return only(0)(site) and known and bool(_parts(site.op))


@rule("StringSplit", "StringSplitV2", fits=_one_text_into_known_parts, retreats=lambda site: True)
def split_text(site: ChunkSite, values: list[tf.Tensor]) -> list[tf.Tensor]:
    parts, rows = _parts(site.op), site.rows
    assert parts is not None
    places, texts, _ = again(site.op, [tf.reshape(values[0], [-1]), *values[1:]])
    expected = tf.tile(tf.range(parts, dtype=tf.int64), [rows])
    here = tf.equal(tf.size(texts), tf.size(expected))
    with tf.control_dependencies([tf.debugging.Assert(here, [site.op.name])]):
        there = tf.reduce_all(tf.equal(tf.reshape(places[:, 1], [-1]), expected))
    with tf.control_dependencies([tf.debugging.Assert(there, [site.op.name])]):
        texts = tf.reshape(texts, [rows, parts])
    place = [[0, part] for part in range(parts)]
    return [
        tf.tile(tf.constant([place], tf.int64), [rows, 1, 1]),
        texts,
        tf.tile(tf.constant([[1, parts]], tf.int64), [rows, 1]),
    ]


def _parts(op: tf.Operation) -> int | None:
    """How many parts there must be for what takes them to succeed, if that tells."""
    waiting, seen = [op.outputs[1]], {op.outputs[1].ref()}
    while waiting:
        texts = waiting.pop()
        if texts.shape.is_fully_defined():
            return int(texts.shape[0])
        for user in texts.consumers():
            out = user.outputs[0] if user.outputs else texts
            if user.type == "Reshape" and user.inputs[0] is texts and out.shape.num_elements():
                return int(out.shape.num_elements())
            if user.type == "Unpack" and user.get_attr("axis") == 0:
                return int(user.get_attr("num"))
            if user.type in _AS_MANY and out.ref() not in seen:
                seen.add(out.ref())
                waiting.append(out)
    return None
