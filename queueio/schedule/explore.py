"""`queueio explore`: the command."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from queueio.errors import message
from queueio.schedule import views
from queueio.schedule.events import Event
from queueio.schedule.findings import LESSONS, ending
from queueio.schedule.search import Exhaustive, FoundRace, Sampled, Search
from queueio.schedule.step import begin, told_end
from queueio.schedule.tape import Tape
from queueio.script.options import ScriptCommand
from queueio.words import stage

if TYPE_CHECKING:
    from queueio.schedule.child import Order

CODES = (
    "Exit code: 0 nothing was found, 1 something was, 2 the runs could not be controlled, or there"
    " was nothing to explore."
)


@click.command(cls=ScriptCommand, epilog=CODES)
@click.option("--schedules", type=click.IntRange(min=1), default=100, show_default=True,
              help="How many to run.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of their choices.")
@click.option("--exhaustive", metavar="D", type=click.IntRange(min=0),
              help="All schedules that differ from taking turns in at most D steps.")  # fmt: skip
@click.option("--steps", type=click.IntRange(min=1), default=5000, show_default=True,
              help="Steps after which a run is cut off.")  # fmt: skip
@views.kept
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is a module's name, as in python -m.")
@click.argument("script")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def explore(
    schedules: int,
    seed: int,
    exhaustive: int | None,
    steps: int,
    trace: Path | None,
    html: Path | None,
    as_module: bool,
    script: str,
    arguments: tuple[str, ...],
) -> None:
    """Run a TF1 SCRIPT under many schedules of its threads, until one goes wrong.

    That is: a deadlock, a livelock, a starved step, a lost tail, an example twice, a torn pair, a
    hidden cause, a use before initialisation, or ends that differ between schedules. The shortest
    schedule that shows it is printed, for `queueio step`. A session call and the Python code up to
    the thread's next one are one step: what threads do to one another within is not tried. Each run
    is a process of its own, has no input, and what it prints is not shown; files that the script
    writes, it writes each time. What --trace and --html write is the run that went wrong.
    """
    from queueio.schedule.child import Lost, Order

    trace, html = views.check(trace, html)
    begin()
    search = Search(Order(script, arguments, as_module, budget=steps))
    try:
        chosen = Sampled(seed) if exhaustive is None else Exhaustive(exhaustive)
        found = search.first(schedules, chosen)
        if found is None:
            status = _nothing(search)
            if trace or html:
                click.echo("No run to show: --trace and --html write the one that goes wrong.")
            sys.exit(status)
        shortest = search.shortest(found)
        _tell(shortest, [*(["-m"] if as_module else []), script, *arguments])
        if trace or html:
            order = Order(script, arguments, as_module, shortest.run.line, steps, quiet_until=-1)
            views.write(_kept(order, shortest.finding.text), trace, html)
    except Lost as lost:
        click.echo(f"queueio explore: {lost}", err=True)
        sys.exit(2)
    sys.exit(1)


def _tell(found: FoundRace, command: Sequence[str]) -> None:
    finding, run = found.finding, found.run
    taught, advice = LESSONS[finding.kind]
    click.echo(f"{finding.kind.upper()}, in schedule {found.schedules}")
    click.echo(f"  {finding.text}")
    click.echo(f"  {advice}")
    click.echo(f"  lesson: {taught}")
    click.echo(f"See it:  queueio step --schedule {run.line} {shlex.join(command)}")
    if finding.beside:
        click.echo(f"Beside:  queueio step --schedule {finding.beside} {shlex.join(command)}")


def _kept(order: Order, finding: str) -> Tape:
    """The events of a run, which shows a finding."""
    from queueio.schedule.child import Child

    tape = Tape(order.script)
    for told in Child(replace(order, events=True)).messages():
        if "event" in told:
            tape.add(Event.from_json(told["event"]))
        elif "end" in told:
            tape.end = f"{told_end(told['end'])}. {finding}"
    return tape


def _too_early(end: str) -> str:
    how = "came to its end" if end == "success" else f"ended with {end}"
    return message(
        f"the script {how} before its first session call, and started no thread",
        "whatever the schedule, that is the same: there was nothing to explore",
        "Get `queueio run` to go on to its session calls with the same arguments, without input",
    )


def _nothing(search: Search) -> int:
    failed = search.last is not None and search.last.end in ("misfit", "failed")
    if failed and search.last is not None:
        click.echo(f"queueio explore: {search.last.why}", err=True)
        return 2
    if search.last is not None and search.last.steps < 2 and search.last.end == "finished":
        click.echo(f"queueio explore: {_too_early(ending(search.last))}", err=True)
        return 2
    every = ", which are all there are" if search.exhausted else ""
    told = f"{search.runs} schedules{every}"
    if search.runs == 1:
        told = "one schedule" + (
            ", and there is no other: it left nothing to choose" if every else ""
        )
    click.echo(f"Nothing was found in {told}.")
    if len(search.ends) == 1 and "success" not in search.ends and not search.cut_off:
        click.echo(f"Each run ended with {next(iter(search.ends))}.")
    if search.cut_off:
        click.echo(f"{search.cut_off} of them were cut off: their ends were not compared.")
    for what in search.uncontrolled:
        click.echo(f"not controlled: {what}")
    for what in _not_tried(search.last.crews if search.last else {}):
        click.echo(f"not tried: {what}")
    return 0


def _not_tried(crews: Mapping[str, int]) -> list[str]:
    """What no schedule holds, as a session call is one step; by how many threads fill a queue."""
    return [
        f"that the {count} threads of {stage(queue)!r} overtake one another inside of their session"
        " calls, between what they take and what they put"
        for queue, count in crews.items()
        if count > 1
    ]
