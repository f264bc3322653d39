"""A side whose examples are given as those of the other side that they are near to.

What differs within the tolerance has other digests. So that its counts and its order can be
compared as always, each example that is known to be near to one of the other side takes that one's
values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.reading.digest import digest_batch
from queueio.compare.sides.changed import ChangedSide
from queueio.compare.sides.side import Side

Array = np.ndarray[Any, Any]
Values = dict[int, Array]  # of some of the selected components


class GivenAs(ChangedSide):
    """A side whose example of a known digest takes the values `known` has for it.

    `select` and `dtypes` are those that the digests were made with.
    """

    def __init__(
        self, side: Side, select: list[int] | None, dtypes: list[str], known: dict[bytes, Values]
    ) -> None:
        super().__init__(side)
        self.select, self.dtypes, self.known = select, dtypes, known

    def changed(self, values: list[Any]) -> list[Any]:
        order = self.select or [*range(len(values))]
        digests = recorder.join_digests(digest_batch([values[i] for i in order], self.dtypes))
        values, own = list(values), set[int]()
        for row, digest in enumerate(map(np.ndarray.tobytes, digests)):
            for index, value in self.known.get(digest, {}).items():
                place = order[index]
                if place not in own:  # the side's own array stays as it is
                    wider = np.result_type(values[place].dtype, value.dtype)
                    values[place] = values[place].astype(wider)
                    own.add(place)
                values[place][row] = value
        return values
