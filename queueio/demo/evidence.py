"""What the demo claims, worked out from the reader's keys: was each record read once per epoch?

No TensorFlow here: the keys that there ought to be are found by walking through the files.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

LENGTH = struct.Struct("<Q")
LENGTH_CHECKSUM = DATA_CHECKSUM = 4  # bytes


def tf_record_keys(path: Path) -> list[str]:
    """The key of each record of an uncompressed TFRecord file: `file:offset of its first byte`."""
    data = path.read_bytes()
    keys, offset = [], 0
    while offset < len(data):
        keys.append(f"{path}:{offset}")
        (length,) = LENGTH.unpack_from(data, offset)
        offset += LENGTH.size + LENGTH_CHECKSUM + length + DATA_CHECKSUM
    return keys


@dataclass(frozen=True)
class KeysRead:
    """The keys that a reader returned in `num_epochs` epochs, beside those in the files."""

    num_epochs: int
    in_files: int
    read: int
    too_seldom: tuple[str, ...]
    """Keys of the files that were read fewer than `num_epochs` times."""
    too_often: tuple[str, ...]
    """Keys that were read more than `num_epochs` times, or are not in the files."""

    @property
    def each_exactly_once(self) -> bool:
        """True if every record of the files was read once in every epoch, and nothing else was."""
        return not self.too_seldom and not self.too_often

    @property
    def per_epoch(self) -> float:
        return self.read / self.num_epochs


def check_keys(read: Sequence[str], in_files: Iterable[str], num_epochs: int) -> KeysRead:
    """Hold the keys that were read against those in the files."""
    expected = Counter(dict.fromkeys(in_files, num_epochs))
    counts = Counter(read)
    return KeysRead(
        num_epochs,
        len(expected),
        len(read),
        tuple(expected - counts),
        tuple(counts - expected),
    )
