"""The files behind an op are found in any graph, and finding them disturbs nothing."""

from __future__ import annotations

import pytest
import tensorflow as tf

from queueio.forensics import files_of, locate
from queueio.forensics.sources import MAX_FILES

v1 = tf.compat.v1


@pytest.fixture
def names(tmp_path):
    made = [tmp_path / name for name in ("b.txt", "a.txt", "c.txt")]
    for path in made:
        path.write_text("1\n2\n")
    return [str(path) for path in made]


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def lines(names, **options):
    return v1.TextLineReader().read(v1.train.string_input_producer(names, **options))[1]


def test_files_come_in_the_order_of_the_list_through_epochs_and_shuffling(graph, names):
    assert files_of(lines(names)) == names
    assert files_of(lines(names, num_epochs=2, shuffle=True, seed=1)) == names


def test_files_that_do_not_exist_are_left_out_and_none_comes_twice(graph, names):
    assert files_of(lines([names[0], "nowhere.txt", *names])) == names


def test_files_are_found_behind_batch_queues_and_joins(graph, names):
    first, second = lines(names[:1]), lines(names[1:])
    batch = v1.train.shuffle_batch_join([[first], [second]], 2, 10, 3)
    assert files_of(v1.train.batch([batch], 2, enqueue_many=True)) == names


def test_files_of_a_slice_producer_with_read_file_are_found(graph, names):
    name, _ = v1.train.slice_input_producer([names, [0, 1, 2]])
    content = tf.io.read_file(name)
    assert files_of(v1.train.batch([content], 2)) == names


def test_files_of_a_queue_filled_from_a_queue_are_found(graph, names):
    first = v1.train.string_input_producer(names)
    second = v1.FIFOQueue(5, tf.string, [[]])
    second.enqueue(first.dequeue())
    assert files_of(v1.WholeFileReader().read(second)[1]) == names


def test_a_queue_is_known_by_its_shared_name_too(graph, names):
    filled = v1.FIFOQueue(5, tf.string, [[]], shared_name="names")
    filled.enqueue_many([names])
    same = v1.FIFOQueue(5, tf.string, [[]], shared_name="names")
    assert files_of(v1.TextLineReader().read(same)[1]) == names


def test_fed_names_cannot_be_known(graph, names):
    assert files_of(lines(v1.placeholder(tf.string, [None]))) == []


def test_matched_names_need_the_session_that_matched_them(graph, names, tmp_path, v1_behaviour):
    value = lines(v1.train.match_filenames_once(str(tmp_path / "*.txt")))
    assert files_of(value) == []
    with v1.Session() as session:
        assert files_of(value, session) == []  # not yet initialised
        session.run(v1.local_variables_initializer())
        assert files_of(value, session) == sorted(names)


def test_asking_uses_up_no_epoch_and_takes_nothing_from_a_queue(graph, names, v1_behaviour):
    matched = v1.train.match_filenames_once(names)
    queue = v1.train.string_input_producer(matched, num_epochs=1, shuffle=False)
    value = v1.TextLineReader().read(queue)[1]
    with v1.Session() as session:
        session.run(v1.local_variables_initializer())
        for _ in range(3):
            assert files_of(value, session) == sorted(names)
        session.run("input_producer/input_producer_EnqueueMany")
        assert files_of(value, session) == sorted(names)
        assert session.run(queue.size()) == 3


def test_a_finalized_graph_can_be_asked(graph, names):
    value = lines(names)
    graph.finalize()
    assert files_of(value) == names


def test_an_imported_graph_can_be_asked(graph, names):
    lines(names)
    exported = v1.train.export_meta_graph(graph=graph)
    with tf.Graph().as_default() as imported:
        v1.train.import_meta_graph(exported, import_scope="old")
        assert files_of(imported.get_operation_by_name("old/ReaderReadV2")) == names


def test_more_names_than_the_bound_are_not_looked_at(graph, names):
    value = lines([f"missing-{i}" for i in range(MAX_FILES)] + names)
    assert files_of(value) == []


def test_an_image_read_by_read_file_is_located_among_its_slices(graph, tmp_path):
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"<html>not found</html>")
    name, _ = v1.train.slice_input_producer([[str(bad)], [1]], shuffle=False)
    image = tf.io.decode_png(tf.io.read_file(name))
    with v1.Session() as session:
        session.run(v1.local_variables_initializer())
        enqueue = next(o for o in graph.get_operations() if o.type == "QueueEnqueueManyV2")
        session.run(enqueue)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(image)
        found = locate(caught.value, image.op, session)
    assert found.key == str(bad)
    assert "an HTML page" in str(found)


def test_locating_takes_nothing_from_the_queues_and_changes_no_variable(graph, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_text("1\nx\n")
    queue = v1.train.string_input_producer([str(bad)], num_epochs=3)
    reader = v1.TextLineReader()
    value = reader.read(queue)[1]
    counter = v1.get_variable("count", [], tf.int64, v1.zeros_initializer(), use_resource=True)
    number = tf.strings.to_number(value)
    with tf.control_dependencies([counter.assign_add(1)]):
        number = tf.identity(number)
    produced = reader.num_records_produced()
    with v1.Session() as session:
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        session.run("input_producer/input_producer_EnqueueMany")
        session.run("input_producer/input_producer_EnqueueMany")
        session.run(number)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(number)
        before = session.run([queue.size(), produced, counter])
        found = locate(caught.value, number.op, session)
        assert session.run([queue.size(), produced, counter]) == before
    assert found.key == f"{bad}:2"


@pytest.mark.parametrize("reason", ["py_function", "fed"])
def test_what_cannot_be_replayed_is_not_guessed(graph, names, reason):
    value = lines(names)
    if reason == "fed":
        text = tf.strings.join([value, v1.placeholder(tf.string, [], name="extra")])
        feeds = {"extra:0": "x"}
    else:
        text = tf.numpy_function(lambda line: line + b"x", [value], tf.string)
        feeds = {}
    number = tf.strings.to_number(text)
    with v1.Session() as session:
        session.run("input_producer/input_producer_EnqueueMany")
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(number, feeds)
        assert locate(caught.value, number.op, session) is None
