"""Where both sides have plans, the first stage that differs is named."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio.compare as comparing


@dataclass(frozen=True)
class Numbers:
    count: int
    elements: tuple[str, ...] = ("n",)
    inputs: tuple[Any, ...] = ()

    @property
    def parameters(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("elements", "inputs")}

    def to_dataset(self) -> Any:
        return tf.data.Dataset.range(self.count)


@dataclass(frozen=True)
class Times(Numbers):
    def to_dataset(self) -> Any:
        return self.inputs[0].to_dataset().map(lambda n: n * self.count)


@dataclass(frozen=True)
class Batch(Numbers):
    def to_dataset(self) -> Any:
        return self.inputs[0].to_dataset().batch(self.count)


@dataclass(frozen=True)
class Plan:
    root: Any
    structure: Any = (0,)
    endless: bool = False

    def to_dataset(self) -> Any:
        return self.root.to_dataset()


def plan(factor: int) -> Plan:
    numbers = Numbers(40)
    return Plan(Batch(8, inputs=(Times(factor, inputs=(numbers,)),)))


@pytest.mark.long
def test_the_first_stage_from_the_source_on_is_named() -> None:
    result = comparing(plan(3), plan(5), cost=False)
    assert result.level == "different"
    assert result.stages.first == "Times(count=3)"
    states = [(s.text, s.state) for s in result.stages.old]
    assert states == [
        ("Batch(count=8)", "unknown"),
        ("Times(count=3)", "different"),
        ("Numbers(count=40)", "same"),
    ]
    assert "The first stage that differs: Times(count=3)" in str(result)


def test_a_stage_without_a_twin_is_marked() -> None:
    without = Plan(Batch(8, inputs=(Numbers(40),)))
    result = comparing(plan(1), without, cost=False)
    assert result.level == "identical stream"
    assert [s.state for s in result.stages.old] == ["same", "alone", "same"]


@pytest.mark.long
def test_trees_are_in_the_report(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    comparing(plan(3), plan(5), cost=False).to_html(path)
    assert '<li class="different"' in path.read_text()


def test_a_dataset_has_no_stages() -> None:
    made = plan(3).to_dataset()
    assert comparing(made, plan(3), cost=False).stages is None
    assert replace(plan(3)) == plan(3)


def numbers(factor: float) -> Any:
    """A stock queue pipeline over tests/compare/data/numbers.csv."""
    train = tf.compat.v1.train
    file = str(Path(__file__).parent / "data" / "numbers.csv")
    names = train.string_input_producer([file], num_epochs=1, shuffle=False)
    _, line = tf.compat.v1.TextLineReader(skip_header_lines=1).read(names)
    number, root, word = tf.io.decode_csv(line, [[0], [0.0], [""]])
    columns = [number, root * factor, word]
    return train.shuffle_batch(columns, 8, 40, 20, allow_smaller_final_batch=True)


@pytest.mark.long
def test_a_changed_queue_pipeline_differs_from_the_plan_in_its_map() -> None:
    import queueio

    with tf.Graph().as_default():
        plan = queueio.lift(numbers(1.0))
    same = comparing(lambda: numbers(1.0), plan, cost=False)
    assert same.ok, str(same)
    assert {stage.state for stage in same.stages.old} == {"same"}
    other = comparing(lambda: numbers(2.0), plan, cost=False)
    assert [f.code for f in other.findings] == ["scale"], str(other)
    assert other.stages.first.startswith("Transform(")
