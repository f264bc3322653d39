"""`python -m tests.upstream CHECKOUT`: a table of what passed and what did not."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from tests.upstream.adapt import FILES

ROOT = Path(__file__).resolve().parent.parent.parent
ENGINES, KINDS = ("queue", "data"), ("reference", "resource")
Row = dict[str, str]


def run(
    checkout: Path, file: str, engine: str, kind: str, seconds: float, only: list[str]
) -> list[Row]:
    """What became of each test of a file.

    Raises:
      RuntimeError: the tests did not run at all.
    """
    command = [sys.executable, "-W", "ignore", "-m", "tests.upstream.trial", file, kind]
    with tempfile.TemporaryDirectory() as folder:  # the tests leave files where they are told to
        done = subprocess.run(
            [*command, str(seconds), *only],
            cwd=checkout, capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT), "QUEUEIO_ENGINE": engine,
                 "TF_CPP_MIN_LOG_LEVEL": "3", "TEST_TMPDIR": folder, "TMPDIR": folder},
        )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{file} did not run:\n{done.stderr[-4000:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"test"')]


@click.command()
@click.argument("checkout", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--engine", type=click.Choice(ENGINES), multiple=True, default=ENGINES)
@click.option("--variables", type=click.Choice(KINDS), multiple=True, default=KINDS)
@click.option("--seconds", default=60.0, help="Limit of each test.")
@click.option("--only", multiple=True, help="Tests whose names have this part.")
@click.option("--why", is_flag=True, help="Print the tracebacks.")
def main(
    checkout: Path,
    engine: tuple[str, ...],
    variables: tuple[str, ...],
    seconds: float,
    only: tuple[str, ...],
    why: bool,
) -> None:
    """Runs TF 1.15's tests of queues, coordinators and readers on each engine and kind of variable.

    Ends with 1 if any of them did not pass.
    """
    table = Table("file", "engine", "variables", "passed", "not passed")
    wrong: list[str] = []
    for file, ran_on, kind in itertools.product(FILES, engine, variables):
        rows = run(checkout, file, ran_on, kind, seconds, list(only))
        passed = Counter(row["outcome"] for row in rows)["passed"]
        table.add_row(Path(file).name, ran_on, kind, str(passed), str(len(rows) - passed))
        wrong += [_told(row, ran_on, kind, why) for row in rows if row["outcome"] != "passed"]
    Console(width=100).print(table)
    for line in wrong:
        print(line)
    sys.exit(bool(wrong))


def _told(row: Any, engine: str, kind: str, why: bool) -> str:
    text = row["why"].strip()
    told = text if why else text.splitlines()[-1][:200]
    return f"{row['test']} ({engine}, {kind} variables) {row['outcome']}: {told}"


if __name__ == "__main__":
    main()
