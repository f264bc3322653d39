"""Decoders of records, images and bytes, and what is done to images right after."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.emit.ops import SourceSite, expresses
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, code
from queueio.emit.spelling.lists import listed


@expresses("DecodeRaw")
def decode_raw(site: SourceSite) -> Code:
    """`tf.io.decode_raw(record, tf.uint8)`."""
    little = None if site.attr("little_endian") else Code("False")
    kind = literal.dtype(site.attr("out_type"))
    return call("tf.io.decode_raw", site.arg(0), kind, little_endian=little)


@expresses("DecodeCSV")
def decode_csv(site: SourceSite) -> list[Code]:
    """`width, height = tf.io.decode_csv(line, [[0.0], [0.0]])`."""
    attrs = site.op.node_def.attr
    more: dict[str, Any] = {}
    if site.attr("field_delim") != ",":
        more["field_delim"] = site.text("field_delim")
    if not site.usual(use_quote_delim=True):
        more["use_quote_delim"] = Code("False")
    if not site.usual(na_value=""):
        more["na_value"] = site.text("na_value")
    if "select_cols" in attrs and site.attr("select_cols"):
        more["select_cols"] = literal.plain(list(site.attr("select_cols")))
    defaults = listed(_default(site, i) for i in range(1, len(site.op.inputs)))
    found = call("tf.io.decode_csv", site.arg(0), defaults, **more)
    if len(site.op.outputs) == 1:
        return [Code(f"{found.flat}[0]", head=found.head, items=found.items, close=")[0]",
                     call=True)]  # fmt: skip
    return site.body.unpacked(site.op, found)


def _default(site: SourceSite, index: int) -> Code:
    """`[0.0]` for a default, an empty vector for a required column."""
    value, kind = site.static(index), site.op.inputs[index].dtype
    if value is None:
        return site.arg(index)
    if not value.size:
        return call("tf.constant", "[]", literal.dtype(kind))
    if kind in (tf.int32, tf.float32, tf.string):
        return literal.plain(value.reshape([-1]))
    return site.arg(index)


@expresses("DecodeJpeg", "DecodePng", "DecodeBmp", "DecodeGif")
def decode_image(site: SourceSite) -> Any:
    """`tf.io.decode_jpeg(contents, channels=3)`."""
    kind = site.op.type.removeprefix("Decode").lower()
    more: dict[str, Any] = {}
    if kind != "gif" and site.attr("channels"):
        more["channels"] = code(site.attr("channels"))
    if kind == "png" and site.attr("dtype") != tf.uint8:
        more["dtype"] = literal.dtype(site.attr("dtype"))
    if kind == "jpeg":
        more |= jpeg_options(site)
    return call(f"tf.io.decode_{kind}", site.arg(0), **more)


def jpeg_options(site: SourceSite) -> dict[str, Any]:
    """What differs from the decoder's defaults."""
    usual = {"ratio": 1, "fancy_upscaling": True, "try_recover_truncated": False,
             "acceptable_fraction": 1.0, "dct_method": ""}  # fmt: skip
    found = {}
    for name, value in usual.items():
        given = site.attr(name)
        if given != value:
            found[name] = Code(literal.quoted(given)) if isinstance(given, str) else code(given)
    return found


@expresses("DecodeAndCropJpeg")
def decode_and_crop(site: SourceSite) -> Code:
    """Decodes only a part of the picture."""
    channels = site.attr("channels")
    more = {"channels": code(channels) if channels else None, **jpeg_options(site)}
    return call("tf.io.decode_and_crop_jpeg", *site.args, **more)


@expresses("DecodeImage")
def decode_any(site: SourceSite) -> Code:
    """An image of any kind."""
    channels, kind = site.attr("channels"), site.attr("dtype")
    return call(
        "tf.io.decode_image",
        site.arg(0),
        channels=code(channels) if channels else None,
        dtype=None if kind == tf.uint8 else literal.dtype(kind),
        expand_animations=None if site.attr("expand_animations") else Code("False"),
    )


_RESIZE = {
    "ResizeBilinear": "BILINEAR", "ResizeNearestNeighbor": "NEAREST_NEIGHBOR",
    "ResizeBicubic": "BICUBIC", "ResizeArea": "AREA",
}  # fmt: skip


@expresses(*_RESIZE)
def resize(site: SourceSite) -> Any:
    """TF1's own resizing: today's `tf.image.resize` samples at other points."""
    name = f"tf.compat.v1.image.resize_{_snake(_RESIZE[site.op.type])}"
    if not site.usual(half_pixel_centers=False):
        return None
    align = Code("True") if site.attr("align_corners") else None
    return call(name, *site.args, align_corners=align)


def _snake(name: str) -> str:
    return name.lower()


_PLAIN = {
    "ReadFile": "tf.io.read_file", "DecodeBase64": "tf.io.decode_base64",
    "DecodeJSONExample": "tf.io.decode_json_example", "MatchingFiles": "tf.io.matching_files",
    "AdjustContrastv2": "tf.image.adjust_contrast", "SerializeSparse": "tf.io.serialize_sparse",
    "IsJpeg": "tf.io.is_jpeg", "EncodePng": "tf.io.encode_png", "WriteFile": "tf.io.write_file",
}  # fmt: skip


@expresses(*(name for name in _PLAIN if name not in ("SerializeSparse", "IsJpeg")))
def function(site: SourceSite) -> Any:
    """`tf.io.read_file(name)`."""
    return call(_PLAIN[site.op.type], *site.args) if site.bare() else None


@expresses("DecodeCompressed")
def decode_compressed(site: SourceSite) -> Code:
    """Unpacks GZIP or ZLIB."""
    kind = site.attr("compression_type")
    return call("tf.io.decode_compressed", site.arg(0), Code(literal.quoted(kind)))


@expresses("EncodeBase64")
def encode_base64(site: SourceSite) -> Code:
    """Bytes as text."""
    return call("tf.io.encode_base64", site.arg(0), pad=Code("True") if site.attr("pad") else None)
