"""Time series, whole and in windows: tf.contrib.timeseries."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio import settings, train
from queueio.contrib import timeseries
from queueio.contrib.timeseries import CSVReader, NumpyReader, TFExampleReader
from queueio.errors import FallbackWarning

v1 = tf.compat.v1


def lines(path: Path, steps: range) -> str:
    path.write_text("".join(f"{n},{n / 2},{n * n}\n" for n in steps))
    return str(path)


def examples(path: Path, steps: range) -> str:
    with tf.io.TFRecordWriter(str(path)) as writer:
        for n in steps:
            times = tf.train.Feature(int64_list=tf.train.Int64List(value=[n]))
            values = tf.train.Feature(float_list=tf.train.FloatList(value=[n / 2, n * n]))
            features = tf.train.Features(feature={"times": times, "values": values})
            writer.write(tf.train.Example(features=features).SerializeToString())
    return str(path)


def reader_of(kind: str, folder: Path, steps: range) -> Any:
    """A reader of `steps`, whose values are their halves and their squares."""
    if kind == "numpy":
        values = [[n / 2, n * n] for n in steps]
        return NumpyReader({"times": list(steps), "values": values}, read_num_records_hint=7)
    if kind == "csv":
        columns = ("times", "values", "values")
        half = len(steps) // 2
        files = [lines(folder / "1", steps[:half]), lines(folder / "2", steps[half:])]
        return CSVReader(files, columns, read_num_records_hint=7)
    parsed = {
        "times": tf.io.FixedLenFeature([], tf.int64),
        "values": tf.io.FixedLenFeature([2], tf.float32),
    }
    return TFExampleReader(examples(folder / "1", steps), parsed)


def drawn(input_fn: Any, count: int = 1, pause: float = 0.0) -> list[Any]:
    """The features of some batches, with seconds before each of them."""
    with tf.Graph().as_default():
        features, target = input_fn()
        assert target is None
        config = v1.ConfigProto(operation_timeout_in_ms=20_000)
        with v1.Session(config=config) as session:
            session.run(v1.local_variables_initializer())
            coord = train.Coordinator()
            threads = train.start_queue_runners(session, coord)
            try:
                return [(time.sleep(pause), session.run(features))[1] for _ in range(count)]
            finally:
                coord.request_stop()
                coord.join(threads, stop_grace_period_secs=20)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["numpy", "csv", "example"])
def test_a_whole_series_comes_in_its_order_each_time(kind: str, tmp_path: Path) -> None:
    reader = reader_of(kind, tmp_path, range(3, 13))
    # As in TF1, a producer that counts an epoch only after the next draw has begun ends the input.
    for draw, features in enumerate(drawn(timeseries.WholeDatasetInputFn(reader), 3, pause=1.0)):
        times = np.arange(3, 13)
        if kind == "csv" and draw == 1:  # of two files, the next draw begins with the other one
            times = np.roll(times, 5)
        assert features["times"].tolist() == [times.tolist()]
        assert features["times"].dtype == np.int64
        assert (features["values"] == np.stack([times / 2, times * times], 1)[None]).all()


@pytest.mark.parametrize("kind", ["numpy", "csv", "example"])
@pytest.mark.parametrize("jitter", [True, False])
@pytest.mark.parametrize("threads", [1, 2])
def test_windows_hold_steps_that_follow_one_another(
    kind: str, jitter: bool, threads: int, tmp_path: Path
) -> None:
    reader = reader_of(kind, tmp_path, range(30))
    input_fn = timeseries.RandomWindowInputFn(reader, 4, 5, jitter=jitter, num_threads=threads)
    got = drawn(input_fn, 20)
    firsts = {int(times[0]) for features in got for times in features["times"]}
    assert len(firsts) > 3, "not always the same windows"
    for features in got:
        assert features["times"].shape == (5, 4)
        steps = np.diff(features["times"], axis=1)
        # Two threads may pass each other between reading and enqueueing, in TF1 as well.
        assert (steps == 1).all() if threads == 1 else (steps >= 0).all()
        assert (features["values"][..., 0] == features["times"] / 2).all()
        assert (features["values"][..., 1] == features["times"] ** 2).all()


def test_windows_across_the_end_are_sorted_where_they_are_not_dropped() -> None:
    reader = NumpyReader({"times": [1, 2, 3], "values": [10.0, 20.0, 30.0]})
    input_fn = timeseries.RandomWindowInputFn(
        reader, 2, 3, discard_out_of_order=False, num_threads=1
    )
    got = drawn(input_fn, 10)
    windows = {tuple(times.tolist()) for features in got for times in features["times"]}
    assert windows == {(1, 2), (1, 3), (2, 3)}
    for features in got:
        assert (features["values"][..., 0] == 10 * features["times"]).all()


def test_a_header_is_skipped_and_columns_have_the_dtypes_that_they_are_given(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.csv").write_text("time,value,name\n1,2.5,one\n2,3.5,two\n")
    reader = CSVReader(
        str(tmp_path / "a.csv"),
        ("times", "values", "name"),
        [tf.int32, tf.float64, tf.string],
        skip_header_lines=1,
    )
    (features,) = drawn(timeseries.WholeDatasetInputFn(reader))
    assert features["times"].dtype == np.int32
    assert features["values"].dtype == np.float64
    assert features["name"].tolist() == [[[b"one"], [b"two"]]]


def test_a_series_shorter_than_a_window_is_refused_or_ends(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="size 6, but only 5 records were available"):
        timeseries.RandomWindowInputFn(reader_of("numpy", tmp_path, range(5)), 6, 2)
    input_fn = timeseries.RandomWindowInputFn(
        reader_of("csv", tmp_path, range(5)), 6, 2, discard_consecutive_batches_limit=3
    )
    with pytest.raises(tf.errors.OutOfRangeError):
        drawn(input_fn)


@pytest.mark.filterwarnings("ignore::queueio.DataLossWarning")  # says that the files are empty
@pytest.mark.parametrize("make", [timeseries.WholeDatasetInputFn, None])
def test_files_without_a_record_end_instead_of_being_read_for_ever(
    make: Any, tmp_path: Path
) -> None:
    reader = reader_of("csv", tmp_path, range(0))
    input_fn = make(reader) if make else timeseries.RandomWindowInputFn(reader, 2, 2)
    with pytest.raises(tf.errors.OutOfRangeError):
        drawn(input_fn)


def test_the_data_engine_leaves_series_to_the_queues_and_says_why(tmp_path: Path) -> None:
    windows = timeseries.RandomWindowInputFn(reader_of("csv", tmp_path, range(9)), 3, 2)
    with queueio.engine("data"), pytest.warns(FallbackWarning) as caught:
        (features,) = drawn(windows)
    assert (np.diff(features["times"], axis=1) > 0).all()
    said = [str(warning.message) for warning in caught]
    assert any("discarded_windows_limiter" in text for text in said)
    assert all("test_timeseries.py" in text for text in said)
    strict = settings.override(engine="data", strict=True)
    with strict, pytest.raises(queueio.NotLifted, match="AssignVariableOp"):
        drawn(windows)


def test_the_module_of_old_has_all_of_it() -> None:
    module = timeseries.python.timeseries.input_pipeline
    assert module.CSVReader is CSVReader
    assert timeseries.input_pipeline.RandomWindowInputFn is timeseries.RandomWindowInputFn
    assert timeseries.TrainEvalFeatures.VALUES == "values"
    with pytest.raises(AttributeError, match=r"contrib\.timeseries\.ARRegressor"):
        _ = timeseries.ARRegressor
