"""tf.contrib.timeseries: whole series, and windows where only one is in order."""

from __future__ import annotations

from typing import Any

from pipelines.registry import pipeline

SERIES = {"times": [2, 3, 5], "values": [0.5, 1.5, 2.5], "more": [[1, 2], [3, 4], [5, 6]]}
FLOWERS = {
    "filenames": ["data/flowers-0.csv", "data/flowers-1.csv"],
    "column_names": ("times", "values", "kind"),
    "skip_header_lines": 1,
}


@pipeline(steps=2)
def timeseries_of_arrays_whole(tf: Any) -> Any:
    reader = tf.contrib.timeseries.NumpyReader(SERIES)
    return tf.contrib.timeseries.WholeDatasetInputFn(reader)()[0]


@pipeline(steps=2, pause=1.0)  # else it may count the step's epochs twice
def timeseries_of_a_file_whole(tf: Any) -> Any:
    reader = tf.contrib.timeseries.CSVReader("data/header.csv", skip_header_lines=1)
    return tf.contrib.timeseries.WholeDatasetInputFn(reader)()[0]


@pipeline(steps=2, pause=1.0)  # else it may count the step's epochs twice
def timeseries_of_two_files_whole(tf: Any) -> Any:
    dtypes = [tf.float32, tf.float64, tf.string]
    reader = tf.contrib.timeseries.CSVReader(column_dtypes=dtypes, **FLOWERS)
    return tf.contrib.timeseries.WholeDatasetInputFn(reader)()[0]


@pipeline()
def timeseries_of_no_records_whole(tf: Any) -> Any:
    reader = tf.contrib.timeseries.CSVReader("data/header.csv", skip_header_lines=3)
    return tf.contrib.timeseries.WholeDatasetInputFn(reader)()[0]


@pipeline(steps=4)
def timeseries_windows_of_arrays(tf: Any) -> Any:
    reader = tf.contrib.timeseries.NumpyReader(SERIES)
    return tf.contrib.timeseries.RandomWindowInputFn(
        reader, window_size=3, batch_size=2, num_threads=1
    )()[0]


@pipeline(steps=3)
def timeseries_windows_of_a_file(tf: Any) -> Any:
    reader = tf.contrib.timeseries.CSVReader(
        "data/header.csv", skip_header_lines=1, read_num_records_hint=5
    )
    return tf.contrib.timeseries.RandomWindowInputFn(
        reader,
        window_size=2,
        batch_size=3,
        queue_capacity_multiplier=4,
        shuffle_min_after_dequeue_multiplier=1,
        jitter=False,
        num_threads=None,
        shuffle_seed=7,
    )()[0]


@pipeline()
def timeseries_windows_that_no_file_fills(tf: Any) -> Any:
    reader = tf.contrib.timeseries.CSVReader("data/header.csv", skip_header_lines=1)
    return tf.contrib.timeseries.RandomWindowInputFn(
        reader, window_size=3, batch_size=2, discard_consecutive_batches_limit=5
    )()[0]


@pipeline()
def refuse_timeseries_windows_longer_than_the_series(tf: Any) -> Any:
    reader = tf.contrib.timeseries.NumpyReader(SERIES)
    return tf.contrib.timeseries.RandomWindowInputFn(reader, window_size=4, batch_size=2)


@pipeline()
def refuse_timeseries_without_times(tf: Any) -> Any:
    return tf.contrib.timeseries.NumpyReader({"values": [1.0]})


@pipeline()
def refuse_timeseries_of_unequal_arrays(tf: Any) -> Any:
    return tf.contrib.timeseries.NumpyReader({"times": [1, 2], "values": [1.0]})


@pipeline()
def refuse_timeseries_of_several_series(tf: Any) -> Any:
    return tf.contrib.timeseries.NumpyReader({"times": [[1], [2]], "values": [[1.0], [2.0]]})


@pipeline()
def refuse_timeseries_of_matrices(tf: Any) -> Any:
    return tf.contrib.timeseries.NumpyReader({"times": [1], "values": [[[1.0]]]})


@pipeline()
def refuse_timeseries_columns_without_values(tf: Any) -> Any:
    return tf.contrib.timeseries.CSVReader("data/header.csv", ("times", "y"))


@pipeline()
def refuse_timeseries_columns_with_two_times(tf: Any) -> Any:
    return tf.contrib.timeseries.CSVReader("data/header.csv", ("times", "times", "values"))


@pipeline()
def refuse_timeseries_columns_of_fewer_dtypes(tf: Any) -> Any:
    return tf.contrib.timeseries.CSVReader("data/header.csv", column_dtypes=[tf.int64])
