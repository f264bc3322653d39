"""Why a record's bytes do not decode: raw numbers, images, and ops of the user's own."""

from __future__ import annotations

import tensorflow as tf

from queueio.forensics.records import FileKind, FileRecord
from queueio.forensics.sniff import HEAD, quote, sniff
from queueio.graph.origin import origin

IMAGE_OPS: tuple[str, ...] = ("DecodeJpeg", "DecodePng", "DecodeGif", "DecodeBmp", "DecodeImage")
IMAGE_OPS += ("DecodeWebP", "DecodeAndCropJpeg", "ExtractJpegShape")
_OWN_OP = {"a BMP image": "DecodeBmp", "a GIF image": "DecodeGif"}


def raw(text: str, op: tf.Operation, read_as: FileKind, record: FileRecord) -> tuple[str, str]:
    """A record whose length is no multiple of what DecodeRaw makes of it."""
    dtype, size = op.get_attr("out_type"), len(record.value)
    detail = f"{size} bytes are no whole number of {dtype.name} values of {dtype.size} bytes each"
    if remedy := read_as.asking_for_multiple(dtype.size):
        return detail, remedy
    if "same size" in text:
        return "records of different sizes in one decode_raw: " + text, "Decode before batching"
    return detail, "Check the dtype, or decode as tf.uint8 and cut off what is not data"


def image(text: str, op: tf.Operation, record: FileRecord) -> tuple[str, str]:
    """Bytes that an image decoder refused."""
    value, looks = record.value, sniff(record.value[:HEAD])
    size = f"{len(value)} bytes"
    if looks == "empty":
        return "the file is empty (0 bytes)", "Fetch it again or take it off the list"
    if looks == "a JPEG image" and b"\xff\xd9" not in value[-64:]:
        return _cut("a JPEG image", size, "end marker")
    if looks == "a PNG image" and b"IEND" not in value[-64:]:
        return _cut("a PNG image", size, "IEND chunk")
    if looks in _OWN_OP or looks.endswith("image"):
        detail = f"{looks}, {size}, which {op.type} does not decode: {text}"
        return detail, "Use tf.image.decode_image, or convert the file"
    detail = f"{looks}, not an image; its {size} begin with {quote(value, 24)}"
    if looks == "an HTML page":
        return detail, "The download got an error page: fetch the file again"
    return detail, "Take it off the list, or narrow the pattern that found it"


def _cut(what: str, size: str, mark: str) -> tuple[str, str]:
    return f"{what} cut short: its {size} have no {mark}", "Fetch or copy the file again"


def looks_bad(record: FileRecord) -> bool:
    """A cheap test that bytes are no whole image."""
    looks, tail = sniff(record.value[:HEAD]), record.value[-64:]
    if looks == "a JPEG image":
        return b"\xff\xd9" not in tail
    if looks == "a PNG image":
        return b"IEND" not in tail
    return not looks.endswith("image")


def other(text: str, op: tf.Operation, record: FileRecord) -> tuple[str, str]:
    """A record on which some other op of the user's fails."""
    where = origin(op)
    detail = f"{op.type} {op.name!r} ({where}) fails on this record of {len(record.value)} bytes"
    return f"{detail}: {text}", _OTHER_REMEDY if "shape" in text else ""


_OTHER_REMEDY = "Make the records one size (tf.image.resize for images), or take this one out"
