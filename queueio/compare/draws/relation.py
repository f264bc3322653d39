"""In which words two distributions differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio.compare.draws.features import (
    NAMED,
    OF_EACH,
    PLANE,
    TOGETHER,
    Reference,
    planes,
)
from queueio.compare.draws.tally import Tally, Test

Array = np.ndarray[Any, Any]
NEARER = 4.0  # times, that values turned round are nearer than as they are
NEAR = 0.05  # of the deviation, by which a relation may miss the means


def relation(
    reference: Reference,
    names: list[str],
    test: Test,
    values: tuple[list[Array], list[Array]],
    tallies: tuple[Tally, Tally],
) -> tuple[str, bool]:
    """The plainest words for what differs, and whether more runs would not find plainer ones.

    Args:
      reference: the old side's scale.
      names: of the figures.
      test: where they differ.
      values: batches of both sides.
      tallies: the figures of both sides.
    """
    if not test.surprising.any():
        text = (
            "the same on the whole, but not beside the same values of the other components: the "
            "pairs are torn, the examples are other ones, or each is drawn otherwise"
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
    if not _holds(slope, offset, reference, tallies):
        return _figures(reference, names, test), True
    if not 0.8 < slope < 1.25:
        return _as(said(slope, offset, spread)), True
    text = _small(test, reference)
    return text or _figures(reference, names, test), bool(text)


def squares(reference: Reference, test: Test) -> tuple[float, float]:
    """The mean squares of both sides' values."""
    scale, middle = reference.deviation, reference.mean
    old, new = (
        float((m[:, 1] * scale**2 + 2 * m[:, 0] * scale * middle + middle**2).mean())
        for m in test.means
    )
    return old, new


def around(reference: Reference, test: Test) -> tuple[str, bool]:
    """In which words draws lie otherwise around one example, and whether more runs would not find
    plainer ones: a mean that moves shows in the values, too.

    Args:
      reference: the scale of what they are beyond another draw of it.
      test: where they differ.
    """
    old, new = (float(np.sqrt(square)) for square in squares(reference, test))
    text = (
        "it shows in how the draws of one example lie: from a first draw of the old side, further "
        f"ones are {old:.4g} away in the old side, {new:.4g} in the new one (root of the mean "
        "square)"
    )
    name = _most(reference.names, test)
    extra = "" if name == "square" else f"; what differs most is the {_plain(name)}"
    return text + extra, name != "mean"


def _reversed_channels(reference: Reference, test: Test) -> bool:
    if reference.channels < 2:
        return False
    values = [(m[:, 0] * reference.deviation + reference.mean) for m in test.means]
    error = test.findable[:, 0] * reference.deviation
    turned = np.abs(values[1] - values[0][::-1])
    within = turned <= np.maximum(error, error[::-1])
    nearer = NEARER * turned.sum() < np.abs(values[1] - values[0]).sum()
    return bool(within.all() and nearer and test.surprising[:, 0].any())


def _mirrored(names: list[str], test: Test, axis: str) -> bool:
    if axis not in names:
        return False
    at = names.index(axis)
    old, new = (m[:, at] for m in test.means)
    others = [i for i, name in enumerate(names) if name != axis]
    turned = (np.abs(old + new) <= test.findable[:, at]).all()
    turned &= NEARER * np.abs(old + new).sum() < np.abs(new - old).sum()
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


def _as(relation: str) -> str:
    """Values alone, in whatever examples they are, show no more."""
    return f"its values lie as those of {relation} would"


def _holds(slope: float, offset: float, reference: Reference, tallies: tuple[Tally, Tally]) -> bool:
    """Whether the relation, which sorted values have shown, also makes of the old examples' means
    what those of the new ones are; one that turns values round, in each group of examples."""
    old, new = (t.by_group() for t in tallies)
    known = np.isfinite(old + new).all(axis=(1, 2))
    (mean, _, apart), (other, width, between) = (_spread(f[known]) for f in (old, new))
    shift = (slope * reference.mean + offset - reference.mean) / reference.deviation
    missed = np.abs(slope * mean.mean(axis=0) + shift - other.mean(axis=0)) > NEAR * np.sqrt(width)
    if missed.any() or (np.abs(slope**2 * apart - between) > 2 * NEAR * width).any():
        return False
    a, b = ((m - m.mean(axis=0)).reshape(-1) for m in (mean, other))
    return slope > 0 or float(a @ b) < -0.5 * float(np.linalg.norm(a) * np.linalg.norm(b))


def _spread(figures: Array) -> tuple[Array, Array, Array]:
    """The groups' means; the variance of values, and of examples' means, over all groups."""
    mean, square, each = (figures[:, :, NAMED.index(n)] for n in
                          ("mean", "square", OF_EACH))  # fmt: skip
    whole = mean.mean(axis=0) ** 2
    return mean, square.mean(axis=0) - whole, each.mean(axis=0) - whole


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
    where = "" if _in_all(test, reference, factor, offset) else f"in channel {at} "
    if offset:
        text = f"old {'−' if offset < 0 else '+'} {abs(offset):.2g} (±{error:.1g})"
    else:
        text = f"old × {factor:.4g} (±{abs(error / mean):.1g})"
    return where + _as(text)


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
    channel, _ = np.unravel_index(int(np.argmax(test.score)), test.score.shape)
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
    name = _most(names, test)
    extra = "" if name in ("mean", "square") else f"; what differs most is the {_plain(name)}"
    return text + extra


def _most(names: list[str], test: Test) -> str:
    """The figure that differs most; what channels have in common only where none has more alone."""
    name = names[int(np.argmax(test.score.max(axis=0)))]
    alone = test.surprising[:, names.index(OF_EACH)].any()
    return OF_EACH if name == TOGETHER and alone else name


def _plain(name: str) -> str:
    if name.startswith("share"):
        return "share of values in a part of the range"
    if name == OF_EACH:
        return "spread of the examples' means"
    if name in PLANE[:2]:
        return f"balance {name}"
    return {"deviation of each": "contrast of an example"}.get(name, name)
