"""Values at the edges of each dtype, as rows that a pipeline can hand out."""

from __future__ import annotations

from typing import Any

import numpy as np

ROWS = 12
_STRINGS = [
    b"", b"0", b"one\rtwo", b"a\x00\x00", b"\x00", b" 7 ", "Grüße".encode(), b"\xff\xfe",
    b"'\"\\", b"a b  c", b"x,y", b"tail\n",
]  # fmt: skip


def floats(dtype: Any = np.float32, shape: tuple[int, ...] = (5,), seed: int = 0) -> Any:
    """Infinities, NaN, denormals, extremes, both zeros, halves, and numbers of any size."""
    info, rng = np.finfo(dtype), np.random.RandomState(seed)
    edges = [0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, info.max, info.min, info.tiny,
             info.smallest_subnormal, info.eps, 0.5, 1.5, 2.5, -0.5, 0.1, 255, 127.5]  # fmt: skip
    return _filled(np.array(edges, dtype), rng.uniform(-300, 300, 999).astype(dtype), shape, rng)


def tame(
    dtype: Any = np.float32, shape: tuple[int, ...] = (5,), low: float = 0, high: float = 256,
    seed: int = 0,
) -> Any:  # fmt: skip
    """Numbers as data has them."""
    rng = np.random.RandomState(seed)
    return rng.uniform(low, high, (ROWS, *shape)).astype(dtype)


def integers(dtype: Any = np.int32, shape: tuple[int, ...] = (5,), seed: int = 0) -> Any:
    """Both ends, zero and its neighbours, and numbers of any size."""
    info, rng = np.iinfo(dtype), np.random.RandomState(seed)
    edges = np.array([info.min, info.max, 0, 1, 2, 7, info.max // 2], dtype)
    more = np.frombuffer(rng.bytes(999 * edges.itemsize), dtype)
    return _filled(edges, more, shape, rng)


def bools(shape: tuple[int, ...] = (5,), seed: int = 0) -> Any:
    """Both."""
    return np.random.RandomState(seed).rand(ROWS, *shape) < 0.5


def strings(shape: tuple[int, ...] = (), values: list[bytes] | None = None) -> Any:
    """Empty ones, zero bytes at the end, line ends, quotes, text that is no UTF-8."""
    given = values or _STRINGS
    size = ROWS * int(np.prod(shape))
    return np.array([given[i % len(given)] for i in range(size)], object).reshape(ROWS, *shape)


def values(dtype: Any, seed: int = 0, shape: tuple[int, ...] = (5,)) -> Any:
    """Rows of any dtype."""
    kind = np.dtype(dtype)
    if kind.kind == "O":
        return strings(shape)
    if kind.kind == "b":
        return bools(shape, seed)
    if kind.kind == "c":
        part = np.float32 if kind.itemsize == 8 else np.float64
        low, high = tame(part, shape, -9, 9, seed), tame(part, shape, -9, 9, seed + 1)
        return (low + 1j * high).astype(kind)
    return integers(kind, shape, seed) if kind.kind in "iu" else floats(kind, shape, seed)


def _filled(edges: Any, more: Any, shape: tuple[int, ...], rng: Any) -> Any:
    size = ROWS * int(np.prod(shape))
    found = np.concatenate([edges, more])[:size]
    rng.shuffle(found)
    return found.reshape(ROWS, *shape)
