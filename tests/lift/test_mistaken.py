"""What is given to queueio in place of tensors or sessions is told what to give."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import train


def pipeline() -> Any:
    """A batch of the smallest pipeline."""
    number = train.range_input_producer(4, shuffle=False).dequeue()
    return train.batch([number], 2, name="digits")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("train.py", "queueio explain train.py"),
        ("digit:0", "Names like it: digits"),
        ("digits:7", "no tensor of this name"),
    ],
)
def test_a_name_of_no_tensor_is_told_what_there_is(name: str, words: str) -> None:
    with tf.Graph().as_default():
        pipeline()
        with pytest.raises(KeyError, match=words):
            queueio.lift(name)


def test_a_dataset_is_told_that_there_is_nothing_to_lift() -> None:
    with pytest.raises(ValueError, match=r"is a tf\.data\.Dataset already"):
        queueio.lift(lambda: tf.data.Dataset.range(3))


def test_a_layer_in_place_of_its_batch_is_told_that_it_takes_batches() -> None:
    with pytest.raises(ValueError, match=r"cannot lift Dense .* takes batches"):
        queueio.lift(tf.keras.layers.Dense(1))


def test_a_file_that_is_no_meta_graph_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "junk.meta").write_bytes(b"\xff\x00junk" * 9)
    with pytest.raises(ValueError, match=r"cannot read .*junk\.meta.*text form of a MetaGraph"):
        queueio.lift_meta_graph(str(tmp_path / "junk.meta"), "x:0")


@pytest.mark.parametrize(
    ("fetches", "words"),
    [
        ([], "no tensor of a graph to lift"),
        (["digits:0", None], r"cannot lift None \(NoneType\)"),
        (7, r"cannot lift 7 \(int\)"),
    ],
)
def test_what_names_no_tensor_of_a_file_is_told_as_that_of_a_graph_is(
    fetches: Any, words: str, tmp_path: Path
) -> None:
    with tf.Graph().as_default():
        pipeline()
        tf.compat.v1.train.export_meta_graph(str(tmp_path / "x.meta"))
    with pytest.raises(ValueError, match=words):
        queueio.lift_meta_graph(str(tmp_path / "x.meta"), fetches)


def test_keys_of_which_some_are_no_strings_are_refused_of_a_file_too(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        pipeline()
        tf.compat.v1.train.export_meta_graph(str(tmp_path / "x.meta"))
    with pytest.raises(queueio.NotLifted, match="a dict whose keys are all strings"):
        queueio.lift_meta_graph(str(tmp_path / "x.meta"), {1: "digits:0", "one": "digits:0"})


def test_what_is_no_session_has_no_queues_to_watch() -> None:
    with pytest.raises(TypeError, match=r"cannot watch 5 \(int\).*Pass the tf\.Session"):
        queueio.watch(5)


def test_an_engine_that_does_not_exist_is_refused_where_it_is_named() -> None:
    with pytest.raises(ValueError, match="engine='fast' is not known"):
        queueio.engine("fast")


def test_an_engine_chosen_for_no_block_says_that_it_changes_nothing() -> None:
    with pytest.warns(UserWarning, match="without `with` changes nothing") as told:
        queueio.engine("data")
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with queueio.engine("queue") as chosen:
            assert chosen.engine == "queue"
        assert queueio.engine("queue")(lambda: 5)() == 5
