"""A process that measures when it is told to, so that contenders can take turns."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parent.parent


class Worker:
    """A contender in a process of its own.

    Args:
      module: a benchmark, whose `--work` takes the arguments. It prints a line when it is ready,
        and two numbers for each line that it reads, of how many seconds it shall measure.
      arguments: which contender, and of what.
    """

    def __init__(self, module: str, *arguments: str) -> None:
        self._process = started(module, "--work", *arguments)
        self._answer()

    def measure(self, seconds: float) -> tuple[float, float]:
        """What it measures in so many seconds."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()
        one, other = self._answer().split()
        return float(one), float(other)

    def end(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.wait()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise click.ClickException("a contender failed; its error is above")
        return line.strip()


def in_turn(
    module: str, contenders: Mapping[str, Sequence[str]], rounds: int, seconds: float
) -> dict[str, list[float]]:
    """Medians of the two numbers of each contender, which take turns.

    Args:
      module: the benchmark of the workers.
      contenders: by name the arguments that each worker gets.
      rounds: how often each measures.
      seconds: how long.
    """
    workers = {name: Worker(module, *arguments) for name, arguments in contenders.items()}
    try:
        figures: dict[str, list[tuple[float, float]]] = {name: [] for name in workers}
        for _ in range(rounds):
            for name, contender in workers.items():
                figures[name].append(contender.measure(seconds))
    finally:
        for contender in workers.values():
            contender.end()
    return {
        name: [statistics.median(values) for values in zip(*both, strict=True)]
        for name, both in figures.items()
    }


def started(module: str, *arguments: str) -> subprocess.Popen[str]:
    """A process of a module of this checkout, that one can write to and read from."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
