"""An Estimator of the package tensorflow_estimator trains and evaluates on queues."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from tests.processes import python

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow_estimator") is None,
    reason="tensorflow_estimator is not installed",
)
PROGRAM = Path(__file__).parent / "estimator_program.py"


@pytest.mark.parametrize("engine", ["queue", "data"])
def test_an_estimator_trains_and_evaluates_every_example(engine: str, tmp_path: Path) -> None:
    rows = np.random.default_rng(0).random(200).astype(np.float32)
    (tmp_path / "a.csv").write_text("".join(f"{a},{3 * a}\n" for a in rows))
    strict = ("--strict",) if engine == "data" else ()
    run = ("-m", "queueio", "run", "--engine", engine, *strict, str(PROGRAM), "a.csv")
    done = python(*run, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["global_step"] == np.ceil(10 * 200 / 32)
    assert np.isclose(told["w"], 3, atol=0.1)
    # The evaluation has a pipeline of the same name, and a checkpoint that training wrote at the
    # end of its files: it reads all of them all the same. Batches differ by one; so do means.
    assert np.isclose(told["a"], rows.mean(), rtol=1e-5)
    assert np.isclose(told["label"], 3 * rows.mean(), rtol=1e-5)
    assert "Leave train_distribute" in told["strategy"]
