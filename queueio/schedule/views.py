"""What a run is kept for: `--trace` and `--html`, the options of every command that runs a script.

A run of this process is observed (`observe`), one of a child is told (`Order.events`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from queueio import outputs
from queueio.script.options import OutputFile

if TYPE_CHECKING:
    from queueio.schedule.tape import Tape


def kept(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds both options, `trace` and `html`, to a command."""
    path = OutputFile(path_type=Path)
    page = click.option("--html", metavar="FILE", type=path,
                        help="Write the run to FILE, a page that plays it again.")  # fmt: skip
    data = click.option("--trace", metavar="FILE", type=path,
                        help="Write the run to FILE, in Chrome's trace format.")  # fmt: skip
    return data(page(command))


def check(trace: Path | None, html: Path | None) -> tuple[Path | None, Path | None]:
    """Both paths, whole: the script may change its folder.

    Raises:
      click.BadParameter: a file cannot be written there.
    """
    return trace and writable(trace, "--trace"), html and writable(html, "--html")


def writable(path: Path, option: str) -> Path:
    """A path, whole, of a file that can be written: asked before the work, not after it.

    Args:
      path: of the file.
      option: by which it was given.

    Raises:
      click.BadParameter: it cannot be written there.
    """
    if not path.name:  # "" is the folder that the command runs in
        raise click.BadParameter("the name of the file is empty", param_hint=option)
    folder = path.absolute().parent
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise click.BadParameter(
            f"{str(path)!r} cannot be written: {str(folder)!r} is no folder that one may write to."
            " Give a path in one.",
            param_hint=option,
        )
    return path.absolute()


def write(tape: Tape, trace: Path | None, html: Path | None) -> None:
    """Writes the files that are wanted, and says so on stderr."""
    if trace is not None:
        from queueio.schedule.trace import to_json

        outputs.write(trace, to_json(tape))
        click.echo(f"trace: {trace} (open it at ui.perfetto.dev)", err=True)
    if html is not None:
        from queueio.schedule.replay.page import to_html

        outputs.write(html, to_html(tape))
        click.echo(f"replay: {html}", err=True)


def observed(script: str, trace: Path | None, html: Path | None) -> Callable[[], None]:
    """Observes this process from now on, if a file is wanted; returns what writes it."""
    if trace is None and html is None:
        return lambda: None
    import queueio.v1  # noqa: F401 - the sessions' own watch comes first
    from queueio.schedule.observe import FreeRun

    run = FreeRun()

    def keep() -> None:
        run.stop(over=True)
        try:
            write(run.tape(script), trace, html)
        except OSError as error:  # at exit, where nobody else tells it
            click.echo(f"queueio run: {error.filename}: {error.strerror}.", err=True)

    return keep
