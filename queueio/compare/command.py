"""`queueio compare OLD NEW`."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Any

import click

from queueio.script.options import OutputFile, RealRange

CODES = (
    "Exit code: 0 the same examples, 1 different or delivered worse, "
    "2 could not run or be compared."
)


def _key(text: str | None) -> str | int | None:
    return int(text) if text is not None and text.isdigit() else text


@click.command(epilog=CODES)
@click.argument("old")
@click.argument("new")
@click.option("--epochs", type=click.IntRange(1), help="Passed on as num_epochs, if taken.")
@click.option("--limit", type=click.IntRange(1), help="Stop each side after N examples.")
@click.option("--key", help="Name or index of the component with the readers' keys.")
@click.option("--rtol", type=RealRange(0), default=0.0, help="Relative tolerance, of floats.")
@click.option("--atol", type=RealRange(0), default=0.0, help="Absolute tolerance, of floats.")
@click.option("--ignore", multiple=True, metavar="CODE", help="A finding that is no fault here.")
@click.option("--allow", multiple=True, metavar="OP", help="Run such imported ops: WriteFile, …")
@click.option("--order/--no-order", default=True, help="Judge the shuffling.")
@click.option("--cost/--no-cost", default=True, help="Measure speed and memory.")
@click.option("--html", type=OutputFile(), help="Write the report here.")
@click.option("--json", "json_path", type=OutputFile(), help="Write JSON here.")
@click.option("--verbose", is_flag=True, help="Show the traceback of what could not run.")
def compare(
    old: str,
    new: str,
    epochs: int | None,
    limit: int | None,
    key: str | None,
    rtol: float,
    atol: float,
    ignore: tuple[str, ...],
    allow: tuple[str, ...],
    order: bool,
    cost: bool,
    html: str | None,
    json_path: str | None,
    verbose: bool,
) -> None:
    """Compare two input pipelines: each is script.py:function or a recording."""
    from queueio.compat.quiet import tensorflow_import

    with tensorflow_import():
        import tensorflow  # noqa: F401 - its greeting

        from queueio.compare.run import compare as run

    try:
        for path in (html, json_path):
            _check_target(path)
        result = run(
            old,
            new,
            epochs=epochs,
            limit=limit,
            key=_key(key),
            rtol=rtol,
            atol=atol,
            ignore=ignore,
            allow=allow,
            order=order,
            cost=cost,
            progress=True,
        )
        if html:
            result.to_html(html)
        if json_path:
            result.to_json(json_path)
    except KeyboardInterrupt:
        raise click.exceptions.Exit(2) from None
    except Exception as problem:
        if verbose:
            traceback.print_exc()
        text = str(problem) or type(problem).__name__
        click.echo(f"queueio compare: {text}", err=True)
        raise click.exceptions.Exit(2) from None
    click.echo(str(result))
    if html:
        click.echo(f"\nReport: {html}")
    if "stalled" in (result.old.end, result.new.end):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(exit_code(result))  # TensorFlow would wait for what hangs
    raise click.exceptions.Exit(exit_code(result))


def exit_code(result: Any) -> int:
    """What the process ends with: no word of equality where something was not compared."""
    from queueio.compare.report.outcome import NOT_COMPARED

    if result.level == NOT_COMPARED:
        return 2
    return 0 if result.ok else 1


def _check_target(path: str | None) -> None:
    """Refuses before the work, not after it, to write what cannot be written."""
    if not path:
        return
    if path.endswith(".recording"):
        raise click.UsageError(f"{path}: this name is a recording's; reports do not replace them.")
    if not Path(path).resolve().parent.is_dir():
        raise click.UsageError(f"{path}: there is no such folder. Make it first.")
    known = os.path.exists(path)
    try:
        with open(path, "ab"):
            pass
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise click.UsageError(f"{path} cannot be written: {why}. Give another path.") from None
    if not known:
        os.remove(path)
