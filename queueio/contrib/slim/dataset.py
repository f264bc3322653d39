"""What a dataset consists of, for slim's data providers: its files, reader, decoder and size."""

from __future__ import annotations

from typing import Any


class Dataset:
    """The description of a dataset; each argument becomes an attribute.

    Args:
      data_sources: a file, a pattern, or a list of either.
      reader: the kind of reader, such as `tf.TFRecordReader`; called without arguments or with a
        provider's `reader_kwargs`.
      decoder: a `DataDecoder`, which makes the items of a record.
      num_samples: how many records there are.
      items_to_descriptions: a dict from item to what it means, for people.
      **kwargs: whatever else belongs to the dataset, such as its number of classes.
    """

    def __init__(
        self,
        data_sources: Any,
        reader: Any,
        decoder: Any,
        num_samples: Any,
        items_to_descriptions: Any,
        **kwargs: Any,
    ) -> None:
        self.data_sources = data_sources
        self.reader = reader
        self.decoder = decoder
        self.num_samples = num_samples
        self.items_to_descriptions = items_to_descriptions
        vars(self).update(kwargs)
