"""Random pipelines give the same examples and the same end in every form.

These are a sample: `python -m tests.forms.every_form 500 --seed 7` tries as many others as one
likes.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.turns import by_turns

PIPELINES = 7
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
@pytest.mark.timeout(400)  # some 2 s a pipeline, on a machine with nothing else to do
@pytest.mark.parametrize("seed", by_turns(range(3)))
@pytest.mark.parametrize("behaviour", ["v2", "v1"])
def test_random_pipelines_end_alike_with_the_same_examples_in_every_form(
    run_python: Callable[..., subprocess.CompletedProcess[str]], behaviour: str, seed: int
) -> None:
    program = Path(__file__).parent / "every_form.py"
    told_to = [str(PIPELINES), "--behaviour", behaviour, "--seed", str(seed)]
    by_tf1 = program.with_name("TF_1_15_5.json")  # recorded once, for the behaviour that was TF1's
    recorded = by_turns(json.loads(by_tf1.read_text())) if behaviour == "v1" else []
    told_to += ["--recorded", str(by_tf1)] if recorded else []
    done = run_python(program, *told_to, timeout=380)
    assert done.returncode == 0 and "FAILED" not in done.stdout, done.stdout + done.stderr[-6000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["pipelines"] == PIPELINES and told.get("recorded", 0) == len(recorded)
    assert min(told.get(f"same: {form}", 0) for form in ("chunks", "plain", "fast")) > 0, told
