"""What the first bytes of a file or a record look like."""

from __future__ import annotations

import struct
import zlib

from queueio.forensics.crc32c import masked_crc32c

HEAD = 512
"""Bytes that are enough to tell a format."""

_MAGIC = (
    (b"\x1f\x8b", "gzip data"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"BM", "a BMP image"),
    (b"RIFF", "a RIFF file (WebP, WAV or AVI)"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"PK\x03\x04", "a zip archive (or .npz)"),
    (b"\x93NUMPY", "a NumPy .npy file"),
    (b"\x89HDF\r\n", "an HDF5 file"),
    (b"%PDF", "a PDF"),
    (b"BZh", "bzip2 data"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
    (b"\xfd7zXZ", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstandard data"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself"),
)


def sniff(head: bytes) -> str:
    """Names the format of bytes, from their first `HEAD`.

    Returns:
      A noun phrase: "empty", "gzip data", "an HTML page", "text (CSV?)", "a TFRecord file", …,
      or "unknown binary data".
    """
    if not head:
        return "empty"
    for magic, name in _MAGIC:
        if head.startswith(magic) and (len(magic) > 2 or _text(head) is None):  # BMW,320,2016
            return name
    if is_tfrecord(head):
        return "a TFRecord file"
    if is_zlib(head):
        return "zlib data"
    return _text(head) or "unknown binary data"


def claims(head: bytes, compression: str) -> bool:
    """Whether bytes begin as a stream of a compression ("GZIP", "ZLIB") does, sound or not."""
    if compression == "GZIP":
        return head[:2] == b"\x1f\x8b"
    return compression == "ZLIB" and _is_zlib_header(head)


def _is_zlib_header(head: bytes) -> bool:
    return len(head) > 1 and head[0] & 15 == 8 and int.from_bytes(head[:2], "big") % 31 == 0


def is_gzip(head: bytes) -> bool:
    """Whether bytes begin a gzip stream that decompresses."""
    return head[:2] == b"\x1f\x8b" and _inflates(head, 31)


def is_zlib(head: bytes) -> bool:
    """Whether bytes begin a zlib stream that decompresses."""
    return _is_zlib_header(head) and _inflates(head, 15)


def compression_of(head: bytes) -> str:
    """The compression as TFRecordReader spells it: "GZIP", "ZLIB" or ""."""
    return "GZIP" if is_gzip(head) else "ZLIB" if is_zlib(head) else ""


def is_tfrecord(head: bytes) -> bool:
    """Whether bytes begin with a TFRecord's length and its matching checksum."""
    if len(head) < 12:
        return False
    (checksum,) = struct.unpack_from("<I", head, 8)
    return bool(checksum == masked_crc32c(head[:8]))


def _inflates(head: bytes, wbits: int) -> bool:
    try:
        return bool(zlib.decompressobj(wbits).decompress(head)) or len(head) < HEAD
    except zlib.error:
        return False


def _text(head: bytes) -> str | None:
    body = head.removeprefix(b"\xef\xbb\xbf")
    if b"\x00" in body:
        return None
    try:
        text = body[: len(body) - 3 if len(head) >= HEAD else None].decode("utf-8")
    except UnicodeDecodeError:
        return None
    start = text.lstrip()[:64].lower()
    if start.startswith(("<!doctype html", "<html")):
        return "an HTML page"
    if start.startswith("<?xml") or start.startswith("<svg"):
        return "XML"
    if start.startswith(("{", "[")):
        return "text (JSON?)"
    return "text (CSV?)" if "," in text.partition("\n")[0] else "text"


def quote(value: bytes | str, width: int = 60) -> str:
    """A value as Python shows it, cut to `width` characters."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    shown = repr(text[:width])
    return shown + ("…" if len(text) > width else "")
