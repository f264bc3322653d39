"""`queueio check`: the command."""

from __future__ import annotations

import sys
from pathlib import Path

import click

CODES = (
    "Exit code: 0 nothing is refused or missing, 1 something is, or a file could not be read,"
    " 2 bad usage. What needs an extra, and what is guarded, is told and is no failure."
)


@click.command(epilog=CODES)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Leave out the names that run.")
@click.argument("dir", type=click.Path(exists=True, path_type=Path))
def check(as_json: bool, quiet: bool, dir: Path) -> None:
    """Tell which names of TF1 the code in DIR uses, and which of them run.

    Every name of tensorflow, tf_slim and tensorflow_estimator in the .py files of DIR (or in the
    file DIR) is told with its file, its line and a verdict. Nothing of the code is run.

    \b
    runs            it is there under `queueio run`, with what is installed here
    needs an extra  one line, which is told, installs what has it; check again then
    refused         TensorFlow lost it, and the advice says what to do
    missing         nobody knows the name, or it was internal
    guarded         as above, but the program catches that (except ImportError,
                    hasattr, getattr with a default) or sets the name itself

    Names are followed through imports, assignments (slim = tf.contrib.slim) and the modules of
    DIR. Not checked: arguments, so a call of TF 0.x such as tf.concat(0, values) runs by its name;
    attributes of objects (session.run, self.tf.x); names that only strings or star imports of
    TensorFlow spell; tests of versions; notebooks.
    """
    from queueio.check.files import python_files
    from queueio.script.saved_graphs import why_no_script

    # A notebook is an expression of Python, with no name of TF1 in it.
    if dir.is_file() and dir.suffix != ".py" and (why := why_no_script(str(dir))):
        raise click.UsageError(f"{why}.")
    files = python_files(dir)
    if not files:
        raise click.UsageError(f"{dir} has no .py files. Give a folder that has, or a file.")
    from queueio.check import report
    from queueio.check.checking import check as checked_files
    from queueio.check.verdicts import Judge

    checked = checked_files(files, dir, Judge(files[0]))
    click.echo(report.as_json(checked) if as_json else report.text(checked, quiet))
    sys.exit(1 if checked.fails else 0)
