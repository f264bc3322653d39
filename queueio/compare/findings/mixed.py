"""Numbers that one linear relation for each channel, or for each place, makes of the old ones:
means and scales of colours, another colour space, columns that are standardized.

One fit tells all of it: new channels as sums of the old ones. It is said only where it makes all
new values, to rounding, of far more old ones than it has figures.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.compare.findings.shown import show

Array = np.ndarray[Any, Any]
Values = list[tuple[Array, Array]]
CHANNELS = 4  # at most
SHOWN_BY = 8  # different colours for each figure of a fit, that show it
EXAMPLES, DIFFERENT = 4, 3  # that show the relation of one place; different values of them
NEAR = 1e-5  # of the largest value, what rounding leaves
LITTLE = 0.01  # of how far values lie apart, that rounding may leave so that they show anything
WHOLE, BROAD = 0.51, 20  # what rounding to whole numbers leaves of values so far apart
MOST = 20_000_000  # values


def in_channels(values: Values) -> str:
    """`: each channel …`, where the new channels are sums of the old ones; "" where not."""
    a, b = values[0]
    if a.ndim < 2 or a.shape[:-1] != b.shape[:-1] or not 2 <= a.shape[-1] <= CHANNELS:
        return ""
    if b.shape[-1] > CHANNELS or _too_many(values) or not _one_shape(values):
        return ""
    x, y = (_rows(side, side[0].shape[-1]) for side in zip(*values, strict=True))
    fit = _fit(x, y)
    return "" if fit is None else _of_channels(*fit)


def at_places(values: Values) -> str:
    """The same, of each number at its place in all examples."""
    a, b = values[0]
    if a.shape != b.shape or a.size < 2 or len(values) < EXAMPLES or _too_many(values):
        return ""
    if not _one_shape(values):
        return ""
    x, y = (_rows(side, side[0].size) for side in zip(*values, strict=True))
    slope, shows = _by_ends(x, y)
    if slope is None:
        return ""
    if np.allclose(slope[shows], 1, atol=1e-4):
        return ": each of its numbers is shifted by a constant of its place, as by a mean image"
    return (
        ": each of its numbers is scaled and shifted by constants of its place, as where columns "
        "are standardized"
    )


def _too_many(values: Values) -> bool:
    return sum(a.size for a, _ in values) > MOST


def _one_shape(values: Values) -> bool:
    return len({(a.shape, b.shape) for a, b in values}) == 1


def _rows(side: Any, width: int) -> Array:
    return np.concatenate([v.reshape(-1, width) for v in side]).astype(np.float64)


def _fit(x: Array, y: Array) -> tuple[Array, Array] | None:
    """Factors (old channels, new ones) and offsets that make all new values."""
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return None
    if len(np.unique(x[:4096], axis=0)) < SHOWN_BY * (x.shape[1] + 1):
        return None
    middle = x.mean(axis=0)
    factors, _, rank, _ = np.linalg.lstsq(x - middle, y - y.mean(axis=0), rcond=1e-4)
    if rank < x.shape[1]:
        return None  # grey already: any mixture of its channels makes the same
    offsets = y.mean(axis=0) - middle @ factors
    left = float(np.abs(x @ factors + offsets - y).max())
    whole = bool((y == np.round(y)).all()) and float(y.std()) > BROAD
    near = NEAR * float(np.abs(y).max())
    if near > LITTLE * float(y.std(axis=0).min()):
        return None
    offsets[np.abs(offsets) <= near] = 0
    return (factors, offsets) if left <= (WHOLE if whole else near) else None


def _of_channels(factors: Array, offsets: Array) -> str:
    small = 1e-3 * float(np.abs(factors).max())
    used = np.abs(factors) > small
    if factors.shape[0] == factors.shape[1]:
        alone = np.eye(len(factors), dtype=bool)
        for how, only in ((": each channel is", alone), (_REVERSED, alone[::-1])):
            if (used == only).all():
                return _each(how, factors.T[only.T], offsets)
    if np.allclose(factors, factors[:, :1], atol=5 * small):
        mixture = ", ".join(show(float(f"{f:.3g}")) for f in factors[:, 0])
        return f": each new channel is one mixture of the old ones, × {mixture}, as in a grey image"
    return ": each new channel is a mixture of the old ones, as in another colour space"


_REVERSED = ": its channels are in reverse order, and each is"


def _each(how: str, factors: Array, offsets: Array) -> str:
    """Of channels that stay apart, what makes each new one."""
    if np.allclose(factors, 1, atol=1e-4):
        return f"{how} shifted by its own constant, {', '.join(f'{o:+.4g}' for o in offsets)}"
    each = ", ".join(_relation(f, o) for f, o in zip(factors, offsets, strict=True))
    return f"{how} scaled and shifted by its own constants, {each}"


def _relation(factor: float, offset: float) -> str:
    return f"× {factor:.4g} {offset:+.4g}" if offset else f"× {factor:.4g}"


def _by_ends(x: Array, y: Array) -> tuple[Array | None, Array]:
    """The factor of each column, by its least and largest value, if all others follow; and which
    columns have values enough to show it. None where one that has does not follow."""
    shows = np.array([len(np.unique(column)) >= DIFFERENT for column in x.T])
    if not shows.any() or not (np.isfinite(x).all() and np.isfinite(y).all()):
        return None, shows
    at = np.arange(x.shape[1])
    low, high = x.argmin(axis=0), x.argmax(axis=0)
    run = np.where(shows, x[high, at] - x[low, at], 1)
    slope = (y[high, at] - y[low, at]) / run
    made = y[low, at] + (x - x[low, at]) * slope
    rounded = NEAR * np.abs(y).max(axis=0)
    near = (np.abs(made - y) <= rounded) & (rounded <= LITTLE * (y.max(axis=0) - y.min(axis=0)))
    moved = (x != y).any(axis=0)
    follow = near[:, shows].all() and (slope[shows] != 0).all() and not (moved & ~shows).any()
    return (slope if follow else None), shows
