"""Shapes and joins."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.emit.ops import SourceSite, expresses
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, subscript
from queueio.emit.spelling.lists import listed
from queueio.graph.equal_stack import is_misread

_PLAIN = {
    "Reshape": "tf.reshape", "ExpandDims": "tf.expand_dims", "Tile": "tf.tile",
    "Fill": "tf.fill", "BroadcastTo": "tf.broadcast_to", "Slice": "tf.slice",
    "ReverseV2": "tf.reverse", "Range": "tf.range", "LinSpace": "tf.linspace",
    "MatrixDiag": "tf.linalg.diag", "Diag": "tf.linalg.tensor_diag", "GatherNd": "tf.gather_nd",
    "ScatterNd": "tf.scatter_nd", "Rank": "tf.rank", "BroadcastArgs": "tf.broadcast_dynamic_shape",
    "DynamicStitch": "tf.dynamic_stitch", "SegmentSum": "tf.math.segment_sum",
    "SegmentMean": "tf.math.segment_mean", "SegmentMax": "tf.math.segment_max",
    "UnsortedSegmentSum": "tf.math.unsorted_segment_sum",
}  # fmt: skip


@expresses(*_PLAIN)
def function(site: SourceSite) -> Any:
    """`tf.reshape(x, [28, 28])`."""
    if not site.bare():
        return None
    if site.op.type == "DynamicStitch":
        half = len(site.op.inputs) // 2
        parts = listed(site.args[:half]), listed(site.args[half:])
        return call("tf.dynamic_stitch", *parts)
    if site.op.type == "Reshape" and site.static(1) is not None:
        return call("tf.reshape", site.arg(0), literal.plain(_any_batch(site, site.static(1))))
    if site.op.type == "Reshape" and site.op.outputs[0].shape.is_fully_defined():
        return call("tf.reshape", site.arg(0), literal.shape(site.op.outputs[0].shape))
    return call(_PLAIN[site.op.type], *site.args)


def _any_batch(site: SourceSite, shape: Any) -> Any:
    """`[-1, 3]` for `[8, 3]` where a caller may ask for batches of another size than 8."""
    rows, before = site.body.rows, site.op.inputs[0].shape
    batches = rows is not None and before.rank and before.as_list()[0] == rows
    if not batches or not shape.size or shape[0] != rows or -1 in shape:
        return shape
    return [-1, *shape[1:]]


@expresses("Transpose")
def transpose(site: SourceSite) -> Code:
    """`tf.transpose(x, [1, 2, 0])`; no order where it is the reverse."""
    order = site.static(1)
    if order is not None and list(order) == list(range(len(order)))[::-1]:
        return call("tf.transpose", site.arg(0))
    return call("tf.transpose", *site.args)


@expresses("Squeeze")
def squeeze(site: SourceSite) -> Code:
    """Without dimensions of size one."""
    axes = [int(i) for i in site.attr("squeeze_dims")]
    if not axes:
        return call("tf.squeeze", site.arg(0))
    return call("tf.squeeze", site.arg(0), axis=literal.plain(axes))


@expresses("Shape", "Size")
def shape(site: SourceSite) -> Code:
    """`tf.shape(x)`."""
    kind = site.attr("out_type")
    more = None if kind == tf.int32 else literal.dtype(kind)
    return call(f"tf.{site.op.type.lower()}", site.arg(0), out_type=more)


@expresses("Pack")
def pack(site: SourceSite) -> Code:
    """`tf.stack([a, b])`."""
    axis = site.attr("axis")
    if is_misread(site.op):
        rows = [call("tf.expand_dims", arg, Code(str(axis))) for arg in site.args]
        return call("tf.concat", listed(rows), Code(str(axis)))
    return call("tf.stack", listed(site.args), axis=Code(str(axis)) if axis else None)


@expresses("Unpack")
def unpack(site: SourceSite) -> list[Code]:
    """Its parts, by their index."""
    axis = site.attr("axis")
    value = site.body.bound(site.op.inputs[0])
    if axis < 0:
        index = "..., {}" + ", :" * (-axis - 1)
    else:
        index = ":, " * axis + "{}"
    return [subscript(value, index.format(i)) for i in range(site.attr("num"))]


@expresses("ParallelConcat")
def parallel_concat(site: SourceSite) -> Code:
    """`tf.concat([a, b], 0)`: `tf.parallel_stack` does not take what only set_shape knew."""
    return call("tf.concat", listed(site.args), Code("0"))


@expresses("ConcatV2", "Concat")
def concat(site: SourceSite) -> Code:
    """`tf.concat([a, b], 0)`."""
    args = site.args
    if site.op.type == "Concat":
        args = [*args[1:], args[0]]
    return call("tf.concat", listed(args[:-1]), args[-1])


@expresses("Split", "SplitV")
def split(site: SourceSite) -> list[Code]:
    """`a, b = tf.split(x, 2)`."""
    if site.op.type == "Split":
        axis, value, sizes = site.arg(0), site.arg(1), Code(str(site.attr("num_split")))
    else:
        value, sizes, axis = site.args
    where = None if axis.flat == "0" else axis
    return site.body.unpacked(site.op, call("tf.split", value, sizes, axis=where))


@expresses("GatherV2", "Gather", "ResourceGather")
def gather(site: SourceSite) -> Any:
    """`tf.gather(params, indices)`."""
    axis = site.arg(2) if site.op.type == "GatherV2" else None
    where = None if axis is None or axis.flat == "0" else axis
    if not site.usual(batch_dims=0):
        dims = Code(str(site.attr("batch_dims")))
        return call("tf.gather", site.arg(0), site.arg(1), axis=axis, batch_dims=dims)
    return call("tf.gather", site.arg(0), site.arg(1), axis=where)


@expresses("OneHot")
def one_hot(site: SourceSite) -> Any:
    """`tf.one_hot(labels, 10)`."""
    axis = None if site.attr("axis") == -1 else Code(str(site.attr("axis")))
    kind = site.op.outputs[0].dtype
    on, off = site.static(2), site.static(3)
    given = None if kind == tf.float32 else literal.dtype(kind)
    # The function's own one and zero are numbers, and that zero is no negative one.
    own = kind != tf.bool and on == 1 and off is not None and off.tobytes() == bytes(off.nbytes)
    if own:
        return call("tf.one_hot", site.arg(0), site.arg(1), axis=axis, dtype=given)
    return call("tf.one_hot", *site.args, axis=axis, dtype=given)


@expresses("Pad", "PadV2", "MirrorPad")
def pad(site: SourceSite) -> Code:
    """`tf.pad(x, [[1, 1], [1, 1]])`."""
    mode = None
    if site.op.type == "MirrorPad":
        mode = site.text("mode")
    fill = site.arg(2) if site.op.type == "PadV2" else None
    return call("tf.pad", site.arg(0), site.arg(1), mode=mode, constant_values=fill)


@expresses("DynamicPartition")
def dynamic_partition(site: SourceSite) -> list[Code]:
    """Rows sorted into lots."""
    count = Code(str(site.attr("num_partitions")))
    return site.body.unpacked(site.op, call("tf.dynamic_partition", *site.args, count))


@expresses("TopKV2")
def top_k(site: SourceSite) -> list[Code]:
    """The largest values and where they are."""
    flag = None if site.attr("sorted") else Code("False")
    return site.body.unpacked(site.op, call("tf.math.top_k", *site.args, sorted=flag))


@expresses("Unique", "UniqueWithCounts")
def unique(site: SourceSite) -> list[Code]:
    """Each value once."""
    kind = site.attr("out_idx")
    more = None if kind == tf.int32 else literal.dtype(kind)
    name = "tf.unique" if site.op.type == "Unique" else "tf.unique_with_counts"
    return site.body.unpacked(site.op, call(name, site.arg(0), out_idx=more))
