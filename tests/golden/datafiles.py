"""The files that the golden pipelines read, the same bytes on every machine.

TFRecords, PNG and Examples are put together by hand so that no TensorFlow has a say in them.
"""

from __future__ import annotations

import base64
import functools
import gzip
import os
import struct
import zlib

# An 8 x 8 image of one gray, so that every JPEG decoder yields the same pixels.
GRAY_JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQEBLAEsAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkz"
    "ODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/wAALCAAIAAgBAREA/8QAFAABAAAAAAAA"
    "AAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z"
)

TEXTS: dict[str, str] = {
    "lines-0.txt": "alpha\nbeta\ngamma\n",
    "lines-1.txt": "delta\nepsilon",
    "empty.txt": "",
    "crlf.txt": "one\r\ntwo\r\n\r\nfour\r\n",
    "header.csv": "x,y\n1,2\n3,4\n",
    "table.csv": '1.5,2,"a, b"\n-3,,c\n,4,\n1e3,5,"say ""hi"""\n',
    "semicolon.csv": '1.5;skipped;2\nNA;"x;7\n2;;9\n',
    "bad-columns.csv": "1,2\n3\n5,6\n",
    "bad-number.csv": "1,2\n3,four\n5,6\n",
    "numbers.txt": "1,2.5\n-3,4e2\n",
    "flowers-0.csv": "width,height,kind\n1.5,2,rose\n2,2.5,tulip\n3,1,rose\n",
    "flowers-1.csv": "width,height,kind\n4,4.25,daisy\n5,0.5,tulip\n6,6,rose\n",
    "vocabulary.txt": "dog\ncat\n",
    "words.txt": "dog\ncow\ncat\ndog\n",
    "whole-a.txt": "the whole\nof a",
    "whole-b.txt": "all of b\n",
}


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in bytearray(data):
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 & -(crc & 1))
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def record(payload: bytes) -> bytes:
    length = struct.pack("<Q", len(payload))
    return length + masked(length) + payload + masked(payload)


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, payload: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def feature(values: list) -> bytes:
    """A tf.train.Feature of bytes, floats or ints."""
    if values and isinstance(values[0], bytes):
        return field(1, b"".join(field(1, value) for value in values))
    if values and isinstance(values[0], float):
        return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
    return field(3, field(1, b"".join(varint(value) for value in values)))


def features(named: dict[str, list]) -> bytes:
    """A tf.train.Features; an empty list has no kind and is left out."""
    return b"".join(
        field(1, field(1, name.encode()) + field(2, feature(named[name])))
        for name in sorted(named)
        if named[name]
    )


def example(index: int) -> bytes:
    return field(
        1,
        features(
            {
                "image": [bytes(bytearray([index, 2 * index, 3 * index, 255 - index]))],
                "label": [index % 3],
                "weights": [index / 2.0, -1.0],
                "tags": [b"tag%d" % i for i in range(index % 3)],
                "walk": [3 * i for i in range(index % 4)],
                "steps": [i + 0.5 for i in range(index % 4)],
            }
        ),
    )


def photo(index: int, kind: bytes, content: bytes) -> bytes:
    """An Example of an image, as slim's datasets have them."""
    named = {"image/encoded": [content], "image/format": [kind], "image/class/label": [index]}
    return field(1, features({**named, "frames": [content, content]}))


def photos() -> dict[str, bytes]:
    """Images of every format; and images of one shape, as PNG and as mere pixels."""
    pixels = bytes(bytearray(5 * i for i in range(12)))
    of_one_shape = [(b"png", png()), (b"png", png())]
    any_format = [(b"png", png()), (b"jpeg", GRAY_JPEG), (b"JPG", GRAY_JPEG), (b"", png())]
    mixed = [*of_one_shape, (b"raw", pixels), (b"RAW", pixels)]
    return {
        name: b"".join(record(photo(i, *image)) for i, image in enumerate(images))
        for name, images in {
            "photos.tfrecord": any_format,
            "photos-of-one-shape.tfrecord": mixed,
        }.items()
    }


def sequence(index: int) -> bytes:
    tokens = b"".join(field(1, feature([10 * index + i])) for i in range(index + 1))
    words = b"".join(field(1, feature([b"w%d" % i])) for i in range(index))
    lists = [(b"tokens", tokens), (b"words", words)]
    table = b"".join(field(1, field(1, name) + field(2, steps)) for name, steps in lists)
    return field(1, features({"length": [index + 1]})) + field(2, table)


def png() -> bytes:
    """A gray image of 3 rows and 4 columns: 0, 20, 40 .. 220."""
    rows = b"".join(b"\0" + bytes(bytearray(20 * (4 * y + x) for x in range(4))) for y in range(3))

    def chunk(kind: bytes, body: bytes) -> bytes:
        crc = struct.pack(">I", zlib.crc32(kind + body) & 0xFFFFFFFF)
        return struct.pack(">I", len(body)) + kind + body + crc

    header = struct.pack(">IIBBBBB", 4, 3, 8, 0, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, body) for kind, body in parts)


def gzipped(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def binaries() -> dict[str, bytes]:
    records = [record(example(i)) for i in range(7)]
    few = b"".join(records[:3])
    flipped = bytearray(few)
    flipped[len(records[0]) + 14] ^= 0xFF
    fixed = bytes(bytearray(range(12)))
    return {
        "examples-0.tfrecord": b"".join(records[:4]),
        "examples-1.tfrecord": b"".join(records[4:]),
        "examples.tfrecord.gz": gzipped(few),
        "examples.tfrecord.zlib": zlib.compress(few),
        "corrupt.tfrecord": bytes(flipped),
        "truncated.tfrecord": few[:-9],
        "truncated-length.tfrecord": few + records[3][:5],
        "sequences.tfrecord": b"".join(record(sequence(i)) for i in range(3)),
        "fixed.bin": fixed,
        "fixed.bin.gz": gzipped(fixed),
        "fixed.bin.zlib": zlib.compress(fixed),
        "framed.bin": b"HEAD" + fixed[:6] + b"FT",
        "cifar.bin": bytes(bytearray((7 * i) % 256 for i in range(45))),
        "gradient.png": png(),
        "gray.jpg": GRAY_JPEG,
        "note.gz": gzipped(b"a short note"),
        **photos(),
    }


@functools.lru_cache(maxsize=None)  # Python 3.7 has no cache
def contents() -> dict[str, bytes]:
    """Every file's, made once in a process: hundreds of tests write them."""
    made = {name: text.encode() for name, text in TEXTS.items()}
    made.update(binaries())
    assert gzip.decompress(made["note.gz"]) == b"a short note"
    return made


def write(folder: str) -> None:
    """Write every file into `folder`/data."""
    data = os.path.join(folder, "data")
    if not os.path.isdir(data):
        os.makedirs(data)
    for name, content in contents().items():
        with open(os.path.join(data, name), "wb") as f:
            f.write(content)
