"""Where in the input files an error comes from, and how long to look for it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from queueio.errors import message

LOOK_SECONDS = 5.0
"""Re-reading input to find a bad record stops after this long; the answer then says so."""


@dataclass(frozen=True)
class Location:
    """The place in a file that made an op fail.

    `file` is the path as the reader had it. `record` counts as TensorFlow's keys do: the
    1-based line of a text file, the 0-based record of a fixed-length file, the byte offset in
    the uncompressed TFRecord; None when the whole file is meant. `unit` says which of them it
    is. `detail` is what is wrong there and `remedy` what to do, as sentences.
    """

    file: str
    record: int | None = None
    unit: str = ""
    detail: str = ""
    remedy: str = ""

    @property
    def key(self) -> str:
        """The key that TensorFlow's reader gives the record: `file:N`, or `file`."""
        return self.file if self.record is None else f"{self.file}:{self.record}"

    def __str__(self) -> str:
        # A dot at its end would be taken for a full stop.
        file = repr(self.file) if self.file.endswith(".") else self.file
        where = file if self.record is None else f"{file}, {self.unit} {self.record}"
        return message(where, self.detail, self.remedy)


@dataclass
class Budget:
    """How long a search may go on."""

    seconds: float = LOOK_SECONDS
    started: float = field(default_factory=time.monotonic)
    gave_up: bool = False

    def spent(self) -> bool:
        """Whether the time is over; remembered in `gave_up`."""
        self.gave_up = self.gave_up or time.monotonic() - self.started > self.seconds
        return self.gave_up

    def __str__(self) -> str:
        return f"the search stopped after {self.seconds:g} s" if self.gave_up else ""
