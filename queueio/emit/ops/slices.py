"""Slices, as Python writes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.emit.ops import SourceSite, expresses
from queueio.emit.spelling.code import subscript


@expresses("StridedSlice")
def strided_slice(site: SourceSite) -> Any:
    """`x[1:, ::2, tf.newaxis, ...]`."""
    begins, ends, strides = (site.static(i) for i in (1, 2, 3))
    if strides is None:
        return None
    masks = {n: int(site.attr(f"{n}_mask")) for n in _MASKS}
    point = masks["new_axis"] | masks["ellipsis"]
    low = _bounds(site, 1, begins, masks["begin"] | point)
    high = _bounds(site, 2, ends, masks["end"] | masks["shrink_axis"] | point)
    if low is None or high is None:
        return None
    parts = [_part(i, low[i], high[i], int(strides[i]), masks) for i in range(len(strides))]
    if None in parts:
        return None
    return subscript(site.body.tensor(site.op.inputs[0]), ", ".join(map(str, parts)) or "...")


_MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")


def _bounds(site: SourceSite, index: int, value: np.ndarray | None, free: int) -> list[str] | None:
    """The bounds as text: numbers, or the parts of a stack; `free` ones are not asked for."""
    if value is not None:
        return [str(int(v)) for v in value]
    op = site.op.inputs[index].op
    if op.type != "Pack":
        return None
    return ["" if free >> i & 1 else site.body.bound(t).flat for i, t in enumerate(op.inputs)]


def _part(i: int, begin: str, end: str, stride: int, masks: dict[str, int]) -> str | None:
    on = {name: bool(mask >> i & 1) for name, mask in masks.items()}
    if on["ellipsis"]:
        return "..."
    if on["new_axis"]:
        return "tf.newaxis"
    if on["shrink_axis"]:
        return None if on["begin"] else begin
    text = ("" if on["begin"] or (begin == "0" and stride > 0) else begin) + ":"
    text += "" if on["end"] else end
    return text + (f":{stride}" if stride != 1 else "")
