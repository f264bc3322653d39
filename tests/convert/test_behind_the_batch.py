"""What a program makes of its batches is told, where the written module leaves it out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

from queueio.convert.written import summary, written
from queueio.lift.pipelines import pipelines

v1 = tf.compat.v1


def lines() -> Any:
    queue = v1.train.string_input_producer(["a.csv"])
    return v1.train.batch(list(v1.TextLineReader().read(queue)), 8)


def numbers() -> Any:
    row = v1.train.input_producer(tf.ones([10, 3]), shuffle=False).dequeue()
    return v1.train.batch([row], 5)


def model(x: Any) -> Any:
    """What training needs: variables, a loss, gradients, summaries."""
    weights = v1.get_variable("weights", [3, 2])
    loss = tf.reduce_sum(tf.square(tf.matmul(x, weights)))
    v1.summary.scalar("loss", loss)
    return v1.train.GradientDescentOptimizer(0.1).minimize(loss)


def decodes_rows() -> None:
    _, line = lines()
    model(tf.stack(v1.decode_csv(line, [[0.0]] * 3), 1))


def parses_protos() -> None:
    _, record = lines()
    model(v1.parse_example(record, {"x": tf.io.FixedLenFeature([3], tf.float32)})["x"])


def scales() -> None:
    model(numbers() * 0.5 - 1.0)


def looks_up_in_a_python_function() -> None:
    x = v1.py_func(lambda rows: rows, [numbers()], tf.float32)
    x.set_shape([5, 3])
    model(tf.nn.relu(x))


def augments() -> None:
    x = numbers()
    model(x + tf.random.normal(tf.shape(x)))


def fetches_what_it_made() -> None:
    tf.strings.length(lines()[1])


def nothing() -> None:
    model(numbers())


def nothing_but_a_name() -> None:
    model(tf.identity(numbers(), name="x"))


def told(build: Callable[[], None]) -> Any:
    with tf.Graph().as_default() as graph, v1.variable_scope("", use_resource=True):
        build()
        (found,) = written(pipelines(graph), style="plain", title="train.py")
    return found


LEFT = {
    decodes_rows: "DecodeCSV", parses_protos: "ParseExampleV2", scales: "Mul, Sub",
    augments: "Add", looks_up_in_a_python_function: "PyFunc", fetches_what_it_made: "StringLength",
}  # fmt: skip


@pytest.mark.parametrize("build", LEFT, ids=lambda build: build.__name__)
def test_ops_behind_the_batch_are_named_with_their_line(build: Any) -> None:
    found = told(build)
    (note,) = [n for n in found.module.notes if n.startswith("Not in this module")]
    assert LEFT[build] in note and "(test_behind_the_batch.py:" in note
    assert "MatMul" not in note and "Square" not in note, "these are the model's"
    assert any("Not in this module" in line for line in summary(found, None))
    assert "the training step" not in found.module.text


def draws_and_divides() -> None:
    record = v1.FixedLengthRecordReader(record_bytes=7).read(
        v1.train.string_input_producer(["cut.bin"], shuffle=False)
    )[1]
    pixels = tf.cast(tf.reshape(tf.io.decode_raw(record, tf.uint8), [7]), tf.float32)
    noisy = pixels / 255.0 - 0.1 - 0.3 + tf.random.uniform([7])
    model(v1.train.shuffle_batch([noisy], 4, 100, 50)[:, :3] * 2.0)


@pytest.mark.parametrize("build", [draws_and_divides, *LEFT], ids=lambda build: build.__name__)
def test_the_notes_printed_are_all_that_the_module_says_above_its_steps(build: Any) -> None:
    found = told(build)
    printed = [line.removeprefix("  note: ") for line in summary(found, None) if "note: " in line]
    steps = found.module.text.partition("def input_fn")[2].splitlines()
    above = [line.strip().removeprefix("# ") for line in steps if line.strip().startswith("#")]
    said = [line for line in above if not line.startswith("test_behind_the_batch.py:")]
    assert len(said) > 1 and " ".join(said) == " ".join(printed)


@pytest.mark.parametrize("build", [nothing, nothing_but_a_name], ids=lambda b: b.__name__)
def test_where_nothing_is_left_nothing_is_said(build: Any) -> None:
    found = told(build)
    assert "Not in this module" not in found.module.text
    assert "as the training step took them" in found.module.text
