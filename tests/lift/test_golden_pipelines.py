"""Every golden pipeline, lifted, delivers what the queues of TensorFlow 1.15.5 delivered.

The recordings come from 1.15.5 (tests/golden/README.md); the graphs are built by stock compat.v1
in TF1's behaviour, and by queueio.train in TF2's, where stock cannot build all of them.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import comparing
import numpy as np
import pytest
import tensorflow as tf
import values
from modules import Stock
from observing import is_cell
from pipelines import PIPELINES
from pipelines.registry import Pipeline

import queueio
from queueio import train
from tests.turns import by_turns

from .conftest import GOLDEN

v1 = tf.compat.v1

REFUSED = {
    "batch_size_as_a_tensor": "may be fed another value in each session call",
    "batch_of_python_values": "keys of several types, which tf.data cannot sort",
    "epochs_without_a_queue": "there is no queue in it",
    "fault_dequeue_many_without_shapes": "nothing fills the queue",
    "fault_unfed_placeholder": "an enqueue fed by a placeholder",
    "refuse_a_sparse_tensor_of_unknown_rank": "an enqueue fed by a placeholder",
    "resample_by_weight": "a running mean, which changes with every batch",
    "resample_in_doubles": "a running mean, which changes with every batch",
    "sample_a_class_by_estimate": "a count of labels, which changes with every example",
    "learn_elements_of_a_generator": "a placeholder is fed from outside of the graph",
    "learn_elements_of_a_generator_padded": "a placeholder is fed from outside of the graph",
    "learn_names_from_a_shared_queue": "the pipeline changes state as it goes",
    "learn_seek_next": "the pipeline changes state as it goes",
    "learn_shuffled_names_from_a_shared_queue": "the pipeline changes state as it goes",
    "sequences_of_a_saver": "the states that the session saves decide what comes next",
    "sequences_of_one_segment": "whether a state is fetched makes room for more than a capacity",
    "sequences_of_whole_segments": "the states that the session saves decide what comes next",
    "sequences_that_are_sparse": "the states that the session saves decide what comes next",
    "sequences_with_a_sum": "the states that the session saves decide what comes next",
    "sequences_with_keys_made_unique": "the states that the session saves decide what comes next",
    "timeseries_of_a_file_whole": "a loop reads until the first record comes again",
    "timeseries_of_no_records_whole": "a loop reads until the first record comes again",
    "timeseries_of_two_files_whole": "a loop reads until the first record comes again",
    "timeseries_windows_of_a_file": "the pipeline changes state as it goes",
    "timeseries_windows_of_arrays": "the batch size is drawn at each step",
    "timeseries_windows_that_no_file_fills": "the pipeline changes state as it goes",
    "fault_upstream_of_a_join": "two producers take from one queue and treat elements differently",
}
ENDS_BY_ITS_CAUSE = {
    # The dequeue said OutOfRangeError for all of these; a dataset raises what went wrong.
    "fault_bad_csv_in_a_batch": tf.errors.InvalidArgumentError,
    "fault_corrupt_record_in_a_batch": tf.errors.DataLossError,
    "fault_empty_string_tensor": tf.errors.InvalidArgumentError,
    "fault_glob_without_a_match": tf.errors.InvalidArgumentError,
    "fault_in_python_code": tf.errors.UnknownError,
    "fault_missing_file": tf.errors.NotFoundError,
    "fault_shape_at_run_time": tf.errors.InvalidArgumentError,
    "fault_unequal_rows_with_enqueue_many": tf.errors.InvalidArgumentError,
}
NO_INITIALISATION = ("fault_uninitialised_epochs", "fault_uninitialised_matched_files")


def recording(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((GOLDEN / "recordings" / f"{name}.json").read_text())
    return found


def delivers(pipeline: Pipeline) -> bool:
    """Whether it has fetches that were run until the end (not a script, not refused)."""
    if not (GOLDEN / "recordings" / f"{pipeline.name}.json").exists():
        return False  # tests/golden says so
    told = recording(pipeline.name)
    return pipeline.steps != 0 and "static" in told and "end" in told


NAMES = [p.name for p in PIPELINES.values() if delivers(p) and p.name not in NO_INITIALISATION]


def lifted(pipeline: Pipeline, behaviour: str) -> Any:
    module = Stock(None if behaviour == "v1" else train)
    return queueio.lift(lambda: pipeline.build(module))


@functools.lru_cache(maxsize=1)  # the forms of one plan come one after the other
def plan_of(name: str, behaviour: str) -> Any:
    return lifted(PIPELINES[name], behaviour)


def until_the_end(dataset: Any, limit: int) -> tuple[list[Any], type | None]:
    found: list[Any] = []
    iterator = iter(dataset)
    try:
        while len(found) < limit:
            found.append(next(iterator))
    except StopIteration:
        return found, tf.errors.OutOfRangeError
    except tf.errors.OpError as error:
        return found, type(error)
    return found, None


def cases() -> list[Any]:
    """Both forms of each dataset; in TF2's behaviour where the graph is another one there."""
    other = ("keep_input", "sparse", "runners")
    return [
        pytest.param(name, behaviour, vectorise, id=f"{name}-{behaviour}-{form}")
        for name in by_turns(NAMES)
        for behaviour in (["v1", "v2"] if PIPELINES[name].family in other else ["v1"])
        for vectorise, form in ((False, "plain"), (True, "vectorised"))
        if name not in REFUSED
    ]


@pytest.mark.parametrize(("name", "behaviour", "vectorise"), cases(), indirect=["behaviour"])
def test_a_lifted_pipeline_delivers_what_tf1_delivered(
    name: str, behaviour: str, vectorise: bool, data: Path
) -> None:
    pipeline, told = PIPELINES[name], recording(name)
    dataset = plan_of(name, behaviour).to_dataset(vectorise=vectorise)
    assert static_shapes(dataset) == {k: told["static"][k] for k in static_shapes(dataset)}
    found, end = until_the_end(dataset, pipeline.steps or 200)
    steps = [arrays(element) for element in found]
    got = [{key: values.plain(value) for key, value in step.items()} for step in steps]
    shapes = [{k: list(v.shape) for k, v in step.items()} for step in steps]
    if pipeline.order == "rows":
        assert sorted(row for step in got for row in values.rows(step)) == told["examples"]
        shapes = [{k: s for k, s in shape.items() if not is_cell(k)} for shape in shapes]
    else:
        if pipeline.order == "steps":
            got.sort(key=repr)
        assert json.loads(json.dumps(got)) == told["steps"]
    assert comparing.shapes({**told, "shapes": shapes}) == comparing.shapes(told)
    expected = ENDS_BY_ITS_CAUSE.get(name) or (
        told["end"] and getattr(tf.errors, told["end"]["type"])
    )
    assert end is expected


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_cannot_be_lifted_is_refused_with_its_op_and_line(
    name: str, behaviour: str, data: Path
) -> None:
    with pytest.raises(queueio.Refusal) as refusal:
        lifted(PIPELINES[name], behaviour)
    told = refusal.value
    assert told.op_name and told.op_type and told.reason and told.remedy
    assert ".py:" in str(told.origin)


def static_shapes(dataset: Any) -> dict[str, Any]:
    """Dtype and static shape of each dense component, as the recordings have them."""
    return {
        key: [spec.dtype.name, spec.shape.as_list() if spec.shape.rank is not None else "unknown"]
        for key, spec in values.flatten(tf, dataset.element_spec).items()
        if isinstance(spec, tf.TensorSpec)
    }


def arrays(element: Any) -> dict[str, np.ndarray]:
    return {k: np.asarray(v.numpy()) for k, v in values.flatten(tf, element).items()}
