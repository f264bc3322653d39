"""A learner's answer is run and judged; what is said of it."""

from __future__ import annotations

import difflib
import re
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from queueio.learn.level import LearnLevel, Missed

if TYPE_CHECKING:
    from queueio.learn.playing import PlayedRun
    from queueio.schedule.events import Event


def judged(
    level: LearnLevel, copy: Path, schedule: str | None = None
) -> tuple[PlayedRun, Missed | None]:
    """Runs a level as the learner has it, and judges the run.

    Args:
      level: which.
      copy: the learner's script; where the level is solved by a schedule, it is not used.
      schedule: who has each step; None: each in turn.
    """
    from queueio.learn.playing import play, scratch

    with scratch() as folder:
        given = folder / level.file.name
        given.write_text(level.script(), encoding="utf-8")
        seen = play(given if level.by_schedule else copy, schedule or "round-robin")
        if seen.end["end"] in ("misfit", "failed"):
            why = seen.end["why"].split("queueio.")[0].partition(". ")[0]
            do = "Look at the steps above: who could go on then?"
            return seen, Missed(why, "", OTHERS if "another program's" in why else do)
        if seen.end["end"] == "lost":
            return seen, _lost(seen)
        if seen.end["error"] and "OpError" not in seen.end["error_types"]:
            why, do = "the script could not go on", "Mend the line that the traceback above names."
            if "threads still running" in seen.end["error"]:
                why = "coord.join waited for threads that do not ask this coordinator"
                do = "Give it to those who start them: start_queue_runners(sess, coord)."
            return seen, Missed(seen.how(), why, do)
        return seen, level.check(seen, lambda: play(given))


OTHERS = "Take the line that step prints for this level's script, or nothing between the colons."


def _lost(seen: PlayedRun) -> Missed:
    """Of a run whose process said no more."""
    told = [event for event in seen.events if event.kind != "end"]
    after = f" Its last step was {told_step(told[-1]).strip()}" if told else ""
    return Missed(
        f"{seen.end['why']}.{after}",
        "a script says nothing in a loop that calls neither a session nor sleep, and once it has"
        " left by os._exit",
        "Mend the loop or the call that comes next in the script.",
    )


def told_missed(missed: Missed) -> str:
    """Why a level is not solved, for the terminal."""
    why = f"\nWhy: {wrapped(missed.why)}." if missed.why else ""
    saw = missed.saw[:1].upper() + missed.saw[1:].rstrip(".")
    return f"{saw}.{why}\nTry: {wrapped(missed.do)}"


def told_step(event: Event) -> str:
    """A step in a line, its thread by a short name."""
    from queueio.schedule.plain import short_name, told_event

    return told_event(replace(event, name=short_name(event.name)))


def solution_of(number: int, level: LearnLevel, command: str = "queueio learn") -> str:
    """One that works: the command with its schedule, or the lines that change and those beside.

    Args:
      number: the level's.
      level: which.
      command: what the learner calls, with the folder where that is another one.
    """
    if level.by_schedule:
        return f"{command} {number} --check --schedule {level.line}"
    old, new = level.script().splitlines(), level.solved().splitlines()
    hunks = list(difflib.unified_diff(old, new, n=1, lineterm=""))[2:]
    marked = [line if line[0] == "@" else f"{line[0]} {line[1:]}".rstrip() for line in hunks]
    parts = re.split(r"^@@ .*@@$\n", "\n".join(marked), flags=re.MULTILINE)
    return "\n".join(parts[1:])


def wrapped(text: str) -> str:
    """A paragraph as lines of a terminal."""
    return textwrap.fill(text, 96)
