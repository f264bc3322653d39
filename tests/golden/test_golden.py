"""queueio.v1 does what TensorFlow 1.15.5 did, pipeline by pipeline, as recorded from the latter."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.processes import python

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from comparing import ASPECTS, aspect  # noqa: E402

RECORDINGS = HERE / "recordings"
NAMES = sorted(path.stem for path in RECORDINGS.glob("[!A-Z]*.json"))
LIMIT = 240  # seconds
EARLIER = "refused while building, as shuffle_batch is; TF1's kernel refused to run it"
UNINITIALISED = "a resource variable that was not initialised is not found; TF1 had references"
KNOWN_RANK = "the static shape of a sparse item knows that it has one column of indices"
LOOP = "a loop of control flow v2 is one op, and a variable of TensorFlow 2 a resource"
LOOPS = (
    "resample_at_a_rate_of_none", "resample_by_weight", "resample_in_doubles",
    "resample_then_batch", "sample_a_class_by_estimate",
)  # fmt: skip
SIZE = "the loop asks its TensorArray for its size"
WHOLE_FILES = (
    "timeseries_of_a_file_whole", "timeseries_of_no_records_whole", "timeseries_of_two_files_whole",
)  # fmt: skip
COUNTED = "a count of rounds is the program's own variable, and a resource"
COUNTS = (
    *WHOLE_FILES,
    "timeseries_windows_of_a_file", "timeseries_windows_of_arrays",
    "timeseries_windows_that_no_file_fills",
)  # fmt: skip
ON_PURPOSE = {
    **{("queueio.v1", name): SIZE for name in WHOLE_FILES},
    **{("queueio.train", name): COUNTED for name in COUNTS},
    **{("queueio.train", name): LOOP for name in LOOPS},
    ("queueio.v1", "fault_capacity_below_the_minimum_of_a_join"): EARLIER,
    ("queueio.train", "fault_capacity_below_the_minimum_of_a_join"): EARLIER,
    ("queueio.train", "fault_uninitialised_epochs"): UNINITIALISED,
    ("queueio.train", "reader_state_of_identity"): "the user's own variable is a resource",
    ("queueio.train", "variable_in_the_preprocessing"): "the user's own variable is a resource",
    ("queueio.v1", "slim_sparse_items"): KNOWN_RANK,
    ("queueio.train", "slim_sparse_items"): KNOWN_RANK,
}


UNAFFECTED = {
    **{("queueio.v1", name): ("data", "shapes", "end") for name in WHOLE_FILES},
    **{("queueio.train", name): ("data", "shapes", "end") for name in COUNTS},
    **{("queueio.train", name): ("data", "shapes", "end") for name in LOOPS},
    ("queueio.train", "fault_uninitialised_epochs"): ("data", "shapes", "names outside of conds"),
    ("queueio.train", "reader_state_of_identity"): ("data", "shapes", "end"),
    ("queueio.train", "variable_in_the_preprocessing"): ("data", "shapes", "end"),
    ("queueio.v1", "slim_sparse_items"): ("data", "names", "end"),
    ("queueio.train", "slim_sparse_items"): ("data", "names outside of conds", "end"),
}


def case(module: str, name: str, what: str) -> Any:
    reason = ON_PURPOSE.get((module, name))
    marks = []
    if reason and what not in UNAFFECTED.get((module, name), ()):
        marks.append(pytest.mark.xfail(reason=reason, strict=True))
    return pytest.param(module, name, what, marks=marks)


def cases() -> Iterator[Any]:
    for module, aspects in ASPECTS.items():
        for name in NAMES:
            for what in aspects:
                yield case(module, name, what)


def read(folder: Path, name: str) -> Any:
    return json.loads((folder / f"{name}.json").read_text())


def record(module: str, out: Path) -> None:
    command = [HERE / "record.py", "--module", module, "--out", out, "--limit", str(LIMIT)]
    done = python(*command, cwd=HERE, timeout=LIMIT + 30)
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of the recordings under a module, made once, by whichever worker comes first."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def recordings(module: str) -> Path:
        out = shared / f"golden-{module}"
        try:
            (shared / f"golden-{module}-lock").mkdir()
        except FileExistsError:
            until = time.monotonic() + LIMIT + 60
            while not (out / "VERSION.json").exists():
                assert time.monotonic() < until, f"nobody has recorded {module}"
                time.sleep(0.2)
        else:
            record(os.environ.get("GOLDEN_MODULE", module), out)
        return out

    return recordings


@pytest.mark.parametrize(("module", "name", "what"), list(cases()))
def test_pipeline_is_as_in_tf1(
    recorded: Callable[[str], Path], module: str, name: str, what: str
) -> None:
    got, want = read(recorded(module), name), read(RECORDINGS, name)
    assert aspect(got, what) == aspect(want, what)


@pytest.mark.parametrize("module", ASPECTS)
def test_every_pipeline_has_a_recording_from_tf1(
    recorded: Callable[[str], Path], module: str
) -> None:
    assert sorted(path.stem for path in recorded(module).glob("[!A-Z]*.json")) == NAMES


def test_the_recordings_come_from_the_real_tf1() -> None:
    assert read(RECORDINGS, "VERSION") == {"module": "tensorflow", "tensorflow": "1.15.5"}


SIGNATURES = read(RECORDINGS, "SIGNATURES")


@pytest.mark.parametrize("module", ASPECTS)
@pytest.mark.parametrize("function", sorted(SIGNATURES))
def test_parameters_are_as_in_tf1(
    recorded: Callable[[str], Path], module: str, function: str
) -> None:
    assert read(recorded(module), "SIGNATURES")[function] == SIGNATURES[function]
