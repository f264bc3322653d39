"""`queueio demo`: a TF1 script of 2016 trains on today's TensorFlow while you watch its queues.

The script is examples/train_digits.py; it knows nothing of queueio, and is run as `queueio run`
would run it. What is shown is observed from outside (queueio/schedule/observe.py), remembered by
witness.py, drawn by screen.py, and proved by evidence.py. At the end its input runs on both
engines, side by side (comparison.py).
"""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from queueio.schedule import views
from queueio.script.options import OutputFile
from queueio.words import times

if TYPE_CHECKING:
    from queueio.demo.screen import Screen
    from queueio.demo.witness import Witness


DISTRIBUTION = "tf-queueio"
SCRIPT = "train_digits.py"
SECONDS_BETWEEN_LOOKS = 0.05


@click.command()
@click.option(
    "--epochs",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Times round the data.",
)
@click.option("--plain", is_flag=True, help="Lines, not a live table (the default in a pipe).")
@click.option(
    "--report",
    "page",
    type=OutputFile(path_type=Path),
    default="demo-report.html",
    show_default=True,
    help="Where the comparison of both engines is written.",
)
def demo(epochs: int, plain: bool, page: Path) -> None:
    """Train a TF1 script on real data, and watch its queues fill."""
    page = views.writable(page, "--report")
    # The console keeps the real stdout; the script will be given another one.
    console = Console(file=sys.stdout, highlight=False)
    script = examples() / SCRIPT
    console.print(f"[bold]{script.name}[/bold], a TF1 script, untouched: {script}")
    console.print("Importing TensorFlow…")
    from queueio.compat.quiet import quiet_stderr
    from queueio.demo.comparison import compare_engines
    from queueio.demo.report import proof

    with quiet_stderr():
        observer, said = run(script, epochs, console, live=console.is_terminal and not plain)

    proved = proof(console, observer, said, epochs, script.parent / "data")
    same = compare_engines(console, script, page)
    sys.exit(0 if proved and same else 1)


def examples() -> Path:
    """The folder of examples: beside the package in a checkout, or where pip has put it.

    Raises click.ClickException if it is in neither place.
    """
    checkout = Path(__file__).resolve().parents[2] / "examples" / SCRIPT
    installed = (file.locate() for file in _installed_files() if file.name == SCRIPT)
    for script in (checkout, *installed):
        if Path(str(script)).is_file():
            return Path(str(script)).resolve().parent
    raise click.ClickException(
        f"{SCRIPT} is neither at {checkout} nor among the installed files of {DISTRIBUTION}: "
        "this installation is not complete. Install it again, or run from a checkout."
    )


def _installed_files() -> list[metadata.PackagePath]:
    try:
        return metadata.files(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return []


class PrintedLines(io.TextIOBase):
    """Takes what the script prints and hands it on, line by line."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.lines: list[str] = []
        self._rest = ""

    def write(self, text: str) -> int:
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self.lines.append(line)
            self.screen.script_says(line)
        return len(text)


def run(script: Path, epochs: int, console: Console, live: bool) -> tuple[Witness, list[str]]:
    """Run the script under observation; returns what was seen, and the lines that it printed."""
    import tensorflow

    import queueio.v1  # noqa: F401 - the sessions' own watch comes first
    from queueio.demo.screen import LiveScreen, Screen
    from queueio.demo.witness import Witness
    from queueio.schedule.observe import FreeRun
    from queueio.script.program import run_file

    of = times(epochs, "epoch")
    console.print(f"Running it on TensorFlow {tensorflow.__version__} for {of}.\n")
    with LiveScreen(console) if live else Screen(console) as screen:
        observer, lines = Witness(screen.look), PrintedLines(screen)
        seen = FreeRun(observer.see, SECONDS_BETWEEN_LOOKS, glances=0.0, keeps=False)
        with seen.watching(), redirect_stdout(lines):
            try:
                status: str | int | None = run_file(str(script), [f"--num_epochs={epochs}"])
            except SystemExit as end:  # Every script that ends with tf.app.run() does.
                status = end.code
    if status:
        sys.exit(status)
    return observer, lines.lines
