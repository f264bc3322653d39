"""Many numbers of an example as one row of them, until they are in a batch.

    f0 [C], f1 [C], … f399 [C]  ─▶  [C, 400]  ─▶ pool, batch ─▶  f0 [B], f1 [B], … f399 [B]

Each stage is traced for each component, some 17 ms in all of it, and moves each by a call of its
own. A program that parses hundreds of features would wait for seconds before its first batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

_MANY = 100
"""Numbers of one dtype. Of forty, rows cost 8 µs of a processor for an example where each alone
cost 6; of four hundred they cost the same, and the first run begins in a third of the time."""


@dataclass(frozen=True)
class Columns:
    """Which components of an example stand in rows together.

    Attributes:
      together: places of components of one dtype, for each row of them.
      alone: places of the others, in their order: the last component is one of these.
    """

    together: tuple[tuple[int, ...], ...]
    alone: tuple[int, ...]

    @classmethod
    def of(cls, components: Sequence[tf.Tensor]) -> Columns | None:
        """Those of an example's components; None where so many of one dtype are no numbers."""
        places: dict[tf.DType, list[int]] = {}
        for place, t in enumerate(components[:-1]):
            if t.shape.rank == 0 and t.dtype.size and t.dtype.is_numpy_compatible:
                places.setdefault(t.dtype, []).append(place)
        many = [tuple(of_one) for of_one in places.values() if len(of_one) >= _MANY]
        taken = {place for of_one in many for place in of_one}
        alone = tuple(place for place in range(len(components)) if place not in taken)
        return cls(tuple(many), alone) if many else None

    def rows(self, *components: tf.Tensor) -> tuple[tf.Tensor, ...]:
        """Of a chunk, [C] for each number: [C, n] for each dtype, and the other components."""
        made = (tf.stack([components[place] for place in of_one], 1) for of_one in self.together)
        return (*made, *(components[place] for place in self.alone))

    def components(self, *rows: Any) -> tuple[tf.Tensor, ...]:
        """Of a batch of such rows, [B, n]: the components, [B] for each number."""
        count = len(self.together)
        found = dict(zip(self.alone, rows[count:], strict=True))
        for of_one, row in zip(self.together, rows[:count], strict=True):
            found.update(zip(of_one, tf.unstack(row, len(of_one), 1), strict=True))
        return tuple(found[place] for place in sorted(found))
