"""`queueio watch`: the command."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from queueio.errors import message
from queueio.schedule import views
from queueio.schedule.events import Event
from queueio.schedule.scene import Scene, plain_lines
from queueio.schedule.step import begin, check_line
from queueio.schedule.tape import Tape
from queueio.script.options import ScriptCommand
from queueio.words import times

if TYPE_CHECKING:
    from queueio.schedule.child import Lost

SECONDS_BETWEEN_LINES = 0.5


@click.command(cls=ScriptCommand)
@click.option("--controlled", is_flag=True, help="One thread at a time, as under step: also back.")
@click.option("--schedule", metavar="LINE", help="Controlled, along a line that explore printed.")
@click.option("--strategy", type=click.Choice(["round-robin", "random", "pct"]),
              default="round-robin", show_default=True,
              help="Who is next, where it plays.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of random and pct.")
@click.option(
    "--plain", is_flag=True, help="Lines, no screen (the default in a pipe, or where TERM is dumb)."
)
@views.kept
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is a module's name, as in python -m.")
@click.argument("script")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def watch(
    controlled: bool,
    schedule: str | None,
    strategy: str,
    seed: int,
    plain: bool,
    trace: Path | None,
    html: Path | None,
    as_module: bool,
    script: str,
    arguments: tuple[str, ...],
) -> None:
    """Run a TF1 SCRIPT, and watch its queues and threads.

    Queues with their level, capacity and min_after_dequeue, threads with what they wait for, the
    record that is read, the line that runs, on a screen of the terminal. The run is free, at nearly
    its own speed; with --controlled it goes step by step, forth and back. Options that are not
    queueio's go to the script; so does all that follows `--`.
    """
    from queueio.schedule.child import Order

    trace, html = views.check(trace, html)
    if schedule is not None:
        check_line(schedule)
    free = not controlled and schedule is None
    order = Order(
        script, arguments, as_module, strategy=schedule or "q1::", budget=1 << 30,
        by_hand=not free, events=True, free=free, in_full=bool(trace or html),
    )  # fmt: skip
    chosen = strategy if strategy == "round-robin" else f"{strategy}:{seed}"
    begin()
    on_screen = not plain and _is_screen() and _has_textual()
    tape, status = (_on_screen if on_screen else _in_lines)(order, chosen)
    tape.title = script
    views.write(tape, trace, html)
    sys.exit(status)


def _is_screen() -> bool:
    """Whether standard output is a terminal that moves its cursor, and shows what is drawn."""
    if not sys.stdout or not sys.stdout.isatty() or os.environ.get("TERM") in ("dumb", "unknown"):
        return False
    try:
        "│▸█".encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True


def _has_textual() -> bool:
    try:
        import textual  # noqa: F401
    except ImportError:
        what = "the screen needs textual, which is not installed: plain lines instead"
        click.echo(f"queueio watch: {message(what, do='pip install tf-queueio[watch]')}", err=True)
        return False
    return True


def _on_screen(order: Any, chosen: str) -> tuple[Tape, int]:
    from queueio.schedule.nursery import Nursery

    output, theirs = os.pipe()
    nursery = Nursery(theirs)
    os.close(theirs)
    from queueio.schedule.screen import WatchScreen

    screen = WatchScreen(order, nursery.fork, chosen, order.script, output)
    try:
        screen.run()
    finally:
        nursery.close()
    driver = screen.driver
    click.echo("\n".join(screen.said()), err=False)
    if driver.line:
        click.echo(f"schedule: {driver.line}")
    return driver.tape, int(driver.ended.get("status") or 0)


def _in_lines(order: Any, chosen: str) -> tuple[Tape, int]:
    """Plain lines, where nobody can press keys: it plays to the end."""
    from queueio.schedule.child import Child, Lost
    from queueio.schedule.step import run_in_lines, told_end

    tape = Tape(order.script, complete=not order.free)
    if not order.free:
        given = order.strategy if order.strategy != "q1::" else chosen
        told = replace(order, by_hand=False, shows=True, strategy=given)
        try:
            return tape, run_in_lines(told, tape)
        except Lost as lost:
            return tape, _lost(lost, tape)
    scene, status, due = Scene(free=True), 0, 0.0
    child = Child(order)
    try:
        for told in child.messages(silent=float(1 << 20)):
            if "anew" in told:
                tape.rewind()
            if "event" in told:
                event = Event.from_json(told["event"])
                tape.add(event)
                scene.see(event)
                if event.kind == "look" and event.seconds >= due:
                    due = event.seconds + SECONDS_BETWEEN_LINES
                    click.echo("\n".join(plain_lines(scene)))
            if "end" in told:
                tape.end, status = told_end(told["end"]), int(told["end"]["status"] or 0)
                click.echo(
                    f"{tape.end}; {times(scene.step, 'call')}, main waited {scene.wait_share():.0%}"
                )
    except Lost as lost:
        status = _lost(lost, tape)
    except KeyboardInterrupt:
        status = 130
    finally:
        child.kill()
    return tape, status


def _lost(lost: Lost, tape: Tape) -> int:
    """Says that there is no end of a run to be told, and why; the exit status."""
    click.echo(f"queueio watch: {lost}", err=True)
    tape.end = str(lost)
    return lost.status
