"""`queueio run`: the command and its options."""

from __future__ import annotations

import atexit
import os
import sys
from pathlib import Path

import click

from queueio import settings
from queueio.schedule import views
from queueio.script.options import OutputFile

# Everything from the script's name on belongs to the script, `--help` and `--` included.
_LEAVE_THE_REST_ALONE = {"allow_interspersed_args": False}


@click.command(context_settings=_LEAVE_THE_REST_ALONE)
@click.option(
    "--engine",
    type=click.Choice(["queue", "data"]),
    help="Who moves the data: TF1's queues, or tf.data.  [default: queue]",
)
@click.option("--strict", is_flag=True, help="Make silent data loss and fallbacks errors.")
@click.option(
    "--on-stall",
    type=click.Choice(["warn", "raise"]),
    help="When a step waits for a queue that nobody fills.  [default: warn]",
)
@click.option(
    "--report",
    metavar="FILE",
    type=OutputFile(),
    help="Write a JSON report of the run to FILE.",
)
@views.kept
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is a module's name, as in python -m.")
@click.argument("script")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(
    engine: str | None,
    strict: bool,
    on_stall: str | None,
    report: str | None,
    trace: Path | None,
    html: Path | None,
    as_module: bool,
    script: str,
    arguments: tuple[str, ...],
) -> None:
    """Run a TF1 SCRIPT, untouched, on today's TensorFlow.

    In the script and in your own modules that it imports, `import tensorflow` gives queueio.v1;
    installed libraries keep the real TensorFlow. Options of queueio go before SCRIPT; whatever
    follows it goes to the script. Exit status, tracebacks and `__main__` are as under python.
    """
    _set_environment(engine, strict, on_stall, report or os.environ.get("QUEUEIO_REPORT"))
    try:
        settings.current()
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    _begin_report(os.environ.get("QUEUEIO_REPORT"))
    from queueio.script.program import NotFoundError, run_file, run_module

    trace, html = views.check(trace, html)
    keep = views.observed(script, trace, html)
    try:
        status = (run_module if as_module else run_file)(script, arguments)
    except NotFoundError as error:
        click.echo(f"queueio run: {error}", err=True)
        status = error.status
    finally:
        # Handlers run last in, first out: this one after the threads, before all others.
        atexit.register(keep)
    sys.exit(status)


def _set_environment(
    engine: str | None, strict: bool, on_stall: str | None, report: str | None
) -> None:
    """The environment rather than an argument, so that processes of the script's inherit it."""
    chosen = {
        "QUEUEIO_ENGINE": engine,
        "QUEUEIO_STRICT": "1" if strict else None,
        "QUEUEIO_ON_STALL": on_stall,
        # The script, or a process of its own, may change its working directory.
        "QUEUEIO_REPORT": os.path.abspath(report) if report else None,
    }
    os.environ.update({name: value for name, value in chosen.items() if value})


def _begin_report(path: str | None) -> None:
    """A run that fails before it has a pipeline has a report, too; not the one of another run."""
    if not path:
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"pipelines": []}\n')
    except OSError as error:
        raise click.BadParameter(
            f"the report cannot be written: {path!r}: {(error.strerror or str(error)).lower()}."
            " Give a path in a folder that you may write to.",
            param_hint="--report",
        ) from None
