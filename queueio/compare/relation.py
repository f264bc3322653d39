"""In which words two distributions differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.compare.features import PLANE, Reference, planes
from queueio.compare.tally import Test

Array = np.ndarray[Any, Any]


def relation(
    reference: Reference, names: list[str], test: Test, values: tuple[list[Array], list[Array]]
) -> tuple[str, bool]:
    """The plainest words for what differs, and whether more runs would not find plainer ones.

    Args:
      reference: the old side's scale.
      names: of the figures.
      test: where they differ.
      values: batches of both sides.
    """
    if not test.surprising.any():
        text = (
            "the values are the same on the whole, but at other examples: the pairs are torn, or "
            "each example is changed in another way"
        )
        return text, True
    if _reversed_channels(reference, test):
        return "its channels are in reverse order", True
    for axis in PLANE[:2]:
        if _mirrored(names, test, axis):
            return f"it is flipped {axis}", True
    found = _quantiles(reference, values)
    if found is None:
        return _figures(reference, names, test), True
    slope, offset, spread = found
    if not 0.8 < slope < 1.25:
        return f"new = {said(slope, offset, spread)}", True
    small = _small(test, reference)
    return small or _figures(reference, names, test), bool(small)


def _reversed_channels(reference: Reference, test: Test) -> bool:
    if reference.channels < 2:
        return False
    shown = [m[:, :2] * np.array([1.0, 0.5]) for m in test.means]
    values = [(m[:, 0] * reference.deviation + reference.mean) for m in test.means]
    error = test.findable[:, 0] * reference.deviation
    turned = np.abs(values[1] - values[0][::-1]) <= np.maximum(error, error[::-1])
    return bool(turned.all() and test.surprising[:, 0].any() and len(shown[0]) > 1)


def _mirrored(names: list[str], test: Test, axis: str) -> bool:
    if axis not in names:
        return False
    at = names.index(axis)
    old, new = (m[:, at] for m in test.means)
    others = [i for i, name in enumerate(names) if name != axis]
    turned = (np.abs(old + new) <= test.findable[:, at]).all()
    return bool(turned and test.surprising[:, at].any() and not test.surprising[:, others].any())


def _quantiles(
    reference: Reference, values: tuple[list[Array], list[Array]]
) -> tuple[float, float, float] | None:
    """Slope and offset of new over old, and new's spread, if the distributions are so related."""
    old, new = (
        np.concatenate([planes(v).reshape(-1, reference.channels) for v in side]) for side in values
    )
    old, new = np.nan_to_num(old).astype(float), np.nan_to_num(new).astype(float)
    if not old.std() or not new.std():
        return None
    at = np.linspace(0.02, 0.98, 49)
    a = np.quantile(old, at, axis=0)
    for sign in (1, -1):
        b = np.quantile(sign * new, at, axis=0) * sign
        x, y = a.reshape(-1), b.reshape(-1)
        slope, offset = np.polyfit(x, y, 1)
        spread = float(np.ptp(y))
        if np.abs(slope * x + offset - y).max() < 0.015 * spread:
            return float(slope), float(offset), float(spread)
    return None


def _small(test: Test, reference: Reference) -> str:
    """A small offset or factor, from the means and deviations; "" if it is neither alone."""
    at = int(np.argmax(test.score[:, 0]))
    (mean, other), (spread, wide) = (
        [m[at, 0] * reference.deviation[at] + reference.mean[at] for m in test.means],
        [max(1e-12, m[at, 1] - m[at, 0] ** 2) for m in test.means],
    )
    error = test.findable[at, 0] * reference.deviation[at]
    if abs(other - mean) < error:
        return ""
    shifted = abs(wide / spread - 1)
    scaled = abs(wide / spread - (other / mean) ** 2) if mean else np.inf
    if min(shifted, scaled) > test.findable[at, 1] / spread:
        return ""
    factor, offset = (1.0, other - mean) if shifted < scaled else (other / mean, 0.0)
    where = "" if _in_all(test, reference, factor, offset) else f"of channel {at}, "
    if offset:
        text = f"new = old {'−' if offset < 0 else '+'} {abs(offset):.2g} (±{error:.1g})"
    else:
        text = f"new = old × {factor:.4g} (±{abs(error / mean):.1g})"
    return where + text


def _in_all(test: Test, reference: Reference, factor: float, offset: float) -> bool:
    """Whether the means of all channels are seen to be so related."""
    old, new = (m[:, 0] * reference.deviation + reference.mean for m in test.means)
    error = test.findable[:, 0] * reference.deviation
    alike = np.abs(new - (old * factor + offset)) <= error
    return bool((alike & test.surprising[:, 0]).all())


def said(slope: float, offset: float, spread: float) -> str:
    """`old × 0.00392 − 0.5`; an offset below a two hundredth of the spread is none."""
    text = "old" if slope == 1 else f"old × {slope:.3g}"
    if abs(offset) > 0.005 * spread:
        text += f" {'−' if offset < 0 else '+'} {abs(offset):.3g}"
    return text


def _figures(reference: Reference, names: list[str], test: Test) -> str:
    """The figures that differ most."""
    channel, figure = np.unravel_index(int(np.argmax(test.score)), test.score.shape)
    where = f" of channel {channel}" if reference.channels > 1 else ""
    deviation, mean = reference.deviation[channel], reference.mean[channel]
    old, new = (m[channel] for m in test.means)
    means = [m[0] * deviation + mean for m in (old, new)]
    spreads = [np.sqrt(max(0.0, m[1] - m[0] ** 2)) * deviation for m in (old, new)]
    error = test.findable[channel, 0] * deviation
    text = (
        f"mean{where} {means[0]:.4g} became {means[1]:.4g} (±{error:.2g}), "
        f"deviation {spreads[0]:.4g} became {spreads[1]:.4g}"
    )
    name = names[int(figure)]
    extra = "" if name in ("mean", "square") else f"; what differs most is the {_plain(name)}"
    return text + extra


def _plain(name: str) -> str:
    if name.startswith("share"):
        return "share of values in a part of the range"
    if name == "mean of each, squared":
        return "spread of the examples' means"
    return {"deviation of each": "contrast of an example"}.get(name, name)
