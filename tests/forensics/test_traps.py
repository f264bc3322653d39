"""Mistakes known while building are refused with TF1's exception type and the right line."""

from __future__ import annotations

import ast
import re

import numpy as np
import pytest
import tensorflow as tf

from queueio import io, train
from queueio.forensics.traps import check_names, check_read, check_shapes

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.mark.parametrize("names", [[], (), np.array([], object)], ids=repr)
def test_an_empty_list_of_names_is_refused(names):
    with pytest.raises(ValueError, match="requires a non-null input tensor") as caught:
        check_names(names)
    assert "working directory" in str(caught.value)


@pytest.mark.parametrize("make", [str, tf.constant, np.array], ids=["str", "tensor", "array"])
def test_one_name_is_refused_and_put_into_a_list(make):
    with pytest.raises(ValueError, match="rank at least 1") as caught:
        check_names(make("train.csv"))
    assert "right: string_input_producer(['train.csv'])" in str(caught.value)


def test_one_pattern_is_refused_and_expanded():
    with pytest.raises(ValueError, match="rank at least 1") as caught:
        check_names("data/*.csv")
    assert "match_filenames_once('data/*.csv')" in str(caught.value)


@pytest.mark.parametrize(
    "names", [{"a"}, (n for n in "ab"), map(str, "ab")], ids=["set", "gen", "map"]
)
def test_an_iterable_that_is_no_list_is_a_type_error(names):
    with pytest.raises(TypeError, match="Expected string"):
        check_names(names)


def test_none_is_not_said_to_be_an_empty_list():
    with pytest.raises(ValueError, match=r"requires a non-null input tensor, but .* None"):
        check_names(None)


@pytest.mark.parametrize("names", [5, 2.5, object()], ids=["int", "float", "object"])
def test_what_is_no_iterable_is_not_told_to_be_sorted(names):
    with pytest.raises(TypeError, match=rf"Expected string .* {type(names).__name__!r}") as caught:
        check_names(names)
    assert "sorted" not in str(caught.value)


def test_none_among_the_names_is_a_type_error_that_says_where():
    with pytest.raises(TypeError, match="None as name 1 of 2"):
        check_names(["a", None])


@pytest.mark.parametrize(
    "make",
    [
        lambda: ["a"],
        lambda: ("a", "b"),
        lambda: np.array(["a"]),
        lambda: tf.constant(["a"]),
        lambda: v1.placeholder(tf.string),
        lambda: v1.placeholder(tf.string, [None]),
    ],
)
def test_lists_arrays_and_tensors_of_names_pass(make):
    check_names(make())


def read(names, reader=v1.TextLineReader):
    key, _ = reader().read(v1.train.string_input_producer(names))
    return key.op


def test_a_pattern_in_the_list_is_refused_with_its_matches_counted(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.csv").touch()
    pattern = str(tmp_path / "*.csv")
    with pytest.raises(ValueError, match="2 files match it") as caught:
        check_read(read([pattern]))
    assert "test_traps.py" in str(caught.value)
    assert f"right: string_input_producer(tf.train.match_filenames_once({pattern!r}))" in str(
        caught.value
    )


def test_names_that_only_look_like_patterns_pass(tmp_path):
    odd = tmp_path / "is it a *.csv"
    odd.touch()
    check_read(
        read([str(odd), str(tmp_path / "image[1].png"), "gs://bucket/a*.csv", "missing.csv"])
    )


def test_strings_that_are_no_file_names_pass():
    read(["how are you?"], io.IdentityReader)
    with pytest.raises(ValueError, match="is a pattern"):
        read(["how are you?"], io.TextLineReader)


def test_names_that_are_known_only_at_run_time_pass():
    check_read(read(v1.placeholder(tf.string, [None])))


def test_an_undefined_shape_names_the_tensor_its_line_and_three_ways_out():
    image = tf.io.decode_jpeg(v1.placeholder(tf.string, []), channels=3, name="picture")
    label = tf.constant(1)
    with pytest.raises(ValueError, match="All shapes must be fully defined") as caught:
        check_shapes([label, image], [[], [None, None, 3]], "batch")
    text = str(caught.value)
    for fact in ("component 1", "picture:0", "[None, None, 3]", "DecodeJpeg", "test_traps.py:"):
        assert fact in text
    for way in ("set_shape([64, 64, 3])", "dynamic_pad=True", "tf.image.resize"):
        assert way in text


def test_the_size_to_set_is_made_of_numbers_under_v1_behaviour_too(v1_behaviour):
    image = tf.io.decode_jpeg(v1.placeholder(tf.string, []))
    with pytest.raises(ValueError, match=re.escape("set_shape([64, 64, 3])")):
        check_shapes([image], [image.shape], "batch")


def test_shuffle_batch_is_not_told_to_pad_by_itself():
    line = v1.placeholder(tf.int64, [None])
    with pytest.raises(ValueError, match="shuffle queue cannot"):
        check_shapes([line], [[None]], "shuffle_batch")


@pytest.mark.parametrize(
    ("call", "given", "right"),
    [
        (lambda image: train.batch(image, 2), "image", "batch([image], ...)"),
        (lambda image: train.shuffle_batch(image, 2, 9, 3), "image", "shuffle_batch([image], ...)"),
        (lambda image: train.batch_join([image], 2), "[image]", "batch_join([[image]], ...)"),
        (train.slice_input_producer, "image", "slice_input_producer([image], ...)"),
    ],
    ids=["batch", "shuffle_batch", "batch_join", "slice_input_producer"],
)
def test_one_tensor_where_a_list_is_wanted_gets_the_line_with_a_list(call, given, right):
    image = v1.placeholder(tf.float32, [2], name="picture")
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="picture:0") as caught:
        call(image)
    assert f"({given}, ...)" in str(caught.value) and f"right: {right}" in str(caught.value)


@pytest.mark.parametrize(
    ("tensors", "says"),
    [
        (["a.csv", "b.csv"], "slice index 0 of dimension 0 out of bounds: tensor 0, b'a.csv'"),
        ([[1, 2], 3], "Shape must be at least rank 1 but is rank 0: tensor 1, 3"),
    ],
)
def test_a_scalar_has_no_rows_and_the_list_around_the_names_is_shown(tensors, says):
    with pytest.raises(ValueError, match=re.escape(says)) as caught:
        train.slice_input_producer(tensors)
    assert "right: slice_input_producer([names])" in str(caught.value)
    assert len(train.slice_input_producer([["a.csv", "b.csv"]])) == 1


@pytest.mark.parametrize("shape", [None, [None, None], [None, None, 3]], ids=repr)
def test_the_shape_of_a_row_that_is_shown_fits_the_tensor(shape):
    rows = v1.placeholder(tf.float32, shape)
    with pytest.raises(ValueError, match="element_shape") as caught:
        train.input_producer(rows)
    told = re.search(r"right: input_producer\(tensor, element_shape=(\[.*\])\)", str(caught.value))
    train.input_producer(rows, element_shape=ast.literal_eval(told[1]))


def test_defined_shapes_pass():
    check_shapes([tf.constant(1)], [[]])


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("capacity", "min_after_dequeue", "size"), [(6, 3, 5), (4, 3, 3), (7, 3, 9)]
)
def test_batches_larger_than_the_room_do_not_hang(capacity, min_after_dequeue, size):
    """So they are not refused: the dequeue takes elements as the producers put them in."""
    batch = v1.train.shuffle_batch([tf.constant(1)], size, capacity, min_after_dequeue)
    with v1.Session() as session:
        coordinator = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        for _ in range(3):
            assert session.run(batch).shape == (size,)
        coordinator.request_stop()
        coordinator.join(threads)
