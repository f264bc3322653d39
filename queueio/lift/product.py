"""What is wanted of a stream: by the fetches, or by an enqueue op."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from queueio.lift.sparse import Stored


@dataclass(frozen=True, eq=False)
class Product:
    """Tensors that one run makes of an element, with the ops that it must run besides.

    Attributes:
      wanted: for each component its tensor, or the sparse tensor behind its handle.
      at: the op that wants them.
      controls: what it waits for.
    """

    wanted: tuple[Any, ...]
    at: Any
    controls: tuple[Any, ...] = ()

    @property
    def tensors(self) -> list[Any]:
        """The dense tensors of all components: a sparse one has three."""
        return [t for w in self.wanted for t in (w.parts if isinstance(w, Stored) else (w,))]

    @property
    def specs(self) -> tuple[Any, ...]:
        """The spec of each component."""
        return tuple(w.spec if isinstance(w, Stored) else spec_of(w) for w in self.wanted)


def spec_of(tensor: Any) -> Any:
    """The spec of a dense component."""
    return tf.TensorSpec(tensor.shape, tensor.dtype.base_dtype)


def common_specs(products: Sequence[Product]) -> tuple[Any, ...] | None:
    """For each component what all products promise of it; None if it is not of one type in all."""
    first, *others = [product.specs for product in products]
    if any(len(specs) != len(first) for specs in others):
        return None
    columns = list(zip(*others, strict=True))
    found = [
        one.most_specific_common_supertype(more) for one, more in zip(first, columns, strict=True)
    ]
    return None if None in found else tuple(found)
