"""The checksum of a TFRecord: CRC-32C, rotated and offset ("masked").

Pure Python at some ten megabytes a second is enough, since only single records are checked;
that spares a dependency.
"""

from __future__ import annotations

CHECK_BYTES = 32 << 20
"""Records longer than this are not checked (it would take seconds)."""


def _table() -> tuple[int, ...]:
    rows = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        rows.append(value)
    return tuple(rows)


_TABLE = _table()


def crc32c(data: bytes) -> int:
    """CRC-32C (Castagnoli) of bytes, as an unsigned 32-bit number."""
    value, table = 0xFFFFFFFF, _TABLE
    for byte in data:
        value = table[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def masked_crc32c(data: bytes) -> int:
    """CRC-32C as TFRecord files store it: rotated right by 15 bits plus 0xa282ead8."""
    value = crc32c(data)
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF
