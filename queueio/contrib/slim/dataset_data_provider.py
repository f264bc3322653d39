"""Reads a dataset's files and hands out the items of each record.

Legacy:
    data = tf.contrib.slim.tfexample_decoder
    decoder = data.TFExampleDecoder(
        {"x": tf.FixedLenFeature([], tf.int64)}, {"number": data.Tensor("x")})
    dataset = tf.contrib.slim.dataset.Dataset(
        "a.examples", tf.TFRecordReader, decoder, num_samples=2, items_to_descriptions={})
    provider = tf.contrib.slim.dataset_data_provider.DatasetDataProvider(
        dataset, num_epochs=1, common_queue_capacity=8, common_queue_min=2)
    [number] = provider.get(["number"])

Modern:
    records = tf.data.TFRecordDataset(["a.examples"]).shuffle(8)
    spec = {"x": tf.io.FixedLenFeature([], tf.int64)}
    dataset = records.batch(2).map(lambda rows: tf.io.parse_example(rows, spec)["x"]).unbatch()

Emits:
    per item what the dataset's decoder makes of a record; record_key: string, of unknown shape

Differs:
    Items are asked for by name, and two calls of `get` give items of the same record where they
    are fetched together. The readers read on for ever unless num_epochs is given.

Raises:
    ValueError: an item is called like `record_key`, or there is no such item.
    OutOfRangeError: at the read after the last record of the last epoch.

It is `parallel_read`, then the decoder's ops. There is one reader unless num_readers says more,
where `parallel_read` itself has four.

Source:
    tf.contrib.slim.dataset_data_provider of TensorFlow 1.15
"""

from __future__ import annotations

from typing import Any

from queueio.contrib.slim.data_provider import DataProvider
from queueio.contrib.slim.parallel_reader import parallel_read


class DatasetDataProvider(DataProvider):
    """The items of the records of a `Dataset`.

    Args:
      dataset: a `Dataset`.
      num_readers: how many readers read at once.
      reader_kwargs: arguments of the readers.
      shuffle: whether to shuffle the names of each epoch, and the records in the common queue.
      num_epochs: how often each file is read; None for ever. The counter is a local variable.
      common_queue_capacity: how many records the common queue holds.
      common_queue_min: how many records stay in it, for a good shuffle.
      record_key: name of the item that holds a record's key.
      seed: seed of both shuffles.
      scope: name of the scope (default "parallel_read").

    Raises:
      ValueError: an item of the dataset is called like `record_key`; or no file matches.
    """

    def __init__(
        self,
        dataset: Any,
        num_readers: int = 1,
        reader_kwargs: dict[str, Any] | None = None,
        shuffle: bool = True,
        num_epochs: int | None = None,
        common_queue_capacity: int = 256,
        common_queue_min: int = 128,
        record_key: str = "record_key",
        seed: int | None = None,
        scope: str | None = None,
    ) -> None:
        key, data = parallel_read(
            dataset.data_sources,
            reader_class=dataset.reader,
            num_epochs=num_epochs,
            num_readers=num_readers,
            reader_kwargs=reader_kwargs,
            shuffle=shuffle,
            capacity=common_queue_capacity,
            min_after_dequeue=common_queue_min,
            seed=seed,
            scope=scope,
        )
        items = dataset.decoder.list_items()
        tensors = dict(zip(items, dataset.decoder.decode(data, items), strict=False))
        if record_key in tensors:
            raise ValueError(
                f"{record_key!r} is an item of the dataset, so the item name used for `record_key`"
                " must be another. Give record_key a name of its own."
            )
        super().__init__({**tensors, record_key: key}, dataset.num_samples)
