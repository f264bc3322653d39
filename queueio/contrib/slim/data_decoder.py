"""What makes the items of a dataset from its records; `tfexample_decoder` has one of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any


class DataDecoder(ABC):
    """Makes named items, such as an image and its label, from an encoded record."""

    @abstractmethod
    def decode(self, data: Any, items: Sequence[str]) -> list[Any]:
        """Makes items from a record.

        Args:
          data: the record; for most decoders a string scalar.
          items: the names of the items that are wanted.

        Returns:
          One tensor for each name, in their order.

        Raises:
          ValueError: there is no such item.
        """

    @abstractmethod
    def list_items(self) -> list[str]:
        """The names of all items that there are."""
