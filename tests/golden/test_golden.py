"""queueio.v1 does what TensorFlow 1.15.5 did, pipeline by pipeline, as recorded from the latter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from comparing import ASPECTS, aspect  # noqa: E402

RECORDINGS = HERE / "recordings"
NAMES = sorted(path.stem for path in RECORDINGS.glob("[!A-Z]*.json"))
LIMIT = 240  # seconds
ON_PURPOSE = {
    "fault_capacity_below_the_minimum_of_a_join": "refused while building, as shuffle_batch is;"
    " TF1 built the graph, and its kernel refused to run it",
}


def case(name: str, what: str) -> Any:
    reason = ON_PURPOSE.get(name)
    marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
    return pytest.param(name, what, marks=marks)


def read(folder: Path, name: str) -> Any:
    return json.loads((folder / f"{name}.json").read_text())


def record(out: Path) -> None:
    environment = dict(os.environ, PYTHONPATH=str(HERE.parents[1]), TF_CPP_MIN_LOG_LEVEL="3")
    module = os.environ.get("GOLDEN_MODULE", "queueio.v1")
    command = [sys.executable, str(HERE / "record.py"), "--module", module]
    command += ["--out", str(out), "--limit", str(LIMIT)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=LIMIT + 30, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.fixture(scope="session")
def today(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recordings of queueio, made once, whichever worker of the test run comes first."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    out = shared / "golden"
    try:
        (shared / "golden-lock").mkdir()
    except FileExistsError:
        until = time.monotonic() + LIMIT + 60
        while not (out / "VERSION.json").exists():
            assert time.monotonic() < until, "the other worker has not recorded anything"
            time.sleep(0.2)
    else:
        record(out)
    return out


@pytest.mark.parametrize(("name", "what"), [case(n, w) for n in NAMES for w in ASPECTS])
def test_pipeline_is_as_in_tf1(today: Path, name: str, what: str) -> None:
    assert aspect(read(today, name), what) == aspect(read(RECORDINGS, name), what)


def test_every_pipeline_has_a_recording_from_tf1(today: Path) -> None:
    assert sorted(path.stem for path in today.glob("[!A-Z]*.json")) == NAMES


def test_the_recordings_come_from_the_real_tf1() -> None:
    assert read(RECORDINGS, "VERSION") == {"module": "tensorflow", "tensorflow": "1.15.5"}


SIGNATURES = read(RECORDINGS, "SIGNATURES")


@pytest.mark.parametrize("function", sorted(SIGNATURES))
def test_parameters_are_as_in_tf1(today: Path, function: str) -> None:
    assert read(today, "SIGNATURES")[function] == SIGNATURES[function]
