"""Keys that wait in a pool as the parts that they are made of.

    name, number ─▶ pool ─▶ [as_string, join: `name:number`] ─▶ batch

A key is a string of its own for each record, made, counted and freed one by one, by the thread of
the pool among others. The name of a file is one string, however many records have it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import tensorflow as tf

from queueio.compile.cut import cheapest_cut
from queueio.compile.if_conversion import if_converted
from queueio.compile.kernels.budget import known_bytes
from queueio.compile.kernels.keys import joined
from queueio.compile.known_shapes import is_handle, remade
from queueio.compile.vectorise import vectorise
from queueio.graph.fragment import Fragment

v1 = tf.compat.v1
_NAME_BYTES = 128  # of a file's name, if each row had another one


def with_key_put_off(fragment: Fragment) -> Fragment | None:
    """`fragment` with two inputs, the name and the number, for the key, which is its first one.

    None where that brings nothing: the key is needed before a pool, or other strings wait there
    beside it, or examples are made one by one; or where it cannot be, as a reference variable is
    read.
    """
    if not all(map(is_handle, fragment.captures)):
        return None
    made = _in_parts(fragment)
    name = made.inputs[0]
    before, after = cheapest_cut(made, [name])
    if not any(t is name for t in after.inputs) or bytes_with_name(before.outputs, name) is None:
        return None
    pieces = vectorise(if_converted(before))
    return None if any(piece.one_by_one for piece in pieces) else made


def bytes_with_name(rows: Iterable[tf.Tensor], name: tf.Tensor) -> int | None:
    """Bytes of what waits in a pool for one example; None where only the data tell.

    The name of a file is a string of which enough is known: it is as long as a path, and one.
    """
    others = known_bytes(t for t in rows if t is not name)
    return None if others is None else others + _NAME_BYTES


def _in_parts(fragment: Fragment) -> Fragment:
    key, *others = fragment.inputs
    with tf.Graph().as_default():
        name = v1.placeholder(tf.string, [], name="queueio_name")
        number = v1.placeholder(tf.int64, [], name="queueio_number")
        rest = [v1.placeholder(t.dtype, t.shape, name="queueio_entering") for t in others]
        with tf.name_scope("queueio_key"):
            known = {key.name: joined(name, number)}
        known.update(zip((t.name for t in others), rest, strict=True))
        made = remade(fragment, [name, number, *rest], known)
    # What needs no key comes first, so that the rest can wait for the end of the pool.
    late = replace(made, inputs=(name, number)).depending()
    return replace(made, ops=tuple(sorted(made.ops, key=late.__contains__)))
