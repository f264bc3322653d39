"""Whether draws belong together alike on both sides: those of one example, as of an image and its
mask that are flipped by one draw, and those of one batch, as of images that share a draw.

Each component by itself may be drawn from one distribution all the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from queueio.compare.draws.entries import beside
from queueio.compare.draws.judgement import Judgement
from queueio.compare.draws.mates import InCommon, Mates, findable, otherwise
from queueio.compare.draws.near import Near
from queueio.compare.reading.scan import Scan

Array = np.ndarray[Any, Any]
SHARE, RUNS = 0.45, 30  # of the draws, that are others; else the runs that are taken to see them
IN_EXAMPLE, IN_BATCH = "of one example", "of one batch"
Sides = tuple[Mates, Mates]


class Together:
    """What is kept of the drawn components' entries, as they belong to one example and batch.

    Args:
      scans: both sides.
      indices: the drawn components.
      near: whether runs of both sides can be held against one another.
    """

    def __init__(self, scans: tuple[Scan, Scan], indices: list[int], near: bool) -> None:
        several = near and len(indices) > 1
        self.joint = Near() if several else None
        self.alone = len(indices) == 1
        self.mates: dict[int, Sides] = {
            i: (Mates(_batch(scans[0])), Mates(_batch(scans[1]))) for i in (indices if near else [])
        }

    def add(self, side: int, places: Array, keys: Array, entries: dict[int, Array | None]) -> None:
        """Takes in examples of a side's run, by the entries of each component."""
        for index, both in self.mates.items():
            both[side].add(places, keys, entries.get(index))
        if self.joint is not None:
            parts = [part for part in entries.values() if part is not None]
            self.joint.add(side, beside(parts) if len(parts) == len(self.mates) else None)

    def end(self, side: int) -> None:
        """A run of a side is complete."""
        for both in self.mates.values():
            both[side].end()
        if self.joint is not None:
            self.joint.end(side)

    def judged(self, found: list[Judgement], looks: int) -> list[Judgement]:
        """The judgements of single components, with what is seen of them together.

        Args:
          found: the judgements.
          looks: how often the test may be made as more runs come.
        """
        if any(each.kind == "differs" for each in found):
            return found
        found = [self._in_batch(each, looks) for each in found]
        if self.alone or any(each.kind == "differs" for each in found):
            return found
        joint = None if self.joint is None else self.joint.tested(looks)
        if joint is not None and joint.score > 1:
            indices = tuple(each.component for each in found)
            text = (
                "their draws for one example do not belong together as in the old side, as where "
                "an image and its mask are cropped by one draw in one side, and each by its own in "
                "the other"
            )
            first = replace(found[0], kind="differs", text=text, among=indices, final=True)
            return [first, *found[1:]]
        seen = joint is not None and joint.share <= 1
        enough = joint is not None and (joint.share <= SHARE or joint.runs >= RUNS)
        wanted = self.joint is not None and self.joint.possible
        return [
            replace(
                each,
                final=each.final and (enough or not wanted),
                unseen=each.unseen if seen else (*each.unseen, IN_EXAMPLE),
            )
            for each in found
        ]

    def _in_batch(self, each: Judgement, looks: int) -> Judgement:
        sides = self.mates.get(each.component)
        old, new = (mates.shared() for mates in sides) if sides else (None, None)
        if old is None or new is None:
            final = each.final and not any(mates.waiting for mates in sides or ())
            return replace(each, unseen=(IN_BATCH,), final=final)
        if otherwise(old, new, looks):
            text = _said(old, new)
            return replace(each, kind="differs", text=text, among=(each.component,), final=True)
        share = findable(old, new, looks)
        if share > 1:  # few draws of a side, as of one for a whole run: more runs may show it
            return replace(each, unseen=(IN_BATCH,), final=False)
        text = (
            f"{each.text}; a side on which alone {share:.0%} of what varies in the draws of a "
            "batch were the same for all of it would show"
        )
        return replace(each, text=text) if each.kind == "agrees" else each


def _said(old: InCommon, new: InCommon) -> str:
    more, less = ("old", "new") if old.share > new.share else ("new", "old")
    return (
        f"the examples of a batch have draws in common in the {more} side, {_share(max(old, new))} "
        f"of what varies, and {_share(min(old, new))} in the {less} one, as where one draw is made "
        "for a whole batch and where each example has its own"
    )


def _share(shared: InCommon) -> str:
    return f"{min(1.0, max(0.0, shared.share)):.0%}"


def _batch(scan: Scan) -> int:
    """The examples of each batch but the last; 0 where there are several sizes."""
    sizes = set(scan.sizes[:-1]) if len(scan.sizes) > 1 else set()
    return int(sizes.pop()) if len(sizes) == 1 and scan.schema.batched else 0
