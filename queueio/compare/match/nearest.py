"""Examples paired by how near their values are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from queueio.compare.reading.exact import base_of, beyond
from queueio.compare.reading.fetch import Example

Array = np.ndarray[Any, Any]
Feature = Callable[[Array], Array]
Pairing = list[tuple[Example, Example, str]]
NEAREST = 512  # examples of the old side, of which each is held against all of the new one
TRIED, DIRECTIONS, ROWS = 16, 48, 256  # of more: neighbours by so many projections, rows at once
LONGEST = 1024  # values of a component


def nearest(old: list[Example], new: list[Example], feature: Feature | None = None) -> Pairing:
    """Pairs the nearest first, until one side has none left.

    Of many examples, each is held against its neighbours only, those that are nearest by
    projections on random directions: what is equal but for rounding is among them.

    Args:
      old, new: the examples.
      feature: what of a component's values counts; all of them where it is not given.
    """
    if not old or not new:
        return []
    few = len(old) <= NEAREST and len(new) <= 4 * NEAREST
    a, b = table(old, new, feature or features)
    pairs: Pairing = []
    left, right = np.ones(len(old), bool), np.ones(len(new), bool)
    for i, j in _all(a, b) if few else _neighbours(a, b):
        if left[i] and right[j]:
            pairs.append((old[i], new[j], "nearest"))
            left[i] = right[j] = False
    return pairs


def _all(a: Array, b: Array) -> Iterator[tuple[int, int]]:
    """All places of two examples, the nearest first."""
    distance = np.stack([np.abs(b - row).mean(axis=1) for row in a])
    for flat in np.argsort(distance, axis=None, kind="stable")[: 64 * len(a)].tolist():
        yield divmod(flat, len(b))


def _neighbours(a: Array, b: Array) -> list[tuple[int, int]]:
    """The places of neighbours, the nearest first."""
    found: list[tuple[float, int, int]] = []
    directions = np.random.default_rng(0).normal(size=(a.shape[1], DIRECTIONS))
    p, q = a @ directions, b @ directions
    size = (q * q).sum(axis=1)
    tried = min(TRIED, len(b))
    for start in range(0, len(a), ROWS):
        apart = size - 2 * (p[start : start + ROWS] @ q.T)
        near = np.argpartition(apart, tried - 1, axis=1)[:, :tried]
        for i, places in enumerate(near, start):
            distances = np.abs(b[places] - a[i]).mean(axis=1)
            found += zip(distances.tolist(), [i] * tried, places.tolist(), strict=True)
    return [(i, j) for _, i, j in sorted(found)]


def table(old: list[Example], new: list[Example], feature: Feature) -> tuple[Array, Array]:
    """The values of both sides as rows, each component centred and scaled by itself.

    So a factor makes no distance, whatever else the example holds.
    """
    blocks: tuple[list[Array], list[Array]] = ([], [])
    for index in range(min(len(old[0].values), len(new[0].values))):
        both = [_matrix(side, index, feature) for side in (old, new)]
        width = min(m.shape[1] for m in both)
        for found, matrix in zip(blocks, both, strict=True):
            found.append(_standard(matrix[:, :width]))
    return np.concatenate(blocks[0], 1), np.concatenate(blocks[1], 1)


def _matrix(examples: list[Example], index: int, feature: Feature) -> Array:
    base = base_of(e.values[index] for e in examples)
    rows = [feature(beyond(e.values[index], base)) for e in examples]
    width = min(LONGEST, max(map(len, rows)))
    out = np.zeros((len(rows), width))
    for row, values in zip(out, rows, strict=True):
        row[: len(values)] = values[:width]
    return out


def _standard(matrix: Array) -> Array:
    matrix = np.nan_to_num(matrix, posinf=0, neginf=0)
    return (matrix - matrix.mean()) / (matrix.std() or 1.0) if matrix.size else matrix


def features(array: Array) -> Array:
    """Numbers as they are; of strings the first bytes and the length."""
    if array.dtype != object:
        return np.real(array).astype(np.float64).reshape(-1)[:512]
    rows = []
    for text in array.reshape(-1).tolist()[:16]:
        raw = text if isinstance(text, bytes) else str(text).encode()
        padded = raw[:24].ljust(24, b"\0")
        rows.append(np.frombuffer(padded, np.uint8).astype(np.float64))
    return np.concatenate(rows) if rows else np.zeros(0)
