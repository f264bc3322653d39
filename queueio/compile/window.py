"""decode_jpeg and a crop right after it: only what the crop can use is decoded.

    DecodeJpeg ─▶ Slice [y, x, h, w]   becomes   DecodeAndCropJpeg [y, x - 8, all below, w + 16]

with the same bits and the same errors, which is why the window is wider than the crop. To the
sides, since fancy upscaling mixes a pixel of colour with its neighbours, and at the border of a
window there are none. Down to the last row, since a decoder that stops early does not see that
the file is cut short or damaged further down, and the user's own op does.

Whatever else may come is left to the user's own ops, when it comes: a small file, one that is no
JPEG, a window that is not inside the image, one that keeps most of it. Left alone altogether are
images scaled by `ratio`, `channels=0`, files taken in spite of damage
(`try_recover_truncated`, `acceptable_fraction`), and images of which more than the crop and the
shape is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import graph_pb2

from queueio.graph.copying import PREFIX, copy_ops, in_graph
from queueio.graph.fragment import Fragment

_MARGIN = 8
_WORTH = 0.75
"""The share of the image that a window may keep."""
LEAST_BYTES = 1 << 17
"""Smaller files are decoded whole: to look at the window costs a tenth of a millisecond."""
_UNUSED = {"ratio": 1, "try_recover_truncated": False, "acceptable_fraction": 1.0}
_ODD_MASKS = ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


@dataclass(frozen=True, eq=False)
class Window:
    """A decoder, the ops that hand its image on, the crop, and the ops that ask for its shape."""

    decode: tf.Operation
    views: tuple[tf.Operation, ...]
    crop: tf.Operation
    shapes: tuple[tuple[tf.Operation, int], ...]
    """Each with the number of axes of size 1 that the views have put in front."""

    @property
    def axes(self) -> int:
        """How many axes of size 1 the views put in front of the image."""
        return sum(op.type == "ExpandDims" for op in self.views)


@dataclass(frozen=True)
class Windowed(Fragment):
    """A fragment whose windows are decoded alone."""

    windows: tuple[Window, ...] = ()

    def copied(self, known: dict[str, Any]) -> list[tf.Tensor]:
        """Copies of the outputs."""
        return self.copy_after_awaited(self.ops, known, self._rewrite)

    def _rewrite(self, graph_def: graph_pb2.GraphDef) -> None:
        for window in self.windows:
            _replace(graph_def, window)


def windowed(fragment: Fragment) -> Fragment:
    """`fragment` with every window of a JPEG decoded alone; itself where there is none."""
    windows = tuple(_windows(fragment))
    if not windows:
        return fragment
    whole = {f.name: getattr(fragment, f.name) for f in fields(Fragment)}
    return Windowed(**whole, windows=windows)


def _windows(fragment: Fragment) -> Iterator[Window]:
    inside, leaving = set(fragment.ops), {t.ref() for t in fragment.outputs}
    awaited = {c for op in fragment.ops for c in op.control_inputs}
    for decode in fragment.ops:
        if decode.type != "DecodeJpeg" or not _plain(decode):
            continue
        views: list[tf.Operation] = []
        shapes: list[tuple[tf.Operation, int]] = []
        op = decode
        while op not in awaited and op.outputs[0].ref() not in leaving:
            users = [user for user in op.outputs[0].consumers() if user in inside]
            axes = sum(view.type == "ExpandDims" for view in views)
            shapes += [(user, axes) for user in users if user.type == "Shape"]
            others = [user for user in users if user.type != "Shape"]
            if len(others) != 1:
                break
            (op,) = others
            if _is_crop(op, axes):
                yield Window(decode, tuple(views), op, tuple(shapes))
                break
            if op.type != "Identity" and not _adds_axis(op):
                break
            views.append(op)


def _plain(decode: tf.Operation) -> bool:
    usual = all(decode.get_attr(name) == value for name, value in _UNUSED.items())
    return usual and decode.get_attr("channels") in (1, 3)


def _adds_axis(op: tf.Operation) -> bool:
    return op.type == "ExpandDims" and bool(tf.get_static_value(op.inputs[1]) == 0)


def _is_crop(op: tf.Operation, axes: int) -> bool:
    if op.type == "Slice":
        return bool(op.inputs[1].shape == [3 + axes])
    if op.type != "StridedSlice" or any(op.get_attr(mask) for mask in _ODD_MASKS):
        return False
    strides = tf.get_static_value(op.inputs[3])
    return strides is not None and bool((strides == 1).all()) and len(strides) <= 3 + axes


def _replace(graph_def: graph_pb2.GraphDef, window: Window) -> None:
    """Puts calls of functions in the places of the crop and of the shapes."""
    passed = {op.name for op in (window.decode, *window.views)}
    nodes = {node.name: node for node in graph_def.node}
    content = nodes[window.decode.name].input[0]
    waits = [e for name in passed for e in nodes[name].input if e.startswith("^")]
    crop = nodes[window.crop.name]
    inputs = [content, *crop.input[1:], *waits]
    _call(graph_def, crop, _crop_of(window), _specs(window), inputs)
    for op, axes in window.shapes:
        node = nodes[op.name]
        out = op.outputs[0].dtype
        inputs = [content, *node.input[1:]]
        _call(graph_def, node, _shape_of(window, axes, out), _specs(window)[:1], inputs)
    kept = [node for node in graph_def.node if node.name not in passed]
    del graph_def.node[:]
    graph_def.node.extend(kept)


def _specs(window: Window) -> list[tf.TensorSpec]:
    where = [tf.TensorSpec(t.shape, t.dtype) for t in window.crop.inputs[1:]]
    return [tf.TensorSpec([], tf.string), *where]


def _call(
    graph_def: graph_pb2.GraphDef,
    node: Any,
    run: Callable[..., tf.Tensor],
    specs: list[tf.TensorSpec],
    inputs: list[str],
) -> None:
    """Makes `node` the result of a call of `run`.

    The call is a node of its own, with a name that no scope of the user's has: when TensorFlow
    puts a function's nodes in the place of its call, they get names under that one.
    """
    with tf.Graph().as_default():
        function = tf.function(run, specs, autograph=False).get_concrete_function()
    # Not through the GraphDef's library: a definition leaves the runtime with its Python object,
    # which only the graph that calls it keeps as long as it is called.
    function.add_to_graph(in_graph())
    dtype = function.outputs[0].dtype
    call = graph_def.node.add(name=f"{node.name}/queueio_window", op="PartitionedCall")
    call.input.extend(inputs)
    call.attr["Tin"].list.type.extend(spec.dtype.as_datatype_enum for spec in specs)
    call.attr["Tout"].list.type.append(dtype.as_datatype_enum)
    call.attr["f"].func.name = function.function_def.signature.name
    node.ClearField("input")
    node.attr.clear()
    node.op = "Identity"
    node.input.append(call.name)
    node.attr["T"].type = dtype.as_datatype_enum


def _is_jpeg(content: tf.Tensor) -> tf.Tensor:
    return tf.equal(tf.strings.substr(content, 0, 3), b"\xff\xd8\xff")


def _size(window: Window, content: tf.Tensor) -> tf.Tensor:
    """Height, width and channels of a JPEG, out of its header."""
    name = f"{PREFIX}/{window.decode.name}"
    found = tf.raw_ops.ExtractJpegShape(contents=content, name=name)
    return tf.concat([found[:2], [window.decode.get_attr("channels")]], 0)


def _by_own_ops(window: Window, values: list[tf.Tensor], *ops: tf.Operation) -> tf.Tensor:
    """The result of the last of `ops`, which follow one another, as in the user's graph."""
    constants = [t.op for view in ops for t in view.inputs[1:] if view in window.views]
    inputs = [window.decode.inputs[0], *window.crop.inputs[1:]]
    known = {t.name: v for t, v in zip(inputs, values, strict=False)}
    name = ops[-1].outputs[0].name
    return copy_ops(window.decode.graph, [*constants, *ops], known, [name])[0]


def _shape_of(window: Window, axes: int, dtype: tf.DType) -> Callable[..., tf.Tensor]:
    def run(content: tf.Tensor) -> tf.Tensor:
        size = tf.cond(
            _is_jpeg(content),
            lambda: _size(window, content),
            lambda: tf.shape(_by_own_ops(window, [content], window.decode)),
        )
        return tf.cast(tf.concat([[1] * axes, size], 0), dtype)

    return run


def _crop_of(window: Window) -> Callable[..., tf.Tensor]:
    def run(content: tf.Tensor, *where: tf.Tensor) -> tf.Tensor:
        def own() -> tf.Tensor:
            path = [window.decode, *window.views, window.crop]
            return _by_own_ops(window, [content, *where], *path)

        def narrow() -> tf.Tensor:
            return _narrow(window, content, where, own)

        large = tf.strings.length(content) >= LEAST_BYTES
        return tf.cond(large & _is_jpeg(content), narrow, own)

    return run


def _narrow(
    window: Window, content: tf.Tensor, where: tuple[tf.Tensor, ...], own: Callable[[], tf.Tensor]
) -> tf.Tensor:
    """The crop of a JPEG, out of a window of it where that is inside and worth it."""
    full = tf.concat([[1] * window.axes, _size(window, content)], 0)
    begin, part = _bounds(window.crop, where, tf.cast(full, tf.int64))
    whole = [n for n in range(3 + window.axes) if n not in (window.axes, window.axes + 1)]
    at, last = tf.unstack(tf.cast(begin, tf.int32)), tf.unstack(tf.cast(begin + part, tf.int32))
    (y, x), (_, end) = at[window.axes :][:2], last[window.axes :][:2]
    rows, columns = tf.unstack(full)[window.axes :][:2]
    left, right = tf.maximum(x - _MARGIN, 0), tf.minimum(end + _MARGIN, columns)
    area = tf.stack([y, left, rows - y, right - left])
    fits = tf.reduce_all((begin >= 0) & (part > 0) & (begin + part <= tf.cast(full, tf.int64)))
    fits &= tf.reduce_all([tf.equal(last[n] - at[n], full[n]) for n in whole])
    kept = tf.cast(area[2], tf.float32) * tf.cast(area[3], tf.float32)
    worth = kept < _WORTH * tf.cast(rows, tf.float32) * tf.cast(columns, tf.float32)

    def alone() -> tf.Tensor:
        image = _decoded(window.decode, content, area)
        return tf.reshape(image[: last[window.axes] - y, x - left : end - left], part)

    return tf.cond(fits & worth, alone, own)


def _decoded(decode: tf.Operation, content: tf.Tensor, area: tf.Tensor) -> tf.Tensor:
    kept = ("channels", "fancy_upscaling", "dct_method")
    attrs = {name: decode.get_attr(name) for name in kept}
    attrs["dct_method"] = attrs["dct_method"].decode()
    return tf.raw_ops.DecodeAndCropJpeg(
        contents=content, crop_window=area, name=f"{PREFIX}/{decode.name}", **attrs
    )


def _bounds(
    crop: tf.Operation, where: tuple[tf.Tensor, ...], full: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Where a crop begins and how much it takes, for each axis of an image of size `full`."""
    begin, other = (tf.cast(t, tf.int64) for t in where[:2])
    if crop.type == "Slice":
        return begin, tf.where(tf.equal(other, -1), full - begin, other)
    count = len(tf.get_static_value(crop.inputs[3]))
    some, rest = full[:count], full[count:]
    begin = tf.where(
        _bits(crop.get_attr("begin_mask"), count), tf.zeros_like(some), _from_start(begin, some)
    )
    end = tf.where(_bits(crop.get_attr("end_mask"), count), some, _from_start(other, some))
    return tf.concat([begin, tf.zeros_like(rest)], 0), tf.concat([end - begin, rest], 0)


def _bits(mask: int, count: int) -> list[bool]:
    return [bool(mask >> n & 1) for n in range(count)]


def _from_start(index: tf.Tensor, full: tf.Tensor) -> tf.Tensor:
    """An index of Python's as an offset within an axis."""
    return tf.clip_by_value(tf.where(index < 0, index + full, index), 0, full)
