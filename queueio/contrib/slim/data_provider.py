"""What hands out the items of a dataset, one tensor each; `dataset_data_provider` has one."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable
from typing import Any


class DataProvider(ABC):  # noqa: B024 - no method is abstract in TF1's either
    """Tensors by the names of items, such as "image" and "label".

    Args:
      items_to_tensors: a dict from item to tensor.
      num_samples: how many examples the dataset has.
    """

    def __init__(self, items_to_tensors: dict[str, Any], num_samples: Any) -> None:
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items: list[str] | tuple[str, ...]) -> list[Any]:
        """The tensors of some items.

        Args:
          items: names of items.

        Returns:
          One tensor for each, in their order.

        Raises:
          ValueError: `items` is no list or tuple, or there is no such item.
        """
        self._validate_items(items)
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> Iterable[str]:
        """The names of all items."""
        return self._items_to_tensors.keys()

    def num_samples(self) -> Any:
        """How many examples the dataset has."""
        return self._num_samples

    def _validate_items(self, items: Any) -> None:
        if not isinstance(items, (list, tuple)):
            raise ValueError(f"items must be a list or tuple of names, not {items!r}")
        known = self.list_items()
        for item in items:
            if item not in known:
                raise ValueError(
                    f"Item [{item}] is invalid. Valid entries include: {', '.join(map(str, known))}"
                )
