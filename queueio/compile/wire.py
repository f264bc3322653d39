"""Where the values lie in one serialized `tf.train.Example`: its wire format, walked once.

Examples of one program mostly differ in their values alone: the keys, their order and all the
lengths between them are the same bytes in each. Whoever knows where the values of one lie can
cut them out of the others as columns, provided that all other bytes are equal (examples.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

BYTES, FLOATS, INTS = 1, 2, 3  # the fields of a tf.train.Feature
_VARINT, _LEN, _FIXED32 = 0, 2, 5
Span = tuple[int, int]


@dataclass(frozen=True)
class Wanted:
    """A feature to find: its kind, how many values, and how many bytes if they are BYTES."""

    kind: int
    count: int = 1
    length: int | None = None


class Unlike(Exception):
    """The record is not of the plain form that is looked for; it may be sound all the same."""


def find(record: bytes, wanted: Mapping[bytes, Wanted]) -> dict[bytes, list[Span]]:
    """Where the values of all wanted features lie, as (start, end).

    BYTES and FLOATS have one span; INTS have one for each value, a varint.

    Raises:
      Unlike: a feature is missing, doubled, of another kind or size, or written in a form that
        a serializer does not choose.
    """
    (features,) = _single(record, (0, len(record)), [1])
    found: dict[bytes, list[Span]] = {}
    for number, entry in _fields(record, features):
        if number != 1:
            raise Unlike
        key, value = _single(record, entry, [1, 2])
        name = record[slice(*key)]
        if name in found:
            raise Unlike
        if name in wanted:
            found[name] = _values(record, value, wanted[name])
    if found.keys() != wanted.keys():
        raise Unlike
    return found


def _values(record: bytes, feature: Span, wanted: Wanted) -> list[Span]:
    (values,) = _single(record, feature, [wanted.kind])
    if wanted.kind == BYTES:
        (span,) = _single(record, values, [1])
        if wanted.length not in (None, span[1] - span[0]):
            raise Unlike
        return [span]
    if wanted.kind == FLOATS:
        span = _floats(record, values)
        if span[1] - span[0] != 4 * wanted.count:
            raise Unlike
        return [span]
    spans = list(_varints(record, values))
    if len(spans) != wanted.count:
        raise Unlike
    return spans


def _floats(record: bytes, values: Span) -> Span:
    at, end = values
    if end - at == 5 and record[at] == 1 << 3 | _FIXED32:
        return at + 1, end
    return _single(record, values, [1])[0]


def _varints(record: bytes, values: Span) -> Iterator[Span]:
    """Each int64, packed or not."""
    at, end = values
    packed = at < end and record[at] == 1 << 3 | _LEN
    if packed:
        ((at, end),) = _single(record, values, [1])
    while at < end:
        if not packed:
            if record[at] != 1 << 3 | _VARINT:
                raise Unlike
            at += 1
        _, after = _varint(record, at, end)
        yield at, after
        at = after


def _single(record: bytes, message: Span, numbers: list[int]) -> list[Span]:
    """The fields of a message that has exactly these, in this order, each of bytes."""
    fields = list(_fields(record, message))
    if [number for number, _ in fields] != numbers:
        raise Unlike
    return [span for _, span in fields]


def _fields(record: bytes, message: Span) -> Iterator[tuple[int, Span]]:
    at, end = message
    while at < end:
        tag, at = _varint(record, at, end)
        if tag & 7 != _LEN:
            raise Unlike
        length, at = _varint(record, at, end)
        if at + length > end:
            raise Unlike
        yield tag >> 3, (at, at + length)
        at += length


def _varint(record: bytes, at: int, end: int) -> tuple[int, int]:
    """A varint's value, and where it ends."""
    value = 0
    for i in range(10):
        if at + i >= end:
            raise Unlike
        byte = record[at + i]
        value |= (byte & 127) << 7 * i
        if byte < 128:
            return value, at + i + 1
    raise Unlike
