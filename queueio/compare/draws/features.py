"""What a distribution of numbers is compared by: some figures of each example, per channel.

Values are taken in the old side's deviations from its mean, so that one scale serves all figures.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
CHANNELS = 4  # a last axis of at most so many entries holds channels
ENTRIES = 16  # so a vector's entries
PIXELS = 64  # along an axis; of larger images every second, third, … is looked at
QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
ROUNDING = 1e-6  # of the largest value
REACH = 8.0  # deviations beyond which the higher moments see no difference
PLANE = ("left to right", "top to bottom", "roughness across", "roughness down")


def planes(value: Array) -> Array:
    """A batch as (examples, rows, columns, channels), float64."""
    wide = np.asarray(value).astype(np.float64)
    if wide.ndim == 1:
        return wide.reshape(-1, 1, 1, 1)
    if wide.ndim == 2:
        few = wide.shape[1] <= ENTRIES
        return wide.reshape(len(wide), 1, *((1, -1) if few else (-1, 1)))
    has_channels = wide.shape[-1] <= CHANNELS
    channels = wide.shape[-1] if has_channels else 1
    columns = wide.shape[-2] if has_channels else wide.shape[-1]
    whole = wide.reshape(len(wide), -1, columns, channels)
    steps = [-(-size // PIXELS) for size in whole.shape[1:3]]
    return whole[:, :: steps[0], :: steps[1]]


def channels_of(value: Array) -> int:
    """How many channels the examples of a batch have."""
    return int(planes(value[:1]).shape[3])


class Reference:
    """The scale of one component, from its first examples: per channel.

    Args:
      batches: these examples.
      whole: the scale of the values of which they are differences. What is no more than these
        values' rounding is measured by it: its own scale would make a draw of the last digit.
    """

    def __init__(self, batches: list[Array], whole: Reference | None = None) -> None:
        x = [planes(batch) for batch in batches]
        self.channels, self.has_plane = x[0].shape[3], min(x[0].shape[1:3]) > 2
        columns = np.nan_to_num(np.concatenate([each.reshape(-1, self.channels) for each in x]))
        self.mean, self.deviation = columns.mean(axis=0), columns.std(axis=0)
        self.low, self.high = columns.min(axis=0), columns.max(axis=0)
        self.range = self.high - self.low
        self.deviation[self.deviation == 0] = 1.0
        # Beside the values, not on them: rounding must not carry a value across an edge.
        aside = self.range * 3.7e-4 + 1e-12
        if whole is not None:
            rounding = ROUNDING * np.maximum(np.abs(whole.low), np.abs(whole.high))
            self.deviation = np.where(self.range > rounding, self.deviation, whole.deviation)
            aside = aside + rounding
        edges = [self.low - aside, *(np.quantile(columns, QUANTILES, axis=0) + aside)]
        self.edges = np.stack([*edges, self.high + aside])

    @property
    def names(self) -> list[str]:
        """The figures, in their order."""
        shares = [f"share {n}" for n in range(len(QUANTILES) + 3)]
        plane = list(PLANE) if self.has_plane else []
        return [*NAMED, *([TOGETHER] if self.channels > 1 else []), *shares, *plane]

    def figures(self, value: Array) -> Array:
        """(examples, channels, figures)."""
        x = np.ascontiguousarray(np.moveaxis(planes(value), 3, 1))  # what is summed lies together
        flat = x.reshape(*x.shape[:2], -1)
        z = (np.nan_to_num(flat) - self.mean[:, None]) / self.deviation[:, None]
        inside = np.clip(z, -REACH, REACH)
        squares = inside * inside  # multiplied, as a power of three takes twenty times as long
        mean = z.mean(axis=2)
        found = [mean, (z * z).mean(axis=2), (squares * inside).mean(axis=2),
                 (squares * squares).mean(axis=2), mean * mean, z.std(axis=2),
                 np.isfinite(flat).mean(axis=2)]  # fmt: skip
        if self.channels > 1:
            whole = mean.mean(axis=1, keepdims=True)
            found.append(np.broadcast_to(whole * whole, mean.shape))
        figures = [np.stack(found, axis=2), self._shares(flat)]
        if self.has_plane:
            figures.append(_over_plane(inside.reshape(x.shape)))
        return np.concatenate(figures, axis=2)

    def _shares(self, x: Array) -> Array:
        """The shares of values between edges, and beyond them."""
        examples, channels, pixels = x.shape
        found = np.zeros((examples, channels, len(self.edges) + 1))
        first = np.arange(examples)[:, None] * found.shape[2]
        for channel, edges in enumerate(self.edges.T):
            cells = first + np.searchsorted(edges, x[:, channel], side="right")
            counts = np.bincount(cells.ravel(), minlength=examples * found.shape[2])
            found[:, channel] = counts.reshape(examples, -1) / max(1, pixels)
        return found


OF_EACH = "mean of each, squared"
NAMED = ("mean", "square", "third moment", "fourth moment", OF_EACH, "deviation of each",
         "finite")  # fmt: skip
TOGETHER = "part that all channels have in common"  # their mean, squared


def _over_plane(z: Array) -> Array:
    rows, columns = z.shape[2:]
    across, down = np.linspace(-1, 1, columns), np.linspace(-1, 1, rows)
    found = [
        (z.mean(axis=2) @ across) / columns,
        (z.mean(axis=3) @ down) / rows,
        np.abs(np.diff(z, axis=3)).mean(axis=(2, 3)),
        np.abs(np.diff(z, axis=2)).mean(axis=(2, 3)),
    ]
    return np.stack(found, axis=2)
