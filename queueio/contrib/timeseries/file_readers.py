"""Reads time series out of files, a record for each step."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from queueio.contrib.timeseries.readers import TimeSeriesReader
from queueio.contrib.timeseries.series import TIMES, VALUES, check_columns
from queueio.stages.filenames.epochs import _count_up_to
from queueio.stages.filenames.string import string_input_producer
from queueio.stages.readers.text_line import TextLineReader
from queueio.stages.readers.tf_record import TFRecordReader

v1 = tf.compat.v1


class ReaderBaseTimeSeriesParser(TimeSeriesReader):
    """What readers of files share: the records of all files, one file after the other."""

    def __init__(self, filenames: Any, read_num_records_hint: int = 4096) -> None:
        """Takes the names of the files.

        Args:
          filenames: a string or a list of strings.
          read_num_records_hint: how many records are read at a time, at most.
        """
        self._filenames = filenames
        self._read_num_records_hint = read_num_records_hint

    @abstractmethod
    def _get_reader(self) -> Any:
        """The reader of such files."""

    @abstractmethod
    def _process_records(self, lines: Any) -> dict[str, Any]:
        """The features of records (strings [steps]), each [steps, …]."""

    def read(self) -> dict[str, Any]:
        """Some steps of one file; it ends when as many rounds through the files gave nothing."""
        queue, epochs = self._get_filename_queue(self._read_num_records_hint)
        reader = self._get_reader()
        with tf.control_dependencies([v1.assign(epochs, 0)]):
            _, records = reader.read_up_to(queue, self._read_num_records_hint)
        return self._process_records(records)

    def read_full(self) -> dict[str, Any]:
        """All steps of all files, until the first record comes again."""
        reader = self._get_reader()
        # In the second round the first record is found again; a third means that there is none.
        queue, epochs = self._get_filename_queue(2)
        with tf.control_dependencies([v1.assign(epochs, 0)]):
            first_key, first = reader.read_up_to(queue, 1)
        records = _records_until(first_key, first, reader, queue)
        with tf.control_dependencies([records]):
            reset = reader.reset()
        with tf.control_dependencies([reset]):
            return self._process_records(tf.identity(records))

    def _get_filename_queue(self, epoch_limit: int) -> tuple[Any, Any]:
        """The queue of the files, and the local variable that counts the rounds through them.

        Queue runners may start before it is initialised, so till then it does not count.
        """
        epochs = v1.Variable(
            tf.constant(0, dtype=tf.int64),
            name="epoch_limiter",
            trainable=False,
            collections=[v1.GraphKeys.LOCAL_VARIABLES],
        )
        names = tf.reshape(tf.convert_to_tensor(self._filenames), [-1])
        counted = v1.cond(
            v1.is_variable_initialized(epochs),
            lambda: _count_up_to(epochs, epoch_limit),
            lambda: tf.constant(0, dtype=tf.int64),
        )
        with tf.control_dependencies([counted]):
            names = tf.identity(names)
        return string_input_producer(names, shuffle=False, capacity=1), epochs


class CSVReader(ReaderBaseTimeSeriesParser):
    """Reads files of comma-separated values, a line for each step."""

    def __init__(
        self,
        filenames: Any,
        column_names: Sequence[str] = (TIMES, VALUES),
        column_dtypes: Sequence[Any] | None = None,
        skip_header_lines: int | None = None,
        read_num_records_hint: int = 4096,
    ) -> None:
        """Takes the files and what their columns are.

        Args:
          filenames: a string or a list of strings.
          column_names: the feature of each column; one of them is "times", and one or more
            "values". Columns of one name become one feature.
          column_dtypes: the dtype of each column; else int64 for the times and float32 for others.
          skip_header_lines: how many lines to leave out at the start of each file.
          read_num_records_hint: how many lines are read at a time, at most.

        Raises:
          ValueError: times or values are missing, times come twice, or the lengths differ.
        """
        check_columns(column_names)
        if column_dtypes is not None and len(column_dtypes) != len(column_names):
            raise ValueError(
                "If specified, the length of column_dtypes must match the length of column_names"
                f" (got column_dtypes={column_dtypes} and column_names={column_names})."
            )
        if Counter(column_names)[TIMES] != 1:
            raise ValueError(
                f"Got more than one times column ('{TIMES}'), but exactly one is required."
            )
        self._column_names, self._column_dtypes = column_names, column_dtypes
        self._skip_header_lines = skip_header_lines
        super().__init__(filenames, read_num_records_hint)

    def _get_reader(self) -> Any:
        return TextLineReader(skip_header_lines=self._skip_header_lines)

    def _process_records(self, lines: Any) -> dict[str, Any]:
        columns = v1.decode_csv(lines, self._defaults())
        lists: dict[str, list[Any]] = {}
        for name, column in zip(self._column_names, columns, strict=True):
            lists.setdefault(name, []).append(column)
        return {
            name: values[0] if name == TIMES else tf.stack(values, axis=1)
            for name, values in lists.items()
        }

    def _defaults(self) -> list[Any]:
        if self._column_dtypes is not None:
            return [(tf.zeros([], dtype),) for dtype in self._column_dtypes]
        return [(tf.zeros([], tf.int64),) if n == TIMES else () for n in self._column_names]


class TFExampleReader(ReaderBaseTimeSeriesParser):
    """Reads TFRecord files of `tf.train.Example`s, one for each step."""

    def __init__(self, filenames: Any, features: dict[str, Any]) -> None:
        """Takes the files and how an example is parsed.

        Args:
          filenames: a string or a list of strings.
          features: a `FixedLenFeature` for each feature; "times" (an integer) and "values" (a
            vector of floats) are among them.

        Raises:
          ValueError: times or values are missing.
        """
        check_columns(features)
        self._features = features
        super().__init__(filenames)

    def _get_reader(self) -> Any:
        return TFRecordReader()

    def _process_records(self, lines: Any) -> dict[str, Any]:
        parsed: dict[str, Any] = v1.parse_example(serialized=lines, features=self._features)
        return parsed


def _records_until(first_key: Any, first: Any, reader: Any, queue: Any) -> Any:
    """All records from `first` on, strings [steps], until its key is read again."""

    def is_another(key: Any, *_: Any) -> Any:
        return tf.not_equal(tf.squeeze(key, axis=0), tf.squeeze(first_key, axis=0))

    def read_one(_: Any, record: Any, count: Any, records: Any) -> Any:
        key, following = reader.read_up_to(queue, 1)
        key.set_shape([1])
        following.set_shape([1])
        return key, following, count + 1, records.write(count, record)

    empty = tf.TensorArray(dtype=tf.string, size=0, dynamic_size=True)
    *_, records = v1.while_loop(is_another, read_one, [tf.constant([""]), first, 0, empty])
    return records.concat()
