"""`queueio step`: the command."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from queueio.schedule import views
from queueio.schedule.events import Event
from queueio.schedule.line import VERSION
from queueio.schedule.tape import Tape
from queueio.script.options import ScriptCommand
from queueio.words import times

CODES = "Exit code: the script's; 3: deadlock, or cut off; 2: the schedule does not fit."


@click.command(cls=ScriptCommand, epilog=CODES)
@click.option("--schedule", metavar="LINE", help="Along a line, as explore prints it.")
@click.option("--strategy", type=click.Choice(["hand", "round-robin", "random", "pct"]),
              help="Who chooses.  [default: hand at a terminal, else round-robin]")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of random and pct.")
@click.option("--steps", type=click.IntRange(min=1), default=10_000, show_default=True,
              help="Steps after which the run is cut off.")  # fmt: skip
@views.kept
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is a module's name, as in python -m.")
@click.argument("script")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def step(
    schedule: str | None,
    strategy: str | None,
    seed: int,
    steps: int,
    trace: Path | None,
    html: Path | None,
    as_module: bool,
    script: str,
    arguments: tuple[str, ...],
) -> None:
    """Run a TF1 SCRIPT step by step: one thread at a time, one session call at a time.

    A step is a session call of a thread with the Python code up to its next one, a wait that is
    over, or a thread's beginning. Who takes it is chosen by hand at a prompt, by a strategy, or by
    a line of text, which gives the same run again. Waits take virtual time. Options that are not
    queueio's go to the script; so does all that follows `--`.
    """
    from queueio.schedule.child import Lost, Order

    trace, html = views.check(trace, html)
    chosen = _strategy(schedule, strategy, seed)
    order = Order(
        script, arguments, as_module, chosen or f"{VERSION}::", steps,
        by_hand=not chosen or (schedule is not None and strategy == "hand"), shows=True,
        events=bool(trace or html),
    )  # fmt: skip
    begin()
    tape = Tape(script)
    try:
        status = run_in_lines(order, tape)
    except Lost as lost:
        click.echo(f"queueio step: {lost}", err=True)
        tape.end, status = str(lost), lost.status
    views.write(tape, trace, html)
    sys.exit(status)


def same_hashes() -> None:
    """Begins this process anew where sets of strings have another order in each process.

    A schedule that is printed by one process has to lead another one through the same steps.
    """
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def begin() -> None:
    """Makes this process one that can fork runs."""
    same_hashes()
    from queueio.compat.quiet import tensorflow_import

    with tensorflow_import():
        from queueio.schedule.child import warm

        warm()


def _strategy(schedule: str | None, strategy: str | None, seed: int) -> str:
    """The strategy's text; "" for by hand."""
    if schedule is not None:
        if strategy not in (None, "hand"):
            raise click.UsageError("--schedule chooses already: leave --strategy out.")
        check_line(schedule)
        return schedule
    if strategy is None:
        strategy = "hand" if sys.stdin and sys.stdin.isatty() else "round-robin"
    return {"hand": "", "round-robin": strategy}.get(strategy, f"{strategy}:{seed}")


def check_line(schedule: str) -> None:
    """Refuses what is no schedule.

    Raises:
      click.UsageError: it is none.
    """
    from queueio.schedule.line import from_line

    try:
        from_line(schedule)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def run_in_lines(order: Any, tape: Tape) -> int:
    """Runs it, asking where it asks; the exit status. Its events are kept on the tape."""
    from queueio.schedule.child import Child
    from queueio.schedule.prompt import Prompt

    prompt = Prompt(order)
    while True:
        child = Child(order)
        tape.rewind()
        try:
            for told in child.messages(silent=float(1 << 20) if order.by_hand else 120.0):
                if "event" in told:
                    tape.add(Event.from_json(told["event"]))
                if "end" in told:
                    tape.end = told_end(told["end"])
                    return _ended(told["end"])
                again = prompt.asked(child, told) if "ask" in told else None
                if again is not None:
                    order = again
                    break
        except KeyboardInterrupt:
            return 130
        finally:
            child.kill()
        if order is None or prompt.left:
            return 0


def how_it_ended(end: dict[str, Any]) -> str:
    """The end of a run, in words."""
    return {
        "finished": "finished",
        "deadlock": "DEADLOCK: nobody can go on",
        "cut off": f"cut off after {times(end.get('steps', 0), 'step')}",
        "misfit": f"stopped: {end['why']}",
        "failed": f"queueio failed: {end['why']}",
        "lost": f"{end['why']}",
    }[end["end"]]


def told_end(end: dict[str, Any]) -> str:
    """The end of a run, and what the script died by."""
    if end["end"] == "finished" and end["error"]:
        return f"ended by {end['error']}"
    return how_it_ended(end)


def _ended(end: dict[str, Any]) -> int:
    """Says how it ended; the exit status."""
    from queueio.schedule.child import standings
    from queueio.schedule.plain import told_standing

    click.echo(
        f"{how_it_ended(end)}; {times(end['steps'], 'step')}, {end['seconds']:.3f} virtual seconds"
    )
    if end["end"] in ("deadlock", "cut off"):
        for standing in standings(end):
            click.echo("   " + told_standing(standing))
    for what in end["uncontrolled"]:
        click.echo(f"not controlled: {what}")
    click.echo(f"schedule: {end['line']}")
    if end["end"] != "finished":
        return 2 if end["end"] == "misfit" else 3
    status = end["status"]
    return status if isinstance(status, int) else int(status is not None)
