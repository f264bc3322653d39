"""Serialized Examples of any form, right and wrong, written byte by byte by a seeded generator."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import tensorflow as tf

Rng = np.random.Generator
KEYS = [b"", b"a", b"aa", b"ab", b"feature", b"feature_1", b"feature_10", b"\xff\x00", b"k" * 200]
SHAPES: list[list[int]] = [[], [], [1], [3], [2, 2], [1, 1, 5]]
TYPES = [tf.float32, tf.int64, tf.string]
NUMBERS = [0, 1, 127, 128, 300, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
FLOATS = [0.0, -0.0, 1.5, float("nan"), float("inf"), 1e-45, 3e38]
LENGTHS = [0, 1, 21, 22, 23, 127, 128, 400]


def _words(message: str) -> str:
    """An error's message but for numbers, and the datasets that it came through."""
    path = r"passed to \w+:\d+ transformation with iterator: \S+: "
    return re.sub(r"\d+", "#", re.sub(path, "", message))


def seen(dataset: Any) -> tuple[list[Any], Any]:
    """All elements to the bit, and the error after them."""
    elements: list[Any] = []
    try:
        for element in dataset:
            parts = element if isinstance(element, list | tuple) else [element]
            elements.append([_held(part) for part in parts])
    except tf.errors.OpError as error:
        return elements, (type(error), _words(error.message))
    except UnicodeDecodeError as error:  # of a message about a key of any bytes
        return elements, _words(error.object.decode("latin1"))
    return elements, None


def _held(part: tf.Tensor) -> Any:
    value = part.numpy()
    return part.shape, value.tolist() if part.dtype == tf.string else value.tobytes()


@dataclass(frozen=True)
class Asked:
    """A dense feature that is asked for."""

    key: bytes
    dtype: tf.DType
    shape: list[int]
    default: tf.Tensor = field(repr=False)
    length: int

    @property
    def count(self) -> int:
        return int(np.prod(self.shape, dtype=int))


def asked(rng: Rng) -> list[Asked]:
    """Some features, each with a default or without."""
    keys = rng.permutation(np.array(KEYS, dtype=object))[: rng.integers(1, 7)]
    return [_asked(rng, key) for key in keys]


def _asked(rng: Rng, key: bytes) -> Asked:
    dtype = TYPES[rng.integers(3)]
    shape = SHAPES[rng.integers(len(SHAPES))]
    length = int(rng.choice(LENGTHS))
    if rng.random() < 0.5:
        return Asked(key, dtype, shape, tf.zeros([0], dtype), length)
    values = [_value(rng, dtype, length) for _ in range(int(np.prod(shape, dtype=int)))]
    return Asked(key, dtype, shape, tf.reshape(tf.constant(values, dtype), shape), length)


def _value(rng: Rng, dtype: tf.DType, length: int) -> Any:
    if dtype == tf.string:
        return rng.bytes(length)
    if dtype == tf.float32:
        return np.float32(rng.choice(FLOATS))
    return np.uint64(NUMBERS[rng.integers(len(NUMBERS))]).astype(np.int64)


def varint(value: int, longer: int = 0) -> bytes:
    """A number of seven bits a byte; `longer` by bytes that say nothing."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    for _ in range(longer):
        found[-1] |= 128
        found.append(0)
    return bytes(found)


def part(number: int, content: bytes, longer: int = 0) -> bytes:
    """A field that holds bytes."""
    return bytes([number << 3 | 2]) + varint(len(content), longer) + content


@dataclass
class Writer:
    """Writes Examples; one of `odds` things is not as everybody has it (none for 0)."""

    rng: Rng
    odds: float

    def odd(self) -> bool:
        return bool(self.rng.random() < self.odds)

    def example(self, features: list[Asked]) -> bytes:
        """An Example that has these features, those with a default perhaps not, and others."""
        there = [f for f in features if not tf.size(f.default) or self.rng.random() < 0.7]
        entries = [self.entry(f) for f in there if not self.odd()]
        entries += [self.entry(_asked(self.rng, b"other_%d" % n)) for n in range(2)]
        entries += [self.entry(f) for f in features if self.odd()]
        entries += [self.junk() for _ in range(1) if self.odd()]
        self.rng.shuffle(entries)
        cut = int(self.rng.integers(len(entries) + 1)) if self.odd() else len(entries)
        found = [part(1, b"".join(entries[:cut]), self.longer())]
        found += [part(1, b"".join(entries[cut:]))] if cut < len(entries) else []
        found += [self.junk() for _ in range(1) if self.odd()]
        self.rng.shuffle(found)
        return self.broken(b"" if self.odd() else b"".join(found))

    def entry(self, feature: Asked) -> bytes:
        parts = [part(1, feature.key, self.longer()), part(2, self.value(feature), self.longer())]
        if self.odd():
            parts = [parts[::-1], parts[:1], parts[1:], [*parts, parts[1]], [*parts, self.junk()]][
                self.rng.integers(5)
            ]
        return part(1, b"".join(parts), self.longer())

    def value(self, feature: Asked) -> bytes:
        dtype = TYPES[self.rng.integers(3)] if self.odd() else feature.dtype
        count = int(self.rng.integers(6)) if self.odd() else feature.count
        values = [_value(self.rng, dtype, self.length(feature)) for _ in range(count)]
        lists = part(3 if dtype == tf.int64 else 2 if dtype == tf.float32 else 1,
                     self.values(dtype, values), self.longer())  # fmt: skip
        if self.odd():
            return [b"", lists + lists, lists + self.junk(), self.junk()][self.rng.integers(4)]
        return lists

    def values(self, dtype: tf.DType, values: list[Any]) -> bytes:
        if dtype == tf.string:
            return b"".join(part(1, value, self.longer()) for value in values)
        tag, write = (b"\x0d", self.float) if dtype == tf.float32 else (b"\x08", self.number)
        apart = [write(value) for value in values]
        if self.odd():
            return part(1, b"".join(apart[:1])) + part(1, b"".join(apart[1:]))
        if self.odd():
            return part(1, b"".join(apart[:1])) + b"".join(tag + each for each in apart[1:])
        if self.rng.random() < 0.3:
            return b"".join(tag + each for each in apart)
        return part(1, b"".join(apart), self.longer())

    def float(self, value: Any) -> bytes:
        return struct.pack("<f", value)

    def number(self, value: Any) -> bytes:
        return varint(int(value) % (1 << 64), self.longer())

    def length(self, feature: Asked) -> int:
        return int(self.rng.choice(LENGTHS)) if self.odd() else feature.length

    def longer(self) -> int:
        return int(self.rng.integers(1, 9)) if self.odd() else 0

    def junk(self) -> bytes:
        """A field that nobody knows, or what is none."""
        number = int(self.rng.integers(1, 16))
        fields = [bytes([number << 3]) + varint(int(self.rng.integers(1 << 40))),
                  bytes([number << 3 | 1]) + self.rng.bytes(8), part(number, self.rng.bytes(3)),
                  bytes([number << 3 | 5]) + self.rng.bytes(4), bytes([number << 3 | 3]),
                  self.rng.bytes(int(self.rng.integers(1, 6)))]  # fmt: skip
        return fields[self.rng.integers(len(fields))]

    def broken(self, record: bytes) -> bytes:
        """The record with a byte changed, put in, taken out, or cut off."""
        if not record or not self.odd():
            return record
        at, byte = int(self.rng.integers(len(record))), self.rng.bytes(1)
        kinds = [record[:at], record[:at] + byte + record[at + 1 :], record[:at] + record[at + 1 :],
                 record[:at] + byte + record[at:], record + byte, record + record]  # fmt: skip
        return kinds[self.rng.integers(len(kinds))]
