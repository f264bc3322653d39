"""The functions of `tf.image`: how their arguments are found in the ops that they left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.emit.calls import Call, Guess, ScopedOps, made_by
from queueio.emit.facts.draws import seed_of
from queueio.graph.traversal import root

_FACTORS = ("AddV2", "Add", "AdjustContrastv2", "AdjustSaturation", "AdjustHue")
_RESIZES = {
    "ResizeBilinear": "bilinear", "ResizeNearestNeighbor": "nearest",
    "ResizeBicubic": "bicubic", "ResizeArea": "area",
}  # fmt: skip


def _plain(name: str) -> None:
    """A function of the image alone, whose scope has its name."""

    @made_by(name)
    def guess(group: ScopedOps, image: Any) -> Iterator[Call]:
        yield Call(f"tf.image.{name}", (image,))


for _name in (
    "per_image_standardization",
    "rgb_to_grayscale",
    "grayscale_to_rgb",
    "flip_left_right",
    "flip_up_down",
):
    _plain(_name)


@made_by("random_flip_left_right", "random_flip_up_down")
def random_flip(group: ScopedOps, image: Any) -> Iterator[Call]:
    """`tf.image.random_flip_left_right(image)`."""
    drawn = group.last("RandomUniform")
    across = "random_flip_left_right" in group.end.name
    if drawn is not None:
        name = "random_flip_left_right" if across else "random_flip_up_down"
        yield Call(f"tf.image.{name}", (image,), _seed(drawn))


def _adjusted(kind: str, symmetric: bool) -> Guess:
    """`tf.image.adjust_…` by a factor, or `tf.image.random_…` where the factor is drawn."""

    @made_by(f"adjust_{kind}")
    def guess(group: ScopedOps, image: Any) -> Iterator[Call]:
        op = group.last(*_FACTORS)
        if op is None or image.shape.rank == 0:
            return
        factor = root(op.inputs[1])
        drawn = _uniform(factor, group)
        if drawn is not None:
            low, high, seed = drawn
            bounds = {"max_delta": high} if symmetric else {"lower": low, "upper": high}
            yield Call(f"tf.image.random_{kind}", (image,), {**bounds, **seed})
        known = _number(group, factor)
        yield Call(f"tf.image.adjust_{kind}", (image, factor if known is None else known))

    return guess


for _name, _symmetric in (
    ("brightness", True), ("contrast", False), ("saturation", False), ("hue", True),
):  # fmt: skip
    _adjusted(_name, _symmetric)


@made_by("random_crop")
def random_crop(group: ScopedOps, image: Any) -> Iterator[Call]:
    """`tf.image.random_crop(image, [24, 24, 3])`."""
    drawn, size = group.last("RandomUniformInt"), _numbers(group, "Slice", 2)
    if drawn is not None and size is not None:
        yield Call("tf.image.random_crop", (image, size), _seed(drawn))


@made_by("convert_image")
def convert_image_dtype(group: ScopedOps, image: Any) -> Iterator[Call]:
    """`tf.image.convert_image_dtype(image, tf.float32)`."""
    for more in ({}, {"saturate": True}):
        yield Call("tf.image.convert_image_dtype", (image, group.end.dtype), more)


@made_by("transpose")
def transpose(group: ScopedOps, image: Any) -> Iterator[Call]:
    """`tf.image.transpose(image)`; `tf.transpose` has no scope around its op."""
    if group.end.op.name.count("transpose") > 1:
        yield Call("tf.image.transpose", (image,))


@made_by("rot90")
def rot90(group: ScopedOps, image: Any) -> Iterator[Call]:
    """`tf.image.rot90(image, 3)`."""
    yield Call("tf.image.rot90", (image,))
    for turns in (2, 3):
        yield Call("tf.image.rot90", (image, turns))


@made_by("resize", "resize_images")
def resize(group: ScopedOps, image: Any) -> Iterator[Call]:
    """Today's resizing where it is the same; it samples at other points than TF1's for most."""
    op = group.last(*_RESIZES)
    size = _numbers(group, op.type, 1) if op is not None else None
    if op is None or size is None:
        return
    method = _RESIZES[op.type]
    given: dict[str, Any] = {} if method == "bilinear" else {"method": method}
    yield Call("tf.image.resize", (image, size), given)
    if op.get_attr("align_corners"):
        given = {**given, "align_corners": True}
    yield Call("tf.compat.v1.image.resize", (image, size), given)


@made_by("resize_image_with_crop_or_pad")
def resize_with_crop_or_pad(group: ScopedOps, image: Any) -> Iterator[Call]:
    """`tf.image.resize_with_crop_or_pad(image, 24, 24)`."""
    target = _target(group)
    if target:
        yield Call("tf.image.resize_with_crop_or_pad", (image, *target))


@made_by("crop_to_bounding_box")
def crop_to_bounding_box(group: ScopedOps, image: Any) -> Iterator[Call]:
    """`tf.image.crop_to_bounding_box(image, 2, 3, 20, 30)`."""
    begin, target = _numbers(group, "Slice", 1), _target(group)
    if begin and target:
        yield Call("tf.image.crop_to_bounding_box", (image, *begin[-3:-1], *target))


@made_by("pad_to_bounding_box")
def pad_to_bounding_box(group: ScopedOps, image: Any) -> Iterator[Call]:
    """`tf.image.pad_to_bounding_box(image, 2, 3, 20, 30)`."""
    op, target = group.last("Pad"), _target(group)
    if op is None or target is None:
        return
    flat = op.inputs[1].op.inputs[0].op if op.inputs[1].op.type == "Reshape" else None
    known = group.known.values.get(op.inputs[1].name)
    if known is not None:
        yield Call(
            "tf.image.pad_to_bounding_box", (image, int(known[1, 0]), int(known[2, 0]), *target)
        )
    elif flat is not None and flat.type == "Pack":
        offsets = [_number(group, flat.inputs[i]) for i in (2, 4)]
        if None not in offsets:
            yield Call("tf.image.pad_to_bounding_box", (image, *offsets, *target))


@made_by("clip_by_value")
def clip_by_value(group: ScopedOps, image: Any) -> Iterator[Call]:
    """`tf.clip_by_value(image, 0.0, 1.0)`."""
    low, high = (group.last(kind) for kind in ("Maximum", "Minimum"))
    if low is not None and high is not None:
        bounds = [_number(group, op.inputs[1]) for op in (low, high)]
        if None not in bounds:
            yield Call("tf.clip_by_value", (image, *bounds))


@made_by("central_crop")
def central_crop(group: ScopedOps, image: Any) -> Iterator[Call]:
    """`tf.image.central_crop(image, 0.875)`."""
    for op in group.ops:
        if op.type == "Mul" and op.inputs[1].dtype.is_floating:
            fraction = _number(group, op.inputs[1])
            if fraction is not None:
                yield Call("tf.image.central_crop", (image, fraction))
                return
    height, after = image.shape.as_list()[-3] if image.shape.rank else None, _target(group)
    if height and after and round(after[0] / height, 3) == after[0] / height:
        yield Call("tf.image.central_crop", (image, after[0] / height))


def _seed(op: tf.Operation) -> dict[str, int]:
    seed = seed_of(op)
    return {} if seed is None else {"seed": seed}


def _uniform(tensor: tf.Tensor, group: ScopedOps) -> tuple[Any, Any, dict[str, int]] | None:
    """The bounds and the seed of one random number, `random * (high - low) + low`."""
    if tensor.op.type not in ("Add", "AddV2") or tensor.op.inputs[0].op.type != "Mul":
        return None
    draw, width = tensor.op.inputs[0].op.inputs
    if draw.op.type != "RandomUniform" or width.op.type != "Sub":
        return None
    low = _number(group, tensor.op.inputs[1])
    high = _number(group, width.op.inputs[0])
    return None if low is None or high is None else (low, high, _seed(draw.op))


def _number(group: ScopedOps, tensor: tf.Tensor) -> Any:
    """A constant as Python's number, with the digits that tell it from its neighbours."""
    value = group.known.values.get(root(tensor).name)
    if value is None or value.ndim or value.dtype.kind not in "iuf":
        return None
    return float(str(value[()])) if value.dtype.kind == "f" else int(value)


def _numbers(group: ScopedOps, kind: str, index: int) -> list[int] | None:
    op = group.last(kind)
    value = None if op is None else group.known.values.get(op.inputs[index].name)
    return None if value is None else [int(v) for v in np.ravel(value)]


def _target(group: ScopedOps) -> list[int] | None:
    """Height and width of the result, if both are known."""
    shape: tf.TensorShape = group.end.shape
    found = shape[-3:-1] if shape.rank in (3, 4) else tf.TensorShape(None)
    return [int(size) for size in found] if found.is_fully_defined() else None
