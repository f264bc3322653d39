"""Which file is damaged, where, and whether it is read with the wrong compression."""

from __future__ import annotations

import os
import re
import zlib
from typing import Any

import tensorflow as tf

from queueio.forensics import tf_records
from queueio.forensics.location import Budget, Location
from queueio.forensics.records import FileKind, file_kind_of
from queueio.forensics.sniff import HEAD, claims, compression_of, sniff
from queueio.forensics.sources import names_of, reader_of
from queueio.words import times

_AT = re.compile(r"(corrupted|truncated) record at (\d+)")


def damaged(text: str, read: tf.Operation, session: Any, budget: Budget) -> Location | None:
    """The file behind a reader's DataLossError; None if no file fits the error."""
    read_as = file_kind_of(reader_of(read))
    files = [name for name in names_of(read, session) if os.path.isfile(name)]
    match = _AT.search(text)
    found: list[Location] = []
    for file in files:
        if budget.spent():
            break
        try:
            place = _misread(file, read_as) if _at_start(match, text) else None
            if place is None and "inflate" in text:
                place = _broken_stream(file, read_as.compression, budget)
            if place is None and match:
                place = _frame_at(file, read_as.compression, match[1], int(match[2]))
        except (OSError, zlib.error):
            continue
        if place:
            found.append(place)
    return _first(found, budget, len(files))


def _at_start(match: re.Match[str] | None, text: str) -> bool:
    return "inflate" in text or (match is not None and match[2] == "0")


def _first(found: list[Location], budget: Budget, total: int) -> Location | None:
    if not found:
        return None
    one, more = found[0], f"{len(found) - 1} more of the {total} files are bad in the same way"
    also = more if len(found) > 1 else str(budget)
    detail = f"{one.detail}; {also}" if also else one.detail
    return Location(one.file, one.record, one.unit, detail, one.remedy)


def _misread(file: str, read_as: FileKind) -> Location | None:
    """A file that is not in the compression that its reader expects, or no TFRecord at all."""
    with open(file, "rb") as raw:
        head = raw.read(HEAD)
    given, true = read_as.compression, compression_of(head)
    if claims(head, given):  # the right kind, if damaged
        return None
    other = not true and not read_as.may_begin(head)
    if given != true:
        asked = f"compression {given}" if given else "no compression"
        if other:
            return _no_records(file, head, f", read with {asked}")
        remedy = f"Use {read_as.asking_for(true)}"
        looks = f"{true.lower()} data" if true else sniff(head)
        return Location(file, detail=f"it is {looks}, but read with {asked}", remedy=remedy)
    known = sniff(head) != "unknown binary data"
    return _no_records(file, head, "") if other and known else None


def _broken_stream(file: str, kind: str, budget: Budget) -> Location | None:
    """A compressed file whose stream is damaged, or followed by something else."""
    again = "Copy or write the file again"
    with open(file, "rb") as raw:
        source = tf_records.opened(raw, kind)
        try:
            while source.skip(tf_records.CHUNK) and not budget.spent():
                pass
        except zlib.error as error:
            at = source.position
            detail = (
                f"its {kind.lower()} stream is damaged after {at:,} uncompressed bytes: {error}"
            )
            return Location(file, detail=detail, remedy=again)
    if not source.junk:
        return None
    detail = f"{source.junk:,} bytes after the end of its {kind.lower()} stream are something else"
    return Location(file, detail=detail, remedy=f"{again} without them (TF 1.15 ignored them)")


def _no_records(file: str, head: bytes, how: str) -> Location:
    detail = f"it is no TFRecord file but {sniff(head)}{how}"
    remedy = "Take it off the list (is the pattern too wide?), or use the reader for its format"
    return Location(file, detail=detail, remedy=remedy)


def _frame_at(file: str, kind: str, word: str, offset: int) -> Location | None:
    """The record at an offset that TensorFlow complained about, if it is bad in this file."""
    with open(file, "rb") as raw:
        source = tf_records.opened(raw, kind)
        for index, frame in enumerate(tf_records.frames(source)):
            if frame.start + tf_records.HEADER >= offset:
                return _bad_frame(file, source, frame, index, word, offset)
    return None


def _bad_frame(
    file: str, source: tf_records.Bytes, frame: tf_records.Frame, index: int, word: str, at: int
) -> Location | None:
    where = f"record {index} (counted from 0)"
    if word == "corrupted" and frame.start == at:
        if tf_records.length_is_sound(frame):
            return None
        detail = f"the length field of {where} is damaged, so nothing after it can be read"
        return Location(file, at, "byte", detail, _salvage(index))
    data = source.read(frame.length) if frame.length < 1 << 40 else b""
    footer = source.read(tf_records.FOOTER)
    if word == "truncated":
        return _cut(file, frame, where, len(data), len(footer), at, index)
    if frame.start + tf_records.HEADER != at or tf_records.data_is_sound(data, footer):
        return None
    detail = (
        f"the {frame.length} bytes of data of {where}, from byte {at} on, do not match their "
        f"checksum; its length field is sound and the next record starts at byte {frame.end}"
    )
    return Location(file, frame.start, "byte", detail, _salvage(index))


def _cut(
    file: str, frame: tf_records.Frame, where: str, data: int, footer: int, at: int, index: int
) -> Location | None:
    if frame.start != at or data + footer == frame.length + tf_records.FOOTER:
        return None
    have, need = data + footer, frame.length + tf_records.FOOTER
    detail = f"the file ends within {where}: {have} of {times(need, 'byte')} after its length field"
    return Location(file, at, "byte", detail, _salvage(index))


def _salvage(before: int) -> str:
    """What to do about a file of which the first records are sound."""
    sound = {0: "no record is before it", 1: "the record before it is sound"}.get(
        before, f"the {before} records before it are sound"
    )
    return f"Copy or write the file again ({sound}), or take it off the list"
