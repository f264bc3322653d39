"""The structure of a TFRecord file: length, its checksum, data, its checksum; again and again.

Walks from length to length without reading the data, half a microsecond a record, so that a
place in a large file is found quickly. Compressed files are inflated as they are walked.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from queueio.forensics.crc32c import CHECK_BYTES, masked_crc32c

HEADER = 12
FOOTER = 4
_WBITS = {"GZIP": 31, "ZLIB": 15}
CHUNK = 1 << 20


@dataclass(frozen=True)
class Frame:
    """One record as its length field tells it; `end` is where the next one should begin."""

    start: int
    length: int
    checksum: int

    @property
    def end(self) -> int:
        return self.start + HEADER + self.length + FOOTER


class Inflated:
    """Forward reading of a gzip or zlib file, member after member, never more than needed.

    `cut` is set when the file ends before its compressed stream does; `junk` holds the number
    of bytes after the stream that are no further member.
    """

    def __init__(self, raw: BinaryIO, compression: str) -> None:
        self._raw, self._wbits = raw, _WBITS[compression]
        self._inflate = zlib.decompressobj(self._wbits)
        self._buffer, self._input, self._done = bytearray(), b"", False
        self.position, self.cut, self.junk, self.members = 0, False, 0, 1

    def read(self, size: int) -> bytes:
        """Up to `size` inflated bytes; fewer only at the end."""
        while len(self._buffer) < size and not self._done:
            self._more()
        out = bytes(self._buffer[:size])
        del self._buffer[:size]
        self.position += len(out)
        return out

    def skip(self, size: int) -> int:
        """Passes over up to `size` bytes and returns how many there were."""
        left = size
        while left > 0 and (piece := self.read(min(left, CHUNK))):
            left -= len(piece)
        return size - left

    def _more(self) -> None:
        if self._inflate.eof:
            self._next_member()
            return
        data = self._input or self._raw.read(CHUNK)
        self._input = b""
        if not data:
            self._done, self.cut = True, True
            return
        self._buffer += self._inflate.decompress(data, CHUNK)
        self._input = self._inflate.unconsumed_tail or self._inflate.unused_data

    def _next_member(self) -> None:
        rest = self._input or self._raw.read(CHUNK)
        if not rest:
            self._done = True
            return
        fresh = zlib.decompressobj(self._wbits)
        try:
            fresh.decompress(rest[:64], 1)
        except zlib.error:
            self.junk = len(rest) + len(self._raw.read())
            self._done = True
            return
        self._inflate, self._input = zlib.decompressobj(self._wbits), rest
        self.members += 1


class Plain:
    """The same two methods on an uncompressed file; skipping is seeking."""

    cut, junk, members = False, 0, 1

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self.size = raw.seek(0, 2)
        self.position = raw.seek(0)

    def read(self, size: int) -> bytes:
        out = self._raw.read(size)
        self.position += len(out)
        return out

    def skip(self, size: int) -> int:
        passed = max(0, min(size, self.size - self.position))
        self._raw.seek(passed, 1)
        self.position += passed
        return passed


Bytes = Plain | Inflated


def opened(raw: BinaryIO, compression: str = "") -> Bytes:
    """A file as inflated bytes; `compression` as the reader's attribute: "", "GZIP", "ZLIB"."""
    return Inflated(raw, compression) if compression in _WBITS else Plain(raw)


def frames(source: Bytes) -> Iterator[Frame]:
    """The records that a file claims to hold, lengths unchecked, as far as headers are whole.

    After each frame the source stands just behind that header: the caller may read the data,
    the walk goes on from there.
    """
    while len(head := source.read(HEADER)) == HEADER:
        length, checksum = struct.unpack("<QI", head)
        frame = Frame(source.position - HEADER, length, checksum)
        yield frame
        source.skip(frame.end - source.position)


def walk_plain(raw: BinaryIO, keep_on: Callable[[], bool]) -> tuple[int, int, int] | None:
    """The same walk without a frame for each record, eight times as fast; uncompressed files.

    Args:
      raw: the open file.
      keep_on: asked every 65,536 records whether to go on.

    Returns:
      How many records there are, where the last one claims to end, and the file's size; None
      when stopped.
    """
    size = raw.seek(0, 2)
    if not size:
        return 0, 0, 0
    count, end, length_at = 0, 0, struct.Struct("<Q").unpack_from
    with mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ) as view:
        while end + HEADER <= size:
            end += HEADER + length_at(view, end)[0] + FOOTER
            count += 1
            if not count & 0xFFFF and not keep_on():
                return None
    return count, end, size


def records(source: Bytes) -> Iterator[tuple[int, bytes]]:
    """Byte offset and data of each whole record."""
    for frame in frames(source):
        data = source.read(frame.length) if frame.length < 1 << 40 else b""
        if len(data) < frame.length:
            return
        yield frame.start, data


def length_is_sound(frame: Frame) -> bool:
    """Whether the checksum in a record's header matches its length field."""
    return frame.checksum == masked_crc32c(frame.length.to_bytes(8, "little"))


def data_is_sound(data: bytes, footer: bytes) -> bool | None:
    """Whether the checksum after the data matches it; None when the data is too long to say."""
    if len(data) > CHECK_BYTES:
        return None
    return len(footer) == FOOTER and struct.unpack("<I", footer)[0] == masked_crc32c(data)
