"""What goes wrong in the iterator is told as with queues: same place, same words, same file."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import settings, train
from queueio.data_engine.failure import at_begin

v1 = tf.compat.v1


def files(*names: str) -> Any:
    return train.string_input_producer(list(names), num_epochs=1, shuffle=False)


def bad_csv() -> Any:
    Path("good.csv").write_text("1,2\n3,4\n")
    Path("bad.csv").write_text("5,6\n7,oops\n9,10\n")
    with v1.name_scope("preprocess"):
        _, line = v1.TextLineReader().read(files("good.csv", "bad.csv"))
        columns = v1.decode_csv(line, [[0], [0]])
    return train.batch(columns, 2)


def csv_that_is_no_utf8() -> Any:
    Path("bad.csv").write_bytes("5,6\n7,caf\u00e9\n".encode("latin-1"))
    _, line = v1.TextLineReader().read(files("bad.csv"))
    return train.batch(v1.decode_csv(line, [[0], [0]]), 2)


def missing() -> Any:
    Path("here.txt").write_text("a\nb\n")
    _, line = v1.TextLineReader().read(files("here.txt", "gone.txt"))
    return train.batch([line], 2)


def corrupt() -> Any:
    with tf.io.TFRecordWriter("bad.tfr") as writer:
        for number in range(10):
            writer.write(b"%03d" % number)
    content = bytearray(Path("bad.tfr").read_bytes())
    content[19 * 5 + 13] ^= 0xFF
    Path("bad.tfr").write_bytes(content)
    return train.batch([v1.TFRecordReader().read(files("bad.tfr"))[1]], 2)


def in_python() -> Any:
    def fail(number: int) -> int:
        if number == 5:
            raise ValueError("a bad five")
        return number

    numbers = train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
    value = v1.py_func(fail, [numbers], tf.int32)
    value.set_shape([])
    return train.batch([value], 2)


def wrong_for_padding() -> Any:
    number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    rows = tf.reshape(tf.fill([6], number), tf.minimum(tf.stack([number + 2, number + 3]), [2, 3]))
    return train.batch([number, rows], 2, dynamic_pad=True, shapes=[[], [None, 4]])


def wrong_shape() -> Any:
    number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    return train.batch([tf.fill([tf.minimum(number + 3, 5)], number)], 2, shapes=[[3]])


def wrong_promise() -> Any:
    number = train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    rows = tf.fill([tf.minimum(number + 3, 5)], number)
    rows.set_shape([3])
    return train.shuffle_batch([rows, number], 2, 10, 2)


def image_of_another_size() -> Any:
    for name, height in (("a.png", 4), ("b.png", 4), ("c.png", 5)):
        with tf.Graph().as_default(), v1.Session() as session:
            image = tf.io.encode_png(np.zeros([height, 5, 3], np.uint8))
            Path(name).write_bytes(session.run(image))
    _, content = v1.WholeFileReader().read(files("a.png", "b.png", "c.png"))
    image = tf.io.decode_png(content, channels=3)
    image.set_shape([4, 5, 3])
    return train.batch([image], 1)


def run(build: Callable[[], Any], engine: str) -> tuple[Any, Exception | None]:
    """(what the consumer caught, what join raised)."""
    with tf.Graph().as_default(), queueio.engine(engine), v1.Session() as session:
        batch = build()
        session.run(v1.local_variables_initializer())
        coordinator = train.Coordinator()
        threads = train.start_queue_runners(session, coordinator)
        with pytest.raises(tf.errors.OutOfRangeError) as end:
            while True:
                session.run(batch)
        coordinator.request_stop()
        try:
            coordinator.join(threads)
        except Exception as error:
            return end.value, error
    return end.value, None


def ours(error: Any) -> list[str]:
    """What queueio says of an error."""
    return str(error.message).split("\nqueueio: ")[1:]


@pytest.mark.parametrize("build", [
    bad_csv, csv_that_is_no_utf8, missing, corrupt, in_python, wrong_for_padding, wrong_shape,
    wrong_promise, image_of_another_size,
])  # fmt: skip
def test_an_error_is_told_with_the_words_of_the_queue_engine(
    build: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    caught, joined = run(build, "data")
    by_queue, joined_by_queue = run(build, "queue")
    assert ours(caught) and ours(caught) == ours(by_queue)
    assert caught.__cause__ is joined and type(joined) is type(joined_by_queue)
    assert ours(joined) == ours(joined_by_queue)
    assert "test_failures.py:" in str(joined)


@pytest.mark.parametrize("build", [wrong_for_padding, wrong_shape, wrong_promise])
def test_what_a_queue_does_not_let_in_is_refused_by_plan_and_source_as_well(
    build: Callable[[], Any],
) -> None:
    plan = queueio.lift(build)
    written: dict[str, Any] = {"__name__": "written"}
    exec(str(plan.to_source()), written)
    for dataset in (plan.to_dataset(), written["input_fn"]()):
        with pytest.raises(tf.errors.InvalidArgumentError):
            list(dataset)


def leftovers() -> Any:
    numbers = train.range_input_producer(5, num_epochs=3, shuffle=False).dequeue()
    return train.batch([numbers], 4)


def leftover_records() -> Any:
    Path("some.txt").write_text("head\na\nb\nc")
    queue = train.string_input_producer(["some.txt"], num_epochs=3)
    _, line = v1.TextLineReader(skip_header_lines=1).read(queue)
    return train.shuffle_batch([line], 2, 20, 5)


@pytest.mark.parametrize(("build", "counts"), [
    (leftovers, "delivered 12, dropped 3"), (leftover_records, "delivered 8, dropped 1")
])  # fmt: skip
def test_a_natural_end_says_what_was_planned_delivered_and_dropped(
    build: Callable[[], Any], counts: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for engine in ("queue", "data"):
        caught, joined = run(build, engine)
        assert joined is None and caught.__cause__ is None
        assert "planned 3 epochs of " in str(caught) and counts in str(caught)
        assert "allow_smaller_final_batch=True" in str(caught)


def test_a_natural_end_says_nothing_of_records_that_a_file_got_after_it_was_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "grows.txt"
    path.write_text("row\n" * 8)
    with tf.Graph().as_default(), queueio.engine("data"), settings.override(small_job=0):
        _, line = v1.TextLineReader().read(files(str(path)))
        batch = train.batch([line], 4)
        with v1.Session() as session:
            session.run(v1.local_variables_initializer())
            with queueio.running(session):
                session.run(batch)
                with path.open("a") as file:
                    file.write("row\n")
                with pytest.raises(tf.errors.OutOfRangeError) as caught:
                    while True:
                        session.run(batch)
    assert "delivered 8" in str(caught.value) and "dropped" not in str(caught.value)


def partial_record() -> Any:
    Path("cut.bin").write_bytes(b"HEADER" + b"abcd" * 2 + b"xx")
    Path("short.bin").write_bytes(b"HEA")
    reader = v1.FixedLengthRecordReader(4, header_bytes=6)
    return train.batch([reader.read(files("cut.bin", "short.bin"))[1]], 2)


def cut_length() -> Any:
    with tf.io.TFRecordWriter("cut.tfr") as writer:
        for number in range(3):
            writer.write(b"%03d" % number)
    Path("cut.tfr").write_bytes(Path("cut.tfr").read_bytes()[: 19 * 2 + 5])
    return train.batch([v1.TFRecordReader().read(files("cut.tfr"))[1]], 2)


@pytest.mark.long
@pytest.mark.parametrize(("build", "told"), [(partial_record, "5 bytes in 2 files"),
                                             (cut_length, "5 bytes in 1 file")])  # fmt: skip
def test_bytes_lost_in_silence_are_told_once(
    build: Callable[[], Any], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(build, "data")
        plan = queueio.lift(build)
        list(plan.to_dataset()), list(plan.to_dataset())
    losses = [w for w in caught if issubclass(w.category, queueio.DataLossWarning)]
    assert [told in str(w.message) for w in losses] == [True, True]  # one each
    assert {Path(w.filename).name for w in losses} == {"test_failures.py"}
    assert "as if the epoch were over" not in str(losses[0].message), "tf.data reads on"


def test_bytes_lost_in_silence_are_an_error_under_strict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with settings.override(strict=True):
        caught, joined = run(cut_length, "data")
        assert isinstance(joined, tf.errors.DataLossError) and caught.__cause__ is joined
        with pytest.raises(tf.errors.DataLossError, match=r"cut\.tfr"):
            queueio.lift(cut_length).to_dataset()


def test_a_session_that_was_closed_at_the_beginning_is_no_failure_of_an_op() -> None:
    with tf.Graph().as_default():
        fills = tf.no_op("fills")
    closed = tf.errors.CancelledError(None, None, "Session has been closed.")
    assert at_begin(closed, fills) is closed
