"""`queueio explain`: the command."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from queueio import outputs
from queueio.script.options import OutputFile, ScriptCommand

if TYPE_CHECKING:
    from queueio.script.building import BuildingPhase

CODES = "Exit code: 0 explained, 1 no queue pipeline was found, 2 the script failed before."


@click.command(cls=ScriptCommand, epilog=CODES)
@click.option("--svg", metavar="FILE", type=OutputFile(), help="Draw them to FILE.")
@click.option("--allow", metavar="OP", multiple=True,
              help="Take such ops of an imported MetaGraph as well, e.g. WriteFile.")  # fmt: skip
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is a module's name, as in python -m.")
@click.argument("script")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def explain(
    svg: str | None, allow: tuple[str, ...], as_module: bool, script: str,
    arguments: tuple[str, ...],
) -> None:  # fmt: skip
    """Show the queue pipelines that a TF1 SCRIPT builds, stage by stage.

    The script is run as by `queueio run`, up to its first sess.run; what it prints goes to
    stderr. A MetaGraph (`train.meta`) is imported instead. Options that are not queueio's go to
    the script; so does all that follows `--`.
    """
    if svg and not Path(svg).resolve().parent.is_dir():
        raise click.UsageError(f"{svg}: there is no such folder.")
    target = os.path.abspath(svg) if svg else None  # the script may change its directory
    phase = _built(script, arguments, as_module)
    found = phase.pipelines
    if not found:
        from queueio.script.nothing_found import why_none

        click.echo(f"No queue pipeline was found in {script}. {why_none(phase)}", err=True)
        sys.exit(1)
    from queueio.explain.account import accounts
    from queueio.explain.flow import console, picture

    made = accounts(found, allow)
    if target:  # before the text, whose reader may close the pipe
        from queueio.explain.drawing import draw

        outputs.write(target, draw(made))
    screen = console()
    for each in made:
        screen.print(picture(each), "")
    screen.print(f"Built by {script} until {phase.ended or 'its end'}", style="dim", markup=False)
    if target:
        screen.print(f"Drawing: {target}", style="dim", markup=False, soft_wrap=True)


def _built(script: str, arguments: tuple[str, ...], as_module: bool) -> BuildingPhase:
    from queueio.compat.quiet import tensorflow_import

    with tensorflow_import():
        import queueio.v1  # noqa: F401 - TensorFlow's greeting
        from queueio.script.building import ScriptFailed, building_phase
        from queueio.script.program import NotFoundError
    try:
        return building_phase(script, arguments, as_module)
    except (ScriptFailed, NotFoundError) as error:
        click.echo(f"queueio explain: {error}", err=True)
        sys.exit(2)
