"""Shared by the tests of the examples: run one, and read the facts that it printed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def run_example(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> Callable[..., list[tuple[str, str]]]:
    """Runs an example, which must succeed; returns its `name: value` lines in order."""

    def run(name: str, *args: str, timeout: float = 90) -> list[tuple[str, str]]:
        done = run_python(EXAMPLES / name, *args, timeout=timeout)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        lines = (line.partition(": ") for line in done.stdout.splitlines())
        return [(key.strip(), value.strip()) for key, _, value in lines]

    return run
