"""What is found of one component that is drawn."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Judgement:
    """Of one component: "agrees", "differs" or "unknown", and what is to be said of it.

    "same" if it was compared exactly, under the same draws.

    `final`: more runs would tell no more; `torn`: it differs only beside the values of the others;
    `among`: alone it agrees, and the draws of these components do not belong together alike, of
    one example or of one batch; `unseen`: of which of both that was not judged.
    """

    component: int
    kind: str
    text: str
    examples: int = 0
    final: bool = True
    torn: bool = False
    among: tuple[int, ...] = ()
    unseen: tuple[str, ...] = ()
