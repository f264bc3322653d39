"""The source of every golden pipeline delivers what the queues of TensorFlow 1.15.5 delivered.

Each source runs in a fresh process that has TensorFlow and no queueio; what it delivers is held
against the recordings of 1.15.5.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import comparing
import datafiles
import pytest
import tensorflow as tf
import values
from observing import is_cell
from pipelines import PIPELINES

import queueio
from tests.lift.test_golden_pipelines import (
    NAMES,
    REFUSED,
    arrays,
    lifted,
    recording,
    until_the_end,
)
from tests.turns import by_turns

from .conftest import Sources

v1 = tf.compat.v1
LIFTED = [name for name in NAMES if name not in REFUSED]
UNWRITTEN = {
    "fault_in_python_code": "PyFunc: the function lives in the program",
    "slim_words_by_a_table_or_a_backup": "a table in the body of a cond of TF2's control flow",
    "sparse_with_padding": "tf.data pads no sparse tensors",
}
IN_MEMORY = (  # rows of the program's own arrays
    "learn_arrays_fed_by_two_threads", "learn_arrays_for_ever", "learn_arrays_in_order",
    "learn_arrays_shuffled", "learn_queue_of_an_array", "learn_queue_of_ordered_arrays",
    "timeseries_of_arrays_whole",
)  # fmt: skip
LOOPS = (  # of TF1's control flow, which has no source
    "resample_at_a_rate_of_none", "resample_then_batch", "slim_images_several_in_a_record",
)  # fmt: skip
OTHERWISE = {
    # FixedLengthRecordDataset raises where the reader dropped bytes in silence; the source says so.
    "fault_partial_last_record": "InvalidArgumentError",
    "fault_file_shorter_than_its_header": "InvalidArgumentError",
}
# The dequeue said OutOfRangeError for all of these; a dataset raises what went wrong.
ENDS_BY_ITS_CAUSE = {
    "fault_bad_csv_in_a_batch": "InvalidArgumentError",
    "fault_corrupt_record_in_a_batch": "DataLossError",
    "fault_empty_string_tensor": "InvalidArgumentError",
    "fault_glob_without_a_match": "FileNotFoundError",
    "fault_missing_file": "NotFoundError",
    "fault_shape_at_run_time": "InvalidArgumentError",
    "fault_unequal_rows_with_enqueue_many": "InvalidArgumentError",
}
WRITTEN = by_turns((n for n in LIFTED if n not in {*UNWRITTEN, *LOOPS, *IN_MEMORY}), ahead=2)
# Seeded shuffles have an order of TF1's own, which no tf.data shuffle repeats.
REORDERED = {name for name in WRITTEN if "seed" in name or "shuffled" in name}


@functools.cache
def plan_in_todays_behaviour(name: str) -> Any:
    """Lifted once for both styles."""
    return lifted(PIPELINES[name], "v2")


@pytest.fixture(scope="module", params=["v1-plain", "v2-plain", "v2-fast"])
def sources(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sources:
    """All golden pipelines as modules in one folder, run in one process."""
    behaviour, style = request.param.split("-")
    made = Sources.shared(tmp_path_factory, request.param)
    with made.once() as first:
        if first:
            with made.behaviour(behaviour):
                for name in WRITTEN:
                    old = behaviour == "v1"
                    plan = lifted(PIPELINES[name], "v1") if old else plan_in_todays_behaviour(name)
                    made.write(name, plan.to_source(style=style), PIPELINES[name].steps or 200)
            made.run()
    return made


@pytest.mark.parametrize("name", WRITTEN)
def test_the_source_delivers_what_tf1_delivered(name: str, sources: Sources) -> None:
    told, got = recording(name), sources.results[name]
    if name in OTHERWISE:
        assert OTHERWISE[name] in got["end"]
        return
    expected = ENDS_BY_ITS_CAUSE.get(name) or (told["end"] and told["end"]["type"])
    assert got["end"] is expected or (got["end"] or "").startswith(expected or "never")
    if PIPELINES[name].order == "rows" or name in REORDERED:
        assert sources.rows(got["steps"]) == told.get("examples", sources.rows(told.get("steps")))
        shapes = [{k: s for k, s in one.items() if not is_cell(k)} for one in got["shapes"]]
        known = [{k: s for k, s in one.items() if not is_cell(k)} for one in told["shapes"]]
        assert shapes == known
    else:
        steps = sorted(got["steps"], key=repr) if PIPELINES[name].order == "steps" else got["steps"]
        assert json.loads(json.dumps(steps)) == told["steps"], sources.text(name)
        assert comparing.shapes({**told, "shapes": got["shapes"]}) == comparing.shapes(told)


def test_the_sources_are_as_ruff_would_have_them(sources: Sources) -> None:
    assert sources.ruff("format", "--check") == ""
    assert sources.ruff("check") == ""


def test_the_sources_have_types_that_mypy_accepts(sources: Sources) -> None:
    assert sources.mypy() == ""


@pytest.mark.parametrize("name", sorted([*UNWRITTEN, *IN_MEMORY]))
def test_what_cannot_be_written_down_is_refused(name: str, tmp_path: Path) -> None:
    with tf.Graph().as_default():
        plan: Any = lifted(PIPELINES[name], "v2")
    with pytest.raises(queueio.Refusal) as refusal:
        plan.to_source()
    assert refusal.value.reason and refusal.value.remedy


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_of_tf1_is_refused_with_what_to_do(name: str, v1_behaviour: None) -> None:
    plan = lifted(PIPELINES[name], "v1")
    with pytest.raises(queueio.NotLifted, match="belongs to a loop of TF1's control flow"):
        plan.to_source()


@pytest.mark.parametrize("name", LOOPS)
def test_the_same_loop_of_tf2_is_written_down(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datafiles.write(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {"__name__": "written", "__file__": "written.py"}
    exec(str(lifted(PIPELINES[name], "v2").to_source()), scope)
    found, end = until_the_end(scope["input_fn"](), 200)
    assert end is tf.errors.OutOfRangeError
    got = [{key: values.plain(v) for key, v in arrays(step).items()} for step in found]
    assert json.loads(json.dumps(got)) == recording(name)["steps"]
