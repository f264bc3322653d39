"""A module says where its last bits are not those of the queues, and by how much at most."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from tests.processes import python

v1 = tf.compat.v1
ROWS = np.random.RandomState(0).uniform(0, 256, (8, 6)).astype(np.float32)
STYLES = ("plain", "fast")


def said(build: Callable[[], Any], style: str = "plain") -> str:
    """What the notes of a pipeline's module say of last bits."""
    with tf.Graph().as_default():
        plan = queueio.lift(build())
        module = plan.to_source(style=style)
    return " ".join(note for note in module.notes if "last bits" in note)


def row() -> Any:
    return v1.train.slice_input_producer([ROWS], num_epochs=1, shuffle=False)[0]


def record() -> Any:
    reader = v1.FixedLengthRecordReader(record_bytes=7)
    return reader.read(v1.train.string_input_producer(["cut.bin"], shuffle=False))[1]


def scaled(x: Any) -> Any:
    """A session adds the two constants first."""
    return x / 255.0 - 0.1 - 0.3


def largest(text: str, name: str) -> tuple[float, float]:
    found = re.search(rf"{name} (\S+) \(relative\), (\S+) \(absolute\)", text)
    assert found, text
    return float(found[1]), float(found[2])


@pytest.mark.parametrize("style", STYLES)
def test_a_note_names_what_differs_and_by_how_much(style: str) -> None:
    def build() -> Any:
        given = record()
        bytes_ = tf.io.decode_raw(given, tf.uint8)
        image = scaled(tf.cast(tf.reshape(bytes_[1:], [2, 3]), tf.float32))
        return v1.train.batch({"image": image, "label": bytes_[0]}, 4)

    text = said(build, style)
    relative, absolute = largest(text, "image")
    assert 1e-9 < relative < 1e-5 and 1e-9 < absolute < 1e-6
    assert "label" not in text


@pytest.mark.parametrize("style", STYLES)
def test_ops_that_a_session_leaves_as_they_are_have_no_note(style: str) -> None:
    made = lambda: v1.train.batch([row() * 2.5 - 0.3, tf.exp(row())], 4)  # noqa: E731
    assert said(made, style) == ""


@pytest.mark.parametrize("style", STYLES)
def test_a_division_that_is_written_as_a_session_computes_it_has_no_note(style: str) -> None:
    assert said(lambda: v1.train.batch([row() / 255.0], 4), style) == ""


def test_numbers_of_bfloat16_are_compared_as_numbers() -> None:
    numbers = np.array([1.0, np.nan, -0.0, 3.0, 0.5, 7.0], tf.bfloat16.as_numpy_dtype)
    assert said(lambda: v1.train.batch([tf.cast(row(), tf.bfloat16) * numbers], 4)) == ""


@pytest.mark.long
def test_two_ways_that_a_random_number_chooses_from_are_measured_one_by_one() -> None:
    def build() -> Any:
        x = row()
        image = v1.cond(v1.random_uniform([]) < 0.5, lambda: scaled(x), lambda: x * 2.0)
        return v1.train.batch({"image": image}, 4)

    _, absolute = largest(said(build), "image")
    assert absolute < 1e-5, "not the difference of one way from the other"


def test_what_stands_in_a_function_is_measured_in_a_session() -> None:
    def build() -> Any:
        return v1.train.batch({"image": tf.function(scaled)(row())}, 4)

    assert largest(said(build), "image") > (0, 0)


def test_a_number_that_is_rounded_may_differ_by_a_whole_step() -> None:
    def build() -> Any:
        return v1.train.batch([tf.cast(scaled(row()) * 1e-6, tf.int32)], 4)

    text = said(build)
    assert "may differ by a whole step" in text and "(relative)" not in text


def test_what_cannot_be_tried_is_said_not_to_be_measured() -> None:
    def build() -> Any:
        made = scaled(tf.io.parse_tensor(record(), tf.float32))  # of any rank
        return v1.train.batch([tf.ensure_shape(made, [2])], 4)

    assert "may differ; by how much was not measured" in said(build)


def test_a_loop_that_ends_only_on_numbers_of_the_data_is_not_tried() -> None:
    def build() -> Any:
        (end,) = tf.while_loop(lambda x: tf.reduce_max(x) > 1, lambda x: [scaled(x)], [row()])
        return v1.train.batch([end], 4)

    assert "may differ; by how much was not measured" in said(build)


def test_the_measure_is_the_same_each_time() -> None:
    def build() -> Any:
        return v1.train.batch([scaled(row())], 4)

    assert said(build) == said(build) != ""


SCRIPT = """
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rows = np.arange(60, dtype=np.float32).reshape(10, 6)
(row,) = tf.train.slice_input_producer([rows], num_epochs=1, shuffle=False)
image = row / 255.0 - 0.1 - 0.3
batch = tf.train.batch([image], 5)
with tf.train.MonitoredSession() as session:
    print(session.run(batch).shape)
"""


def test_convert_prints_the_note(tmp_path: Path) -> None:
    (tmp_path / "scale.py").write_text(SCRIPT)
    done = python("-m", "queueio", "convert", "scale.py", cwd=tmp_path, timeout=200)
    assert done.returncode == 0, done.stderr[-2000:]
    (line,) = [line for line in done.stdout.splitlines() if "last bits differ" in line]
    assert line.strip().startswith("note: ")
    assert largest(line, "image")[0] < 1e-3
