"""A stream that is sorted into buckets, of each of which batches are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from queueio.emit.spelling.code import Code, call, code, function
from queueio.emit.spelling.literal import structured
from queueio.emit.steps.lines import Lines

_NOTES = ["A batch comes when its bucket is full; in the queues the buckets raced."]


def write_buckets(writer: Lines, node: Any, stream: str, taken: Sequence[int], wanted: Any) -> str:
    """`filter`, `group_by_window` and a map; the variable that holds the dataset.

    Args:
      writer: of the module.
      node: the stage, with `keys` and the `batches` that it makes.
      stream: the variable with pairs of an example, of the components `taken`, and its key.
      taken: places of components of an example.
      wanted: the structure of the result, with positions of what `batches` gives.
    """
    fits, key = _bucket_of(node.keys)
    writer.step(node, stream, "filter", f"lambda _, key: {fits}", notes=_NOTES)
    size, window = _sizes(node.batches.sizes, key)
    writer.again(
        stream, "group_by_window", key_func=f"lambda _, key: {key}",
        reduce_func=function(["bucket", "window"], _batch(writer, node, taken, size)), **window,
    )  # fmt: skip
    part = {place: f"batch[{i}]" if len(taken) > 1 else "batch" for i, place in enumerate(taken)}

    def spelled(position: int) -> Code:
        which = node.batches.gives[position]
        return code(part[which] if isinstance(which, int) else _constant(node, which))

    result = structured(wanted, spelled)
    names = ["batch" if "batch" in result.flat else "_", "key" if "key[" in result.flat else "_"]
    return writer.again(stream, "map", function(_distinct(names), result))


def inner(taken: Sequence[int]) -> Any:
    """The structure of an example with these components: of one, that one bare."""
    return tuple(taken) if len(taken) > 1 else taken[0]


def _bucket_of(keys: tuple[int, ...]) -> tuple[str, str]:
    """Whether a key leads to a bucket, and the number of that bucket."""
    if keys == tuple(range(len(keys))):
        return f"tf.logical_and(key >= 0, key < {len(keys)})", "tf.cast(key, tf.int64)"
    fits = f"tf.equal({list(keys)}, key)"
    return f"tf.reduce_any({fits})", f"tf.argmax(tf.cast({fits}, tf.int32))"


def _sizes(sizes: tuple[int, ...], key: str) -> tuple[str, dict[str, Any]]:
    """How many examples a batch has, and the arguments that say so of a window."""
    if len(set(sizes)) == 1:
        return str(sizes[0]), {"window_size": sizes[0]}
    size = f"tf.gather(tf.constant({list(sizes)}, tf.int64), bucket)"
    return size, {"window_size_func": f"lambda bucket: {size}"}


def _batch(writer: Lines, node: Any, taken: Sequence[int], size: str) -> Code:
    """The batches of a window of pairs of an example and its key."""
    drop = None if node.batches.smaller else "True"
    if not node.batches.pads:
        return call("window.batch", size, drop_remainder=drop)
    shapes = writer.shapes([*node.batches.examples, tf.TensorSpec([])], (inner(taken), -1))
    return call("window.padded_batch", size, padded_shapes=shapes, drop_remainder=drop)


def _constant(node: Any, which: Any) -> str:
    """What a batch's key stands for, which all of its examples have."""
    dtype = tf.as_dtype(which.dtype)
    values = which.tolist()
    if values == list(node.keys) and dtype == node.input.elements[-1].dtype:
        return "key[0]"
    given = f"{values}" if dtype == tf.int32 else f"tf.constant({values}, tf.{dtype.name})"
    place = f"tf.equal({list(node.keys)}, key[0])"
    return f"tf.gather({given}, tf.argmax(tf.cast({place}, tf.int32)))"


def _distinct(names: list[str]) -> list[str]:
    return ["_", "__"] if names == ["_", "_"] else names
