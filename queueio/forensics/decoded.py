"""Why a record does not decode: for each op that decodes, where to look and what to say.

Rows of CSV and serialized Examples have modules of their own; raw numbers, images and ops of the
user's own are here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import tensorflow as tf

from queueio.forensics import csv_rows, examples
from queueio.forensics.records import FileKind, FileRecord
from queueio.forensics.search import Suspect
from queueio.forensics.sniff import HEAD, quote, sniff
from queueio.graph.origin import origin
from queueio.words import times

IMAGE_OPS: tuple[str, ...] = ("DecodeJpeg", "DecodePng", "DecodeGif", "DecodeBmp", "DecodeImage")
IMAGE_OPS += ("DecodeWebP", "DecodeAndCropJpeg", "ExtractJpegShape")
_OWN_OP = {"a BMP image": "DecodeBmp", "a GIF image": "DecodeGif"}


def raw(text: str, op: tf.Operation, read_as: FileKind, record: FileRecord) -> tuple[str, str]:
    """A record whose length is no multiple of what DecodeRaw makes of it."""
    dtype, size = op.get_attr("out_type"), len(record.value)
    detail = f"{size} bytes are no whole number of {dtype.name} values of {dtype.size} bytes each"
    if remedy := read_as.asking_for_multiple(dtype.size, record.file):
        return detail, remedy
    if "same size" in text:
        return "records of different sizes in one decode_raw: " + text, "Decode before batching"
    return detail, "Check the dtype, or decode as tf.uint8 and cut off what is not data"


def image(text: str, op: tf.Operation, read_as: FileKind, record: FileRecord) -> tuple[str, str]:
    """Bytes that an image decoder refused."""
    value, looks = record.value, sniff(record.value[:HEAD])
    size = times(len(value), "byte")
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


def uneven(text: str, op: tf.Operation) -> Suspect:
    """A cheap test that bytes are no whole number of values."""
    size = op.get_attr("out_type").size
    return lambda record: bool(len(record.value) % size)


def no_image(text: str, op: tf.Operation) -> Suspect:
    """A cheap test that bytes are no whole image."""
    return _looks_bad


def _looks_bad(record: FileRecord) -> bool:
    looks, tail = sniff(record.value[:HEAD]), record.value[-64:]
    if looks == "a JPEG image":
        return b"\xff\xd9" not in tail
    if looks == "a PNG image":
        return b"IEND" not in tail
    return not looks.endswith("image")


def other(text: str, op: tf.Operation, read_as: FileKind, record: FileRecord) -> tuple[str, str]:
    """A record on which some other op of the user's fails."""
    where = origin(op)
    detail = (
        f"{op.type} {op.name!r} ({where}) fails on this record of "
        f"{times(len(record.value), 'byte')}"
    )
    if misread := read_as.misread(csv_rows.head_of(record.file)):
        return f"{detail}: {text}", misread
    return f"{detail}: {text}", _shape_remedy(text) if "shape" in text else ""


def _shape_remedy(text: str) -> str:
    """The way out of an example of another shape: what is told of one that a queue refuses."""
    match = MISFIT.search(text)
    got, wanted = (sizes.split(", ") for sizes in match.groups()) if match else ([], [])
    if len(got) == len(wanted) == 3 and got[:2] == wanted[:2]:
        channels = f"channels={wanted[2]}" if wanted[2] in "134" else "the same channels="
        return f"Decode all images with {channels}, which takes gray and transparent ones too"
    if len(got) == 4 and len(wanted) == 3:
        return (
            "An animation has an axis for its frames: tf.image.decode_image(contents, channels=3, "
            "expand_animations=False) gives the first one"
        )
    return _OTHER_REMEDY


MISFIT = re.compile(r"has shape \(([\d, ]*)\), the queue takes \(([\w, ]*)\)")
"""What `Replay` says of an example that does not fit into a queue."""
_OTHER_REMEDY = "Make the records one size (tf.image.resize for images), or take this one out"
_FOR_ALL = (
    "Every record fails so, and none is to blame: check the shape that is asked for, and the dtype "
    "and size of what is decoded"
)


@dataclass(frozen=True)
class Decoder:
    """How a failure of an op that decodes is looked into.

    Attributes:
      suspect: from the error's text and the op to a cheap test that the bad record passes; None
        where the text tells nothing.
      diagnose: what is wrong with a record, and the way out.
      by_text: whether `suspect` looks for what the error names, so that no other record need be
        tried, and also in records that other ops have altered on their way.
      altered: whether `diagnose` knows of records that other ops have altered.
    """

    suspect: Callable[[str, tf.Operation], Suspect | None]
    diagnose: Callable[[str, tf.Operation, FileKind, FileRecord], tuple[str, str]]
    by_text: bool = False
    altered: bool = False


_EXAMPLE = Decoder(examples.suspect, examples.diagnose, by_text=True)
_IMAGE = Decoder(no_image, image)
_ANY = Decoder(lambda text, op: None, other, altered=True)
_PARSING = """
    ParseExample ParseExampleV2 ParseSequenceExample ParseSequenceExampleV2 ParseSingleExample
    ParseSingleSequenceExample
"""
DECODERS: dict[str, Decoder] = {
    "DecodeCSV": Decoder(csv_rows.suspect, csv_rows.diagnose, by_text=True, altered=True),
    "DecodeRaw": Decoder(uneven, raw),
    **dict.fromkeys(_PARSING.split(), _EXAMPLE),
    **dict.fromkeys(IMAGE_OPS, _IMAGE),
}
"""For each type of op that decodes records, how its failures are looked into."""


def suspects(text: str, op: tf.Operation, unaltered: bool) -> list[Suspect | None]:
    """The searches to make, a cheap one first where there is one; None tries every record."""
    how = DECODERS.get(op.type, _ANY)
    cheap = how.suspect(text, op) if unaltered or how.by_text else None
    if cheap is None:
        return [None]
    return [cheap] if unaltered and how.by_text else [cheap, None]


def diagnose(
    text: str,
    op: tf.Operation,
    read_as: FileKind,
    record: FileRecord,
    unaltered: bool,
    every: bool = False,
) -> tuple[str, str]:
    """What is wrong with the record that an op failed on, and the way out.

    Args:
      text: what the op said.
      op: the op.
      read_as: how the files are read.
      record: the record.
      unaltered: whether the op got the record as it was read.
      every: whether all records fail, so that this one is no worse than others.
    """
    how = DECODERS.get(op.type, _ANY)
    known = how if unaltered or how.altered else _ANY
    detail, remedy = known.diagnose(text, op, read_as, record)
    return detail, _FOR_ALL if every and remedy == _OTHER_REMEDY else remedy
