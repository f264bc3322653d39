"""Properties of random pipelines (files, epochs, threads, queues, joins, remainders …)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.turns import by_turns

PIPELINES = 50


@pytest.mark.long
@pytest.mark.parametrize("seed", by_turns(range(3)))
@pytest.mark.parametrize("behaviour", ["v2", "v1"])
def test_every_example_is_delivered_as_often_as_planned_and_nothing_hangs(
    run_python: Callable[..., subprocess.CompletedProcess[str]], behaviour: str, seed: int
) -> None:
    program = Path(__file__).parent / "random_pipelines.py"
    done = run_python(program, str(PIPELINES), behaviour, str(seed), timeout=240)
    assert done.returncode == 0, done.stderr[-6000:]
    assert int(done.stdout.split()[-1]) >= PIPELINES
