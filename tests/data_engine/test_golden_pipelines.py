"""Under engine("data") every golden pipeline delivers what TensorFlow 1.15.5 delivered.

Batches come from tf.data where the pipeline lifts, from TF1's queues where it does not; the list
below says which do not, and why.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
import tensorflow as tf
from comparing import aspect
from modules import Stock
from observing import observe
from pipelines import PIPELINES

import queueio
from queueio import train
from queueio.data_engine import report
from tests.turns import by_turns

v1 = tf.compat.v1
RECORDINGS = Path(__file__).resolve().parent.parent / "golden" / "recordings"
FALLS_BACK = {
    "batch_size_as_a_tensor": "batch size is known only when a session feeds it",
    "batch_with_every_name": "shared_name",
    "bucket_of_kept_sparse_examples": "handles of a map",
    "bucket_of_sparse_examples": "handles of a map",
    "bucket_with_a_shared_name": "shared_name",
    "fault_unfed_placeholder": "placeholder",
    "fault_upstream_of_a_join": "is a race",
    "join_merges_static_shapes": "placeholder",
    "join_takes_the_static_shape_of_the_first": "placeholder",
    "join_with_shapes_and_shared_name": "shared_name",
    "keep_never": "nothing in the graph fills it",
    "learn_names_from_a_shared_queue": "changes state",
    "learn_shuffled_names_from_a_shared_queue": "changes state",
    "one_graph_of_everything": "each of the two gets only a part",
    "refuse_a_sparse_tensor_of_unknown_rank": "placeholder",
    "resample_by_weight": "the pipeline changes state as it goes",
    "sample_a_class_by_estimate": "the pipeline changes state as it goes",
    "sequences_of_one_segment": "the states that the session saves",
    "sequences_that_are_sparse": "the states that the session saves",
    "sequences_with_a_sum": "the states that the session saves",
    "sequences_with_keys_made_unique": "the states that the session saves",
    "shuffle_join_with_every_option": "shared_name",
    "shuffle_with_shapes_and_shared_name": "shared_name",
    "sparse_batch_of_a_dict": "shared_name",
    "timeseries_windows_of_a_file": "the pipeline changes state as it goes",
    "timeseries_windows_of_arrays": "the pipeline changes state as it goes",
    "timeseries_windows_that_no_file_fills": "the pipeline changes state as it goes",
}
DIFFERS_IN_EITHER_ENGINE = ("fault_capacity_below_the_minimum_of_a_join",)  # see tests/golden


def recorded() -> list[str]:
    return [name for name in PIPELINES if (RECORDINGS / f"{name}.json").exists() and batches(name)]


def batches(name: str) -> bool:
    """Whether a function that makes batches is in it: the others are TF1's in either engine."""
    told = json.loads((RECORDINGS / f"{name}.json").read_text())
    return any("batch" in runner["queue"] or "top_queue" in runner["queue"] for runner in
               told.get("collections", {}).get("queue_runners", []))  # fmt: skip


def cases() -> list[tuple[str, str]]:
    """Only conditional enqueues, sparse maps and state differ between the two behaviours."""
    other = ("keep_input", "sparse", "runners")
    return [
        (name, behaviour)
        for name in by_turns(recorded(), ahead=1)
        if name not in DIFFERS_IN_EITHER_ENGINE
        for behaviour in (["v1", "v2"] if PIPELINES[name].family in other else ["v1"])
    ]


@pytest.mark.parametrize(("name", "behaviour"), cases(), indirect=["behaviour"])
def test_the_data_engine_delivers_what_tf1_delivered(
    name: str,
    behaviour: str,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report, "_all", [])
    told = json.loads((RECORDINGS / f"{name}.json").read_text())
    with warnings.catch_warnings(record=True) as caught, queueio.engine("data"):
        warnings.simplefilter("always")
        seen = json.loads(json.dumps(observe(Stock(train), PIPELINES[name])))
    for part in ("data", "shapes", "end"):
        assert aspect(seen, part) == aspect(told, part)
    # Under `python -W error` a warning of TensorFlow's about what only we built would end the run.
    assert not [w for w in caught if w.category in (UserWarning, RuntimeWarning, FutureWarning)]
    fallen = [str(w.message) for w in caught if issubclass(w.category, queueio.FallbackWarning)]
    if name in FALLS_BACK:
        assert any(FALLS_BACK[name] in message for message in fallen), fallen
    else:
        assert not fallen
        assert {entry.engine for entry in report._all} <= {"data"}
