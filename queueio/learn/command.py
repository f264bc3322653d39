"""`queueio learn`: the command."""

from __future__ import annotations

import shlex
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from queueio import outputs
from queueio.folders import data_folder
from queueio.learn.judge import judged, solution_of, told_missed, told_step, wrapped
from queueio.learn.level import PACKAGE, LearnLevel
from queueio.learn.levels import LEVELS
from queueio.learn.progress import Progress
from queueio.schedule import views
from queueio.script.options import OutputFile
from queueio.words import times

if TYPE_CHECKING:
    from queueio.learn.playing import PlayedRun

LINES = 60
"""How many lines of a run are shown at most: the first ones and the last, with an error."""
WIDTH = 400
"""How many characters of each."""
CODES = "Exit code: 0 solved, or shown; 1 not solved yet; 2 the command was not understood."


@click.command(epilog=CODES)
@click.option("--check", is_flag=True, help="Run the level's script, and judge what it did.")
@click.option("--schedule", metavar="LINE", help="Who goes when, as q1::A3BC2. With --check.")
@click.option("--hint", is_flag=True, help="Say a little more.")
@click.option("--solution", is_flag=True, help="Show one that works.")
@click.option("--reset", is_flag=True, help="Put the level's script back as it was.")
@click.option("--html", metavar="FILE", type=OutputFile(path_type=Path),
              help="Write all levels to FILE, a page for a class.")  # fmt: skip
@click.option("--folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path),
              help="Where scripts and progress are kept.  [default: your data folder]")  # fmt: skip
@click.argument("number", metavar="[LEVEL]", required=False, type=click.IntRange(1, len(LEVELS)))
def learn(
    check: bool,
    schedule: str | None,
    hint: bool,
    solution: bool,
    reset: bool,
    html: Path | None,
    folder: Path | None,
    number: int | None,
) -> None:
    """Learn the queue model by levels: small scripts, which are run for real.

    Without LEVEL, lists them. With it, says the goal and where the script is; edit that, or choose
    a schedule, and let --check judge the run.
    """
    if html is not None:
        return _write_course(views.writable(html, "--html"))
    progress = _progress(folder)
    command = f"queueio learn --folder {shlex.quote(str(folder))}" if folder else "queueio learn"
    if schedule is not None and not check:
        raise click.UsageError("--schedule is a solution: give --check with it.")
    if number is None:
        if check or hint or solution or reset:
            raise click.UsageError(f"Say which level: {command} 1.")
        return _list(progress, command)
    level = LEVELS[number - 1]
    if reset:
        progress.reset(level)
    if hint or solution:
        click.echo(wrapped(level.hint) if hint else solution_of(number, level, command))
    elif check:
        sys.exit(_check(progress, number, level, schedule, command))
    else:
        _begin(progress, number, level, command)
    return None


def _progress(folder: Path | None) -> Progress:
    if folder is not None:
        return Progress(folder.absolute())
    data = data_folder()
    if data is None:
        raise click.UsageError("HOME is not set, and this user has no home: give --folder DIR.")
    return Progress(data / "learn")


def _list(progress: Progress, command: str) -> None:
    solved = progress.solved
    following = next((level for level in LEVELS if level.name not in solved), None)
    for number, level in enumerate(LEVELS, 1):
        mark = "✓" if level.name in solved else "→" if level is following else " "
        click.echo(f" {mark} {number:2}  {level.title}")
    click.echo(f"\n{sum(level.name in solved for level in LEVELS)} of {len(LEVELS)} are solved.")
    if following is not None:
        click.echo(f"Go on:  {command} {LEVELS.index(following) + 1}")


def _begin(progress: Progress, number: int, level: LearnLevel, command: str) -> None:
    path = progress.copy(level)
    click.echo(f"Level {number}: {level.title}\n\n{wrapped(level.goal)}\n")
    if level.by_schedule:
        click.echo(textwrap.indent(level.script().strip(), "    ") + "\n")
        click.echo(wrapped(SCHEDULES.format(path=path)) + "\n")
        click.echo(f"Play:    queueio step --strategy hand {shlex.quote(str(path))}")
        click.echo(f"Check:   {command} {number} --check --schedule q1::ABC…")
    else:
        click.echo(textwrap.indent(path.read_text(encoding="utf-8").strip(), "    ") + "\n")
        click.echo(f"Edit:    {path}")
        click.echo(f"Check:   {command} {number} --check")
    click.echo(f"Stuck:   {command} {number} --hint, or --solution")


SCHEDULES = (
    "The script stays as it is; you say who goes next. A is the main thread, B, C, … are the others"
    " in the order in which they start. D8 is eight steps of D, D is one. After the last step all"
    " take turns. Play by hand, with one letter for each step, to see who can go on:"
    " the run's last line is a schedule."
)


def _check(
    progress: Progress, number: int, level: LearnLevel, schedule: str | None, command: str
) -> int:
    if schedule is not None and not level.by_schedule:
        raise click.UsageError(f"Level {number} is solved by editing: leave --schedule out.")
    from queueio.schedule.step import begin, check_line

    if schedule is not None:
        check_line(schedule)
    begin()
    seen, missed = judged(level, progress.copy(level), schedule)
    click.echo(_told(seen, steps=level.by_schedule))
    if missed is not None:
        click.echo("Not yet. " + told_missed(missed))
        return 1
    progress.solve(level)
    click.echo(f"Solved.\n\n{wrapped(level.lesson)}\n\nRead on: {PACKAGE.parent / level.stage}")
    if number < len(LEVELS):
        click.echo(f"Go on:   {command} {number + 1}")
    return 0


def _told(seen: PlayedRun, steps: bool) -> str:
    events = [told_step(e) for e in seen.events if e.kind != "end"] if steps else []
    lines = [*events, *seen.printed.splitlines()]
    if len(lines) > LINES:
        gap = f"… {times(len(lines) - LINES, 'line')} more"
        lines = [*lines[: LINES // 2], gap, *lines[-LINES // 2 :]]
    return "\n".join([*(f"  | {_short(line)}" for line in lines), ""])


def _short(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[:WIDTH]}…"


def _write_course(path: Path) -> None:
    from queueio.learn.course import course
    from queueio.schedule.step import begin

    begin()
    try:
        page = course()
    except ImportError as missing:
        raise click.ClickException(str(missing)) from None
    outputs.write(path, page)
    click.echo(f"course: {path}", err=True)
