"""What a user sees of a plan: the tree, its parameters, the lines, and what may be registered."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio.plan import Node, fold, lifts
from queueio.plan.contract import load_stages

v1 = tf.compat.v1


def pipeline() -> Any:
    names = v1.train.string_input_producer(["a.txt", "b.txt"], num_epochs=2, seed=3)
    key, line = v1.TextLineReader(skip_header_lines=1).read(names)
    size = tf.strings.length(line)
    return v1.train.shuffle_batch([key, size], 4, 30, 10, num_threads=2, name="training")


@pytest.fixture
def plan() -> Any:
    return queueio.lift(pipeline)


def test_an_op_type_has_one_stage() -> None:
    load_stages()
    with pytest.raises(ValueError, match="two stages lift FIFOQueueV2"):
        lifts("FIFOQueueV2")(lambda op, walk: None)


def test_a_plan_cannot_be_changed(plan: Any) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.root.batch_size = 5


def test_a_node_without_a_tf_data_form_says_so() -> None:
    class Strange(Node):
        pass

    with pytest.raises(NotImplementedError, match=r"Strange has no tf\.data form"):
        Strange(name="x", origin=None, elements=()).to_dataset()  # type: ignore[arg-type]


def test_printing_shows_stages_parameters_shapes_and_lines(plan: Any) -> None:
    text = str(plan)
    stages = [line.strip("├└─│ ").split(" ")[0] for line in text.splitlines()]
    expected = ["Batch", "ShuffleQueue", "Transform", "Read", "ExampleQueue", "Source"]
    assert [stage for stage in stages if stage[:1].isupper()] == expected
    assert "'training' batch_size=4, allow_smaller_final_batch=False" in text
    assert "capacity=30, num_threads=2, min_after_dequeue=10" in text
    assert "Lines(skip_header_lines=1)" in text
    assert "num_epochs=2" in text and "shuffle=True" in text
    assert "emits string (4,), int32 (4,)" in text
    assert "test_plan.py:20: key, line = v1.TextLineReader(skip_header_lines=1).read(names)" in text


def test_a_fold_visits_every_stage_once_sources_first(plan: Any) -> None:
    visited: list[str] = []

    def visit(node: Node, *counts: int) -> int:
        visited.append(type(node).__name__)
        return 1 + sum(counts)

    assert fold(plan.root, visit) == len(visited) == len(list(plan.stages))
    assert visited[0] == "Source" and visited[-1] == "Batch"


def test_the_element_spec_has_the_structure_of_the_fetches() -> None:
    def build() -> Any:
        key, size = pipeline()
        return {"key": key, "more": [size, (size + 1,)]}

    spec = queueio.lift(build).element_spec
    assert spec == {
        "key": tf.TensorSpec([4], tf.string),
        "more": (tf.TensorSpec([4], tf.int32), (tf.TensorSpec([4], tf.int32),)),
    }
