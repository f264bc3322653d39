"""The course: all levels as one self-contained page for a class, with replays of their runs."""

from __future__ import annotations

from typing import Any

from queueio.errors import message
from queueio.learn.level import LearnLevel
from queueio.learn.levels import LEVELS


def course() -> str:
    """The page's text: each level's script is run as it stands, and solved.

    Raises:
      ImportError: jinja2 is missing.
    """
    try:
        import jinja2
    except ImportError as problem:
        what = "the course needs jinja2, which is not installed"
        raise ImportError(message(what, do="pip install 'tf-queueio[report]'")) from problem
    from queueio.schedule.replay.page import policy  # a page within a page inherits it

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("queueio.learn", "."),
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    levels = [_shown(number, level) for number, level in enumerate(LEVELS, 1)]
    return environment.get_template("course.html.j2").render(levels=levels, policy=policy())


def _shown(number: int, level: LearnLevel) -> dict[str, Any]:
    """What the page says of a level, with both runs."""
    from queueio.learn.judge import judged, solution_of, told_missed
    from queueio.learn.playing import scratch

    with scratch() as folder:
        script = folder / level.file.name
        script.write_text(level.script(), encoding="utf-8")
        seen, missed = judged(level, script)
        script.write_text(level.solved(), encoding="utf-8")
        better, _ = judged(level, script, level.line or None)
    return {
        "number": number,
        "level": level,
        "missed": told_missed(missed) if missed else "",
        "solution": solution_of(number, level),
        "runs": [_run("As it stands", seen), _run("Solved", better)],
    }


def _run(title: str, seen: Any) -> dict[str, Any]:
    from queueio.learn.judge import told_step
    from queueio.schedule.replay.page import to_html

    return {
        "title": title,
        "page": to_html(seen.tape),
        "printed": seen.printed.strip(),
        "steps": [told_step(event) for event in seen.events if event.kind != "end"][:80],
    }
