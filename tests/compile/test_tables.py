"""Lookup tables that nothing but a session fills, in a dataset inside and outside of the graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import train

v1 = tf.compat.v1
MISSING = -1


def dense() -> Any:
    return tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, MISSING, -2, -3)


def mutable() -> Any:
    return tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, MISSING)


def looked_up(table: Any) -> Any:
    keys = train.slice_input_producer([tf.constant([1, 2], tf.int64)], shuffle=False)
    return train.batch([table.lookup(key) for key in keys], 2)


@pytest.mark.parametrize("table", [dense, mutable])
def test_a_dataset_in_the_graph_sees_what_the_session_put_into_the_table(
    table: Any, v1_behaviour: None
) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        made = table()
        plan = queueio.lift(looked_up(made))
        fill = made.insert(tf.constant([1], tf.int64), tf.constant([10], tf.int64))
        iterator = v1.data.make_initializable_iterator(plan.to_dataset())
        batch = iterator.get_next()
        session.run(fill)
        session.run(iterator.initializer)
        assert session.run(batch).tolist() == [10, MISSING]


@pytest.mark.parametrize("table", [dense, mutable])
def test_an_eager_dataset_has_an_empty_table_where_nothing_fills_it(table: Any) -> None:
    plan = queueio.lift(lambda: looked_up(table()))
    assert next(plan.to_dataset().as_numpy_iterator()).tolist() == [MISSING, MISSING]


@pytest.mark.parametrize("table", [dense, mutable])
def test_an_eager_dataset_of_a_table_that_a_checkpoint_fills_is_refused(table: Any) -> None:
    def restored() -> Any:
        batch = looked_up(table())
        v1.train.Saver()
        return batch

    plan = queueio.lift(restored)
    with pytest.raises(queueio.NotLifted, match=r"HashTable.*checkpoint"):
        plan.to_dataset()


def test_each_dataset_of_a_plan_has_the_words_that_are_in_the_file_then(
    behaviour: str, tmp_path: Path
) -> None:
    words = tmp_path / "words.txt"
    words.write_text("1\n2\n")

    def of_words() -> Any:
        line, key = tf.lookup.TextFileIndex.LINE_NUMBER, tf.lookup.TextFileIndex.WHOLE_LINE
        told = tf.lookup.TextFileInitializer(str(words), tf.int64, key, tf.int64, line)
        return looked_up(tf.lookup.StaticHashTable(told, MISSING))

    plan = queueio.lift(of_words)
    assert next(plan.to_dataset().as_numpy_iterator()).tolist() == [0, 1]
    words.write_text("3\n2\n1\n")
    assert next(plan.to_dataset().as_numpy_iterator()).tolist() == [2, 1]


@pytest.mark.parametrize("vectorise", [True, False], ids=["vectorised", "plain"])
def test_a_dataset_in_another_graph_has_a_table_that_the_program_initialises(
    vectorise: bool,
) -> None:
    def build() -> Any:
        keys, values = tf.constant([1, 2], tf.int64), tf.constant([10, 20], tf.int64)
        content = tf.lookup.KeyValueTensorInitializer(keys, values)
        return looked_up(tf.lookup.StaticHashTable(content, MISSING))

    plan = queueio.lift(build)
    with tf.Graph().as_default(), v1.Session() as session:
        iterator = v1.data.make_initializable_iterator(plan.to_dataset(vectorise=vectorise))
        batch = iterator.get_next()
        session.run(v1.tables_initializer())
        session.run(iterator.initializer)
        assert session.run(batch).tolist() == [10, 20]


@pytest.mark.parametrize("known", ["all", "rank"])
def test_what_a_table_says_to_all_examples_alike_keeps_its_shape(known: str) -> None:
    def build() -> Any:
        words = tf.constant(["b", "a", "?"])
        pairs = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([10, 20], tf.int64))
        table = tf.lookup.StaticHashTable(pairs, MISSING)
        number = train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        asked = v1.placeholder_with_default(words, [None]) if known == "rank" else words
        same = table.lookup(asked)
        each = tf.cast(number, tf.int64) * table.lookup(tf.constant("a"))
        checked = v1.check_numerics(tf.cast(number, tf.float32), "checked")
        return train.batch([each, checked, same], 2, dynamic_pad=known == "rank")

    dataset = queueio.lift(build).to_dataset()
    rest = [2, None] if known == "rank" else [2, 3]
    assert [s.shape.as_list() for s in dataset.element_spec] == [[2], [2], rest]
    each, _, same = zip(*dataset.as_numpy_iterator(), strict=True)
    assert [values.tolist() for values in each] == [[0, 10], [20, 30]]
    assert [values.tolist() for values in same] == [[[20, 10, MISSING]] * 2] * 2
