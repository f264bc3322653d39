"""The report's plots, as data URIs of PNG images: for a light page, and for a dark one."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from queueio.compare.report.outcome import Outcome

Drawn = tuple[str, Any, str] | None
"""Title, figure and sentence of a plot; None where the result has no data for it."""

SIZE = (5.2, 3.0)


@dataclass(frozen=True)
class Page:
    """The colours of a page; those of the two sides are told apart by lightness too."""

    ink: str
    paper: str
    old: str
    new: str


# As in report.html.j2.
LIGHT = Page("#1c1917", "#ffffff", "#b45309", "#1d4ed8")
DARK = Page("#e7e5e4", "#1c1917", "#f59e0b", "#60a5fa")


@dataclass(frozen=True)
class Plot:
    """An image, the same for a dark page, and the sentence that stands in for it."""

    title: str
    image: str
    dark: str
    text: str


def plots(result: Outcome) -> list[Plot]:
    """All plots that the result has data for."""
    made = []
    for draw in (_positions, _displacement, _batches, _throughput):
        light, dark = draw(result, LIGHT), draw(result, DARK)
        if light is not None and dark is not None:
            title, figure, text = light
            made.append(Plot(title, _image(figure), _image(dark[1]), text))
    return made


def _figure(page: Page) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, dpi=150, layout="constrained", facecolor=page.paper)
    axes = figure.add_subplot(facecolor=page.paper)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["bottom", "left"]].set_color(page.ink)
    axes.tick_params(colors=page.ink)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set_color(page.ink)
    axes.grid(alpha=0.25)
    return figure, axes


def _legend(axes: Any, page: Page, **how: Any) -> None:
    """Above the axes, where it covers nothing."""
    axes.legend(
        loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False, borderaxespad=0,
        labelcolor=page.ink, **how,
    )  # fmt: skip


def _image(figure: Any) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _mixings(result: Outcome, page: Page) -> list[tuple[str, str, Any]]:
    sides = (("old", page.old, result.old.mixing), ("new", page.new, result.new.mixing))
    return [(n, c, m) for n, c, m in sides if m is not None and len(m.positions) > 10]


def _positions(result: Outcome, page: Page) -> Drawn:
    sides = _mixings(result, page)
    if not sides:
        return None
    figure, axes = _figure(page)
    for name, colour, mixing in sides:
        source = mixing.positions
        output = np.linspace(0, source.max(), len(source))
        size = 2 if len(source) > 1000 else 9
        axes.scatter(output, source, s=size, alpha=0.6, color=colour, label=name, linewidths=0)
    axes.set_xlabel("output position")
    axes.set_ylabel("reference position")
    _legend(axes, page, markerscale=2)
    reference = sides[0][2].reference
    text = f"A line is an unshuffled stream, a band a shuffle pool. Reference: {reference}."
    return "Where examples come out", figure, text


def _displacement(result: Outcome, page: Page) -> Drawn:
    sides = _mixings(result, page)
    if not sides:
        return None
    figure, axes = _figure(page)
    for name, colour, mixing in sides:
        source = mixing.positions
        moved = np.linspace(0, source.max(), len(source)) - source
        axes.hist(moved, bins=60, histtype="step", color=colour, label=name, linewidth=1.5)
    axes.set_xlabel("output position minus reference position")
    axes.set_ylabel("examples")
    _legend(axes, page)
    return "How far examples move", figure, "The wider the curve, the farther the shuffle reaches."


def _batches(result: Outcome, page: Page) -> Drawn:
    case = result.case
    if case is None or not case.old.sizes:
        return None
    figure, axes = _figure(page)
    for name, colour, scan, width in (
        ("old", page.old, case.old, 3.5),
        ("new", page.new, case.new, 1.5),
    ):
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
    _legend(axes, page)
    return "Batch sizes", figure, "Both lines should lie on one another."


def _throughput(result: Outcome, page: Page) -> Drawn:
    case = result.case
    if case is None or not (case.old.times or case.new.times):
        return None
    figure, axes = _figure(page)
    for name, colour, scan in (("old", page.old, case.old), ("new", page.new, case.new)):
        times = np.asarray(scan.times)
        count = np.cumsum(np.asarray(scan.sizes)[: len(times)])
        if len(times):
            axes.plot(times, count[: len(times)], color=colour, label=name)
    axes.set_xlabel("seconds waited for the side")
    axes.set_ylabel("examples delivered")
    _legend(axes, page)
    text = "With a fingerprint taken of each example, in turns; the table has each rate alone."
    return "Delivery", figure, text
