"""A plan's dataset iterates as tf.data's own do, in less time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import io, train
from queueio.compile.iterated import PlanDataset

v1 = tf.compat.v1
NUMBERS = tf.constant([1, 2, 3])
STRUCTURES: dict[str, Callable[[Any], Any]] = {
    "a tensor": lambda n: n,
    "a tuple": lambda n: (n, tf.cast(n, tf.float32)),
    "a tuple of one": lambda n: (n,),
    "an empty tuple beside": lambda n: (n, ()),
    "a dict in its own order": lambda n: {"b": n, "a": tf.cast(n, tf.float32), "c": n + 1},
    "nested": lambda n: {"x": (n, n + 1), "y": n},
    "sparse": lambda n: (tf.sparse.from_dense([n, 0, n]), n),
    "ragged": lambda n: (tf.RaggedTensor.from_row_lengths(tf.range(n), [n]), n),
    "strings of any number": lambda n: (tf.fill([n], "word"), n),
}


def flat(elements: list[Any]) -> list[Any]:
    parts = tf.nest.flatten(elements, expand_composites=True)
    return [(part.dtype, part.shape, part.numpy().tolist()) for part in parts]


@pytest.mark.parametrize("structure", list(STRUCTURES))
def test_elements_come_as_from_tf_data(structure: str) -> None:
    dataset = tf.data.Dataset.from_tensor_slices(NUMBERS).map(STRUCTURES[structure])
    ours, theirs = list(PlanDataset(dataset)), list(dataset)
    tf.nest.assert_same_structure(ours, theirs)
    assert flat(ours) == flat(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert type(one) is type(other)
        if isinstance(one, dict):
            assert list(one) == list(other)


def fails_at_three(number: Any) -> Any:
    with tf.control_dependencies([tf.debugging.assert_less(number, 3, message="too large")]):
        return number, -number


def test_what_is_wrong_with_an_element_is_told_as_by_tf_data() -> None:
    dataset = tf.data.Dataset.from_tensor_slices(NUMBERS).map(fails_at_three)
    told = []
    for each in (PlanDataset(dataset), dataset):
        iterator = iter(each)
        assert [next(iterator)[1].numpy(), next(iterator)[1].numpy()] == [-1, -2]
        with pytest.raises(tf.errors.InvalidArgumentError) as failed:
            next(iterator)
        told.append(str(failed.value))
        assert list(iterator) == []
    assert told[0] == told[1]


def test_an_iterator_ends_and_stays_at_its_end() -> None:
    iterator = iter(PlanDataset(tf.data.Dataset.from_tensor_slices((NUMBERS, NUMBERS))))
    assert len(list(iterator)) == 3
    assert next(iterator, None) is None
    assert not iterator.get_next_as_optional().has_value()


def test_the_rest_of_tf_data_takes_it_for_a_dataset(tmp_path: Path) -> None:
    dataset = PlanDataset(tf.data.Dataset.from_tensor_slices((NUMBERS, NUMBERS * 2)))
    assert isinstance(dataset, tf.data.Dataset)
    assert len(dataset) == 3
    assert [int(n) for n in dataset.map(lambda x, y: x + y)] == [3, 6, 9]
    assert int(dataset.reduce(0, lambda total, pair: total + pair[1])) == 12

    @tf.function
    def total(elements: Any) -> Any:
        found = 0
        for one, other in elements:
            found += one * other
        return found

    @tf.function
    def first(iterator: Any) -> Any:
        return next(iterator)

    assert int(total(dataset)) == 28
    iterator = iter(dataset)
    assert [int(part) for part in first(iterator)] == [1, 2]
    saved = tf.train.Checkpoint(iterator=iterator).write(str(tmp_path / "place"))
    assert [int(part) for part in next(iterator)] == [2, 4]
    again = iter(dataset)
    tf.train.Checkpoint(iterator=again).read(saved)
    assert [int(part) for part in next(again)] == [2, 4]
    assert again.element_spec == dataset.element_spec


def test_its_options_are_those_of_the_dataset_within() -> None:
    options = tf.data.Options()
    options.deterministic = False
    dataset = tf.data.Dataset.from_tensor_slices(NUMBERS).with_options(options)
    assert PlanDataset(dataset).options().deterministic is False


def test_it_iterates_where_ops_run_later() -> None:
    dataset = PlanDataset(tf.data.Dataset.from_tensor_slices((NUMBERS, NUMBERS)))
    tf.config.experimental.set_synchronous_execution(False)
    try:
        assert [int(one) for one, _ in dataset] == [1, 2, 3]
    finally:
        tf.config.experimental.set_synchronous_execution(True)


@pytest.mark.parametrize("vectorise", [True, False])
def test_a_plans_dataset_is_one_in_a_graph_and_eagerly(tmp_path: Path, vectorise: bool) -> None:
    file = tmp_path / "numbers.txt"
    file.write_text("".join(f"{n}\n" for n in range(6)))

    def build() -> Any:
        names = train.string_input_producer([str(file)], num_epochs=1, shuffle=False)
        _, line = io.TextLineReader().read(names)
        number = tf.strings.to_number(line, tf.int32)
        return {"b": train.batch([number], 2)}

    dataset = queueio.lift(build).to_dataset(vectorise=vectorise)
    eager = [batch["b"].numpy().tolist() for batch in dataset]
    assert eager == [[0, 1], [2, 3], [4, 5]]
    with tf.Graph().as_default(), v1.Session() as session:
        made = queueio.lift(build()).to_dataset(vectorise=vectorise)
        iterator = v1.data.make_initializable_iterator(made)
        following = iterator.get_next()
        session.run(v1.local_variables_initializer())
        session.run(iterator.initializer)
        found = [session.run(following) for _ in range(3)]
        assert np.array_equal([batch["b"] for batch in found], eager)
        with pytest.raises(RuntimeError, match="eager"):
            iter(made)
