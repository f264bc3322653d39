"""The report's plots, as data URIs of PNG images."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from queueio.compare.result import Result

OLD, NEW = "#b45309", "#1d4ed8"  # told apart by lightness too
SIZE = (5.2, 3.0)


@dataclass(frozen=True)
class Plot:
    """An image with the sentence that stands in for it."""

    title: str
    image: str
    text: str


def plots(result: Result) -> list[Plot]:
    """All plots that the result has data for."""
    made = [_positions(result), _displacement(result), _batches(result), _throughput(result)]
    return [plot for plot in made if plot is not None]


def _figure() -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, dpi=150, layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    return figure, axes


def _image(figure: Any) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _mixings(result: Result) -> list[tuple[str, str, Any]]:
    sides = (("old", OLD, result.old.mixing), ("new", NEW, result.new.mixing))
    return [(n, c, m) for n, c, m in sides if m is not None and len(m.positions) > 10]


def _positions(result: Result) -> Plot | None:
    sides = _mixings(result)
    if not sides:
        return None
    figure, axes = _figure()
    for name, colour, mixing in sides:
        source = mixing.positions
        output = np.linspace(0, source.max(), len(source))
        size = 2 if len(source) > 1000 else 9
        axes.scatter(output, source, s=size, alpha=0.4, color=colour, label=name, linewidths=0)
    axes.set_xlabel("output position")
    axes.set_ylabel("reference position")
    axes.legend(markerscale=2, frameon=False)
    reference = sides[0][2].reference
    text = f"A line is an unshuffled stream, a band a shuffle pool. Reference: {reference}."
    return Plot("Where examples come out", _image(figure), text)


def _displacement(result: Result) -> Plot | None:
    sides = _mixings(result)
    if not sides:
        return None
    figure, axes = _figure()
    for name, colour, mixing in sides:
        source = mixing.positions
        moved = np.linspace(0, source.max(), len(source)) - source
        axes.hist(moved, bins=60, histtype="step", color=colour, label=name, linewidth=1.5)
    axes.set_xlabel("output position minus reference position")
    axes.set_ylabel("examples")
    axes.legend(frameon=False)
    return Plot("How far examples move", _image(figure), "A wider curve is a better shuffle.")


def _batches(result: Result) -> Plot | None:
    case = result.case
    if case is None or not case.old.sizes:
        return None
    figure, axes = _figure()
    for name, colour, scan, width in (("old", OLD, case.old, 3.5), ("new", NEW, case.new, 1.5)):
        sizes = np.asarray(scan.sizes)
        places = np.unique(np.linspace(0, len(sizes) - 1, min(len(sizes), 2000)).astype(int))
        if len(sizes):
            places = np.unique(np.append(places, np.argmin(sizes)))
            axes.step(
                places + 1, sizes[places], color=colour, label=name, linewidth=width, where="mid"
            )
    axes.set_ylim(bottom=0)
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("batch")
    axes.set_ylabel("examples in it")
    axes.legend(frameon=False)
    return Plot("Batch sizes", _image(figure), "Both lines should lie on one another.")


def _throughput(result: Result) -> Plot | None:
    case = result.case
    if case is None or not (case.old.times or case.new.times):
        return None
    figure, axes = _figure()
    for name, colour, scan in (("old", OLD, case.old), ("new", NEW, case.new)):
        times = np.asarray(scan.times)
        count = np.cumsum(np.asarray(scan.sizes)[: len(times)])
        if len(times):
            axes.plot(times, count[: len(times)], color=colour, label=name)
    axes.set_xlabel("seconds waited for the side")
    axes.set_ylabel("examples delivered")
    axes.legend(frameon=False)
    text = "Taken while both ran in turn, with digests; the table has the rates of each alone."
    return Plot("Delivery", _image(figure), text)
