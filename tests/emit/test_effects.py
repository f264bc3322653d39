"""What reads the world is written as the op that reads; what has an effect has it, or is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio.errors import NotLifted
from tests.loading import loaded

v1 = tf.compat.v1
_SECRET = b"what only this machine knows"


def numbers(count: int = 4) -> Any:
    return v1.train.range_input_producer(count, num_epochs=1, shuffle=False).dequeue()


def written(build: Callable[[], Any], folder: Path, style: str = "plain") -> tuple[str, Any]:
    """The source of a pipeline, and its input_fn."""
    with tf.Graph().as_default():
        module = queueio.lift(build()).to_source(style=style)
    path = folder / "written.py"
    module.write(path)
    return str(module), loaded(path).input_fn


def _beside(name: str) -> Any:
    return [tf.io.read_file(name), numbers()]


def _names_in(name: str) -> Any:
    names = v1.string_split([tf.io.read_file(name)], "\n").values
    return [v1.train.input_producer(names, num_epochs=1, shuffle=False).dequeue()]


def _matched(name: str) -> Any:
    found = tf.io.matching_files(f"{name}*")
    return [tf.io.read_file(found[0]), numbers()]


def _variable(name: str) -> Any:
    return [v1.get_variable("held", initializer=tf.io.read_file(name)), numbers()]


@pytest.mark.parametrize("build", [_beside, _names_in, _matched, _variable])
def test_the_content_of_a_file_is_not_in_the_source(
    build: Callable[[str], Any], tmp_path: Path
) -> None:
    file = tmp_path / "secret.txt"
    file.write_bytes(_SECRET)
    text, input_fn = written(lambda: v1.train.batch(build(str(file)), 1), tmp_path)
    assert _SECRET.decode() not in text and not list(tmp_path.glob("*.npz"))
    file.write_bytes(b"tomorrow")
    given = {"held": "told"} if build is _variable else {}
    first = next(input_fn(**given).as_numpy_iterator())
    assert tf.nest.flatten(first)[0][0] == (b"told" if given else b"tomorrow")


def test_a_file_that_the_graph_writes_is_written(tmp_path: Path) -> None:
    def build() -> Any:
        n = numbers()
        name = tf.strings.join([str(tmp_path), "/out-", tf.strings.as_string(n)])
        with tf.control_dependencies([tf.io.write_file(name, tf.strings.as_string(n * 2))]):
            n = tf.identity(n)
        return v1.train.batch([n], 1)

    text, input_fn = written(build, tmp_path)
    assert "tf.io.write_file(" in text
    assert [int(n[0]) for n in input_fn().as_numpy_iterator()] == [0, 1, 2, 3]
    assert [(tmp_path / f"out-{n}").read_text() for n in range(4)] == ["0", "2", "4", "6"]


@pytest.mark.parametrize("used", [True, False])
def test_a_print_prints(used: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def build() -> Any:
        n = numbers()
        printed = v1.Print(n, [n], "number is ")
        with tf.control_dependencies([] if used else [printed]):
            n = printed if used else tf.identity(n)
        return v1.train.batch([n], 1)

    text, input_fn = written(build, tmp_path)
    assert text.count("message=") == 1
    capfd.readouterr()
    assert len(list(input_fn())) == 4
    assert capfd.readouterr().err.count("number is ") == 4


def test_an_effect_in_a_condition_is_written_or_named(tmp_path: Path) -> None:
    def build() -> Any:
        n = numbers()

        def yes() -> Any:
            with tf.control_dependencies([tf.io.write_file(str(tmp_path / "seen"), "x")]):
                return tf.identity(n)

        return v1.train.batch([v1.cond(n > 2, yes, lambda: n)], 1)

    text, input_fn = written(build, tmp_path)
    list(input_fn())
    assert (tmp_path / "seen").exists() or "NOT written, though it writes" in text


def test_a_read_that_waits_for_an_effect_is_refused(tmp_path: Path) -> None:
    def build() -> Any:
        n = numbers()
        name = str(tmp_path / "both")
        with tf.control_dependencies([tf.io.write_file(name, tf.strings.as_string(n))]):
            content = tf.io.read_file(name)
        return v1.train.batch([content], 1)

    with pytest.raises(NotLifted, match=r"waits for 'WriteFile' \(WriteFile\)"):
        written(build, tmp_path)


def _small(x: Any) -> Any:
    return v1.assert_less(x, 3, message="not small")


def _said(x: Any) -> Any:
    return v1.Assert(x < 3, ["not small", x])


def _whole(x: Any) -> Any:
    return v1.assert_equal(tf.strings.length(tf.as_string(x + 7)), 1, message="not small")


def _finite(x: Any) -> Any:
    numbers = tf.where(x < 3, 0.0, float("nan"))
    return v1.verify_tensor_all_finite(numbers, "not small").op.control_inputs[0]


@pytest.mark.parametrize("style", ["plain", "fast"])
@pytest.mark.parametrize("check", [_small, _said, _whole, _finite])
def test_an_assertion_stops_the_written_code_where_it_stopped_the_queues(
    check: Callable[[Any], Any], style: str, tmp_path: Path
) -> None:
    def build() -> Any:
        line = v1.train.input_producer(
            tf.constant([f"{n},{n}" for n in range(6)]), num_epochs=1, shuffle=False
        ).dequeue()
        first, second = v1.decode_csv(line, [[0], [0]])
        with tf.control_dependencies([check(first)]):
            second = tf.identity(second)
        return v1.train.batch([second, first], 1)

    _, input_fn = written(build, tmp_path, style)
    found = []
    with pytest.raises(tf.errors.InvalidArgumentError, match="not small"):
        for second, _ in input_fn():
            found += second.numpy().tolist()
    assert found == [0, 1, 2]


def test_a_check_that_cannot_fail_keeps_nothing_out_of_a_batch(tmp_path: Path) -> None:
    def build() -> Any:
        line = v1.train.input_producer(tf.constant(["1,2"]), num_epochs=1).dequeue()
        columns = tf.stack(v1.decode_csv(line, [[0], [0]]))
        with tf.control_dependencies([v1.Assert(tf.reduce_all(tf.shape(columns) >= 2), ["few"])]):
            columns = columns + 1
        return v1.train.batch([columns], 1)

    text, input_fn = written(build, tmp_path, "fast")
    assert text.index(".batch(") < text.index(".map(")
    assert [batch.numpy().tolist() for batch in input_fn()] == [[[2, 3]]]


@pytest.mark.parametrize("changed", [False, True], ids=["as it came", "changed"])
def test_a_parser_whose_columns_nobody_takes_is_named(changed: bool, tmp_path: Path) -> None:
    # The queues failed on such a line in any case, for there it was parsed.
    (tmp_path / "a.csv").write_text("1\nx\n3\n")

    def build(*, wanted: int = 0) -> Any:
        names = v1.train.string_input_producer([str(tmp_path / "a.csv")], num_epochs=1)
        _, line = v1.TextLineReader().read(names)
        (number,) = v1.decode_csv(line, [[0]])
        text = tf.strings.join([line, "!"]) if changed else line
        return v1.train.batch([number, text], 1)[wanted]

    module = " ".join(str(queueio.lift(lambda: build(wanted=1)).to_source()).split())
    assert "NOT written, as nothing takes what it gives: DecodeCSV of" in module
    assert "NOT written" not in str(queueio.lift(build).to_source())


def test_a_check_within_a_branch_is_written_with_what_it_looks_at_and_not_called_left_out(
    tmp_path: Path,
) -> None:
    # `b` enters for the check alone; tf.image's flips check so where the size is not known.
    def build() -> Any:
        rows = [np.arange(4, dtype=np.float32), np.array([0, 5, 9, 1])]
        a, b = v1.train.slice_input_producer(rows, num_epochs=1, shuffle=False)

        def doubled() -> Any:
            with tf.control_dependencies([v1.assert_less(b, np.int64(9))]):
                return a * 2

        return v1.train.batch([v1.cond(tf.equal(a % 2, 0), doubled, lambda: a)], 1)

    v1.disable_control_flow_v2()
    try:
        text, input_fn = written(build, tmp_path)
    finally:
        v1.enable_control_flow_v2()
    assert "Assert(" in text and "NOT written" not in text
    batches = iter(input_fn())
    assert [next(batches).numpy().tolist() for _ in range(2)] == [[0.0], [1.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="did not hold element-wise"):
        next(batches)
