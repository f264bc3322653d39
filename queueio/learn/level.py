"""What a level is: a script, a goal, a check of what its run did, and what it teaches."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from queueio.learn.playing import PlayedRun

PACKAGE = Path(__file__).resolve().parent.parent
SCRIPTS = Path(__file__).resolve().parent / "scripts"


class Missed(NamedTuple):
    """Why a level is not solved yet.

    Attributes:
      saw: what the run did.
      why: what is behind it.
      do: what to try next.
    """

    saw: str
    why: str
    do: str


def told_batches(batches: Sequence[Sequence[str]], most: int = 4) -> str:
    """The batches that came, in words; of many the first ones.

    Args:
      batches: the elements of each.
      most: how many are shown.
    """
    if not batches:
        return "no batch came"
    shown = ", ".join(f"[{' '.join(batch)}]" for batch in batches[:most])
    more = f" and {len(batches) - most} more" if len(batches) > most else ""
    return f"the batches were {shown}{more}"


Check = Callable[[PlayedRun, Callable[[], PlayedRun]], Missed | None]
"""Judges a run; the second argument runs the script as it was given, each in turn."""


@dataclass(frozen=True)
class LearnLevel:
    """A level.

    Attributes:
      name: that of its script, without number.
      goal, hint, lesson: sentences for the learner; the lesson is for the end.
      stage: the file of this package that has more.
      check: judges a run; None is solved.
      edits: the solution, as lines of the script and what they become.
      line: the solution, where it is a schedule and the script stays as it is.
    """

    name: str
    goal: str
    hint: str
    lesson: str
    stage: str
    check: Check
    edits: tuple[tuple[str, str], ...] = ()
    line: str = ""

    @property
    def title(self) -> str:
        """The name in words."""
        words = self.name.replace("_", " ").capitalize()
        return words.replace("tf data", "tf.data").replace("seeds", "seed's")

    @property
    def by_schedule(self) -> bool:
        """Whether the learner chooses who goes next, and leaves the script alone."""
        return bool(self.line)

    @property
    def file(self) -> Path:
        """Its script in this package, which is copied before it is run."""
        return next(SCRIPTS.glob(f"[0-9][0-9]_{self.name}.py"))

    def script(self) -> str:
        """The text of its script."""
        return self.file.read_text(encoding="utf-8")

    def solved(self) -> str:
        """The text of a script that solves it."""
        text = self.script()
        for old, new in self.edits:
            if text.count(old) != 1:
                raise ValueError(f"level {self.name}: {old!r} is there {text.count(old)} times")
            text = text.replace(old, new)
        return text

    def stage_lesson(self) -> str:
        """What the stage's file says of itself."""
        text = (PACKAGE.parent / self.stage).read_text(encoding="utf-8")
        return ast.get_docstring(ast.parse(text)) or ""
