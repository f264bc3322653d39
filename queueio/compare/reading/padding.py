"""Components that are padded to the longest of their batch, found in a first run of both sides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from queueio.compare.reading.lockstep import Both
from queueio.compare.reading.scan import Scan
from queueio.compare.sides.padded import PaddedOn, overlong, padding_of
from queueio.compare.sides.side import Side

MOSTLY = 0.5  # the share of batches that one side more than the other pads further than they need


Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Takes:
    """How many values an example takes on average, and by how much chance moves that; `whole`:
    whether all shapes are known."""

    mean: float
    error: float
    whole: bool


@dataclass(frozen=True)
class Padded:
    """A component padded by the batch; which side pads it further than that (old, new or ""),
    whether both pad with one value, how many values an example takes with its padding, and how long
    the shortest and the longest example of each batch are."""

    component: int
    further: str
    alike: bool
    takes: tuple[Takes, Takes]
    spans: tuple[Spans, Spans] = ((), ())


def padded_on(both: Both) -> tuple[tuple[Side, Side], list[Padded]]:
    """The sides, their padded components padded on to one length, and which these are.

    Nothing is where batches are of one shape, or of one example, or are not known whole.
    """
    old, new = both.old, both.new
    count = min(len(old.schema.components), len(new.schema.components))
    known = old.side.repeatable and new.side.repeatable
    found = [i for i in range(count) if known and _by_batch(both, i)]
    if not found:
        return (old.side, new.side), []
    shapes = {i: _longest(both, i) for i in found}
    batches = [{i: _batches(scan, i) for i in found} for scan in (old, new)]
    values = [{i: padding_of(of[i]) for i in found} for of in batches]
    padded = []
    for i in found:
        further = _further(*((of[i], v[i]) for of, v in zip(batches, values, strict=True)))
        takes = _takes(old, i), _takes(new, i)
        padded.append(Padded(i, further, values[0][i] == values[1][i], takes))
    places = both.select or ([*range(count)], [*range(count)])
    sides = [
        PaddedOn(scan.side, {at[i]: shapes[i] for i in found}, {at[i]: v[i] for i in found})
        for scan, at, v in zip((old, new), places, values, strict=True)
    ]
    return (sides[0], sides[1]), padded


def with_spans(padded: list[Padded], sides: tuple[Side, Side]) -> list[Padded]:
    """The same, after the sides have run as padded on."""
    known = [side.spans.values() if isinstance(side, PaddedOn) else () for side in sides]
    return [replace(p, spans=(tuple(a), tuple(b))) for p, a, b in zip(padded, *known, strict=True)]


def _by_batch(both: Both, index: int) -> bool:
    """Whether a component's shape depends on what is in a batch, not on the side alone."""
    scans = both.old, both.new
    if any(scan.schema.components[index].kind != "dense" for scan in scans):
        return False
    shapes = [set(scan.shapes[index]) for scan in scans]
    if len({len(shape) for shape in shapes[0] | shapes[1]}) != 1 or max(map(len, shapes)) < 2:
        return False
    return all(shapes) and all(max(scan.sizes, default=0) > 1 for scan in scans)


def _longest(both: Both, index: int) -> tuple[int, ...]:
    """The longest of all batches; where some are left out, twice as much, as one may be longer."""
    scans = both.old, both.new
    most = np.max([shape for scan in scans for shape in scan.shapes[index]], axis=0)
    least = np.min([shape for scan in scans for shape in scan.shapes[index]], axis=0)
    whole = all(scan.end.kind == "clean" and len(set(scan.sizes)) > 1 for scan in scans)
    return tuple(int(n) for n in (most if whole else np.where(most > least, 2 * most, most)))


def _takes(scan: Scan, index: int) -> Takes:
    """Of all examples; batches are what chance puts together."""
    shapes = scan.shapes[index]
    sizes: Any = [np.prod(shape) for shape in shapes]
    counts = [*shapes.values()]
    mean = float(np.average(sizes, weights=counts))
    variance = float(np.average((np.array(sizes) - mean) ** 2, weights=counts))
    error = float(np.sqrt(variance / max(1, len(scan.sizes))))
    return Takes(mean, error, sum(counts) == scan.examples)


def _batches(scan: Scan, index: int) -> list[Any]:
    return [values[index] for values in scan.sample]


def _further(old: tuple[list[Any], Any], new: tuple[list[Any], Any]) -> str:
    """The side that pads further than a batch needs; values may end in zeros on both."""
    shares = []
    for batches, padding in (old, new):
        several = [overlong(b, padding) for b in batches if len(b) > 1]
        shares.append(sum(several) / max(1, len(several)))
    if abs(shares[0] - shares[1]) <= MOSTLY:
        return ""
    return "old" if shares[0] > shares[1] else "new"
