"""The Estimator scripts, untouched, on either engine."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path

import pytest

from tests.processes import python

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow_estimator") is None,
    reason="tensorflow_estimator is not installed",
)
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STEPS = math.ceil(20 * 1437 / 50)
TEST_BATCHES = math.ceil(360 / 50)


@pytest.mark.long
@pytest.mark.parametrize("engine", ["queue", "data"])
@pytest.mark.parametrize("source", ["numpy", "queues"])
def test_it_trains_on_every_image_and_evaluates(source: str, engine: str, tmp_path: Path) -> None:
    script = EXAMPLES / f"estimator_{source}.py"
    assert "queueio" not in script.read_text()
    strict = ("--strict",) if engine == "data" else ()
    run = ("run", "--engine", engine, *strict, "--report", "report.json", str(script))
    done = python("-m", "queueio", *run, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    told = dict(line.split(": ") for line in done.stdout.splitlines())
    assert int(told["steps"]) == STEPS
    assert float(told["test accuracy"]) > 0.9
    if source == "numpy":  # in their order, or they would not fit the labels
        assert told["predictions"] == "360"
        assert told["of them right"] == told["test accuracy"]
    pipelines = json.loads((tmp_path / "report.json").read_text())["pipelines"]
    assert {pipeline["engine"] for pipeline in pipelines} == {engine}
    assert [p["batches"] for p in pipelines[:2]] == [STEPS, TEST_BATCHES]
