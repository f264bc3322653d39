"""`queueio whatif`: the command."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import click

from queueio.schedule.whatif.changes import KnobChange, WhatIfError, from_text, resolved
from queueio.script.options import RealRange, ScriptCommand

if TYPE_CHECKING:
    from queueio.schedule.child import Order
    from queueio.schedule.tape import Tape
    from queueio.schedule.whatif.measure import Figures
    from queueio.schedule.whatif.model import Model

CODES = "Exit code: 0; 1, if --verify finds it off by more than 15 %; 2: there is no prediction."
OFF, BUSY = 0.15, 0.2


@click.command(cls=ScriptCommand, epilog=CODES)
@click.option("--set", "texts", metavar="[QUEUE.]WHAT=VALUE", multiple=True,
              help="A change: WHAT: capacity, min_after_dequeue, threads, batch_size.")  # fmt: skip
@click.option("--verify", is_flag=True, help="Run the script with the changes, and compare.")
@click.option("--seconds", type=RealRange(min=0.5), default=5.0, show_default=True,
              help="How long each run is recorded.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of the simulation.")
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is a module's name, as in python -m.")
@click.argument("script")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def whatif(
    texts: tuple[str, ...],
    verify: bool,
    seconds: float,
    seed: int,
    as_module: bool,
    script: str,
    arguments: tuple[str, ...],
) -> None:
    """Predict how fast a TF1 SCRIPT is fed with other queues, threads and batch sizes.

    The script is run for some seconds, twice: as it is, and to see how much of the work needs a
    processor. A simulation of its queues, threads and cores then tells rate, levels and waits with
    each --set; without one it is told what can be changed. --verify runs the script a third time
    with the changes really made, while it builds its graph. The script itself stays as it is; what
    it prints is not shown, files that it writes, it writes each time. Options that are not
    queueio's go to the script; so does all that follows `--`.
    """
    from queueio.compat.quiet import tensorflow_import

    with tensorflow_import():
        from queueio.schedule.child import Lost, Order, warm

        warm()
    try:
        changes = [from_text(text) for text in texts]
        order = Order(script, arguments, as_module, quiet_until=-1, events=True)
        sys.exit(_answered(order, changes, verify, seconds, seed))
    except (WhatIfError, Lost) as error:
        click.echo(f"queueio whatif: {error}", err=True)
        sys.exit(2)


def _answered(
    order: Order, asked: list[KnobChange], verify: bool, seconds: float, seed: int
) -> int:  # fmt: skip
    from rich.console import Console

    from queueio.schedule.whatif.measure import figures, log_of
    from queueio.schedule.whatif.predict import knobs_of, predict
    from queueio.schedule.whatif.shown import difference, show, show_knobs

    out = Console(width=None if sys.stdout and sys.stdout.isatty() else 120)
    pipeline = recorded_model(order, seconds)
    _warn_of_others(pipeline.others)
    if not asked:
        show_knobs(knobs_of(pipeline.model), figures(log_of(pipeline.tape)), out)
        return 0
    changes = resolved(asked, knobs_of(pipeline.model), pipeline.tape.levels)
    found = predict(pipeline.tape, pipeline.model, changes, seed)
    real = verified(order, changes, seconds) if verify else None
    _warn_of_others(real.others if real else 0.0)
    show(found, changes, real and real.figures, out)
    if real is None:
        return 0
    rates = found.then.examples, found.other.examples
    return int(abs(difference(rates, real.figures.examples)) > OFF)


class FittedRun(NamedTuple):
    """A recorded run, what was fitted to it, and the cores that others kept busy meanwhile."""

    tape: Tape
    model: Model
    others: float


class Verified(NamedTuple):
    """The figures of a run with changes, and the cores that others kept busy meanwhile."""

    figures: Figures
    others: float


def recorded_model(order: Order, seconds: float) -> FittedRun:
    """A run of a script, and the model that is fitted to it.

    Args:
      order: what to run.
      seconds: how long to record.

    Returns:
      The pipeline.

    Raises:
      WhatIfError: the run says too little.
    """
    from queueio.schedule.whatif.fit import fitted
    from queueio.schedule.whatif.record import cores_beside, recorded
    from queueio.schedule.whatif.seen import check

    seen = recorded(order, seconds)
    check(seen.tape)
    calm = recorded(replace(order, calm=True), seconds)
    model = fitted(seen.tape, cores_beside(seen.others), calm.tape, seen.pool)
    return FittedRun(seen.tape, model, max(seen.others, calm.others))


def verified(order: Order, changes: list[KnobChange], seconds: float) -> Verified:
    """The figures of a run with changes.

    Args:
      order: what to run.
      changes: each with its queue.
      seconds: how long to record.

    Returns:
      The figures.

    Raises:
      WhatIfError: the run failed, or had its own figures all the same.
    """
    from queueio.schedule.whatif.applied import check_applied
    from queueio.schedule.whatif.measure import figures, log_of
    from queueio.schedule.whatif.record import recorded

    run = recorded(replace(order, changes=tuple((*each,) for each in changes)), seconds)
    check_applied(run.tape, changes)
    return Verified(figures(log_of(run.tape)), run.others)


def _warn_of_others(cores: float) -> None:
    if cores > BUSY:
        click.echo(
            f"queueio whatif: other processes kept {cores:.1f} cores busy while the script ran: its"
            " rate is one beside them", err=True,
        )  # fmt: skip
