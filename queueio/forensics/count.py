"""How many records the files of a reader hold, without decoding any."""

from __future__ import annotations

import os
from typing import Any

from queueio.forensics import tf_records
from queueio.forensics.location import Budget
from queueio.forensics.records import FixedLayout, attr, compression
from queueio.forensics.sources import WHOLE_READS, base_type, names_of, reader_of

COUNT_SECONDS = 2.0
_BLOCK = 1 << 20


def count_records(
    read: Any, session: Any = None, seconds: float = COUNT_SECONDS
) -> tuple[int, int] | None:
    """Counts the files that feed a read op, and their records.

    Args:
      read: a ReaderRead op.
      session: for file names that only a variable holds.
      seconds: the longest time to count.

    Returns:
      (files, records); None where the files cannot be known, are compressed or of a kind that
      is not counted here, or the time was over.
    """
    reader, budget = reader_of(read), Budget(seconds)
    names = names_of(read, session)
    count = _COUNTS.get(base_type(reader))
    if count is None or read.type in WHOLE_READS or compression(reader) or not names:
        return None
    try:
        total = sum(count(reader, name, budget) for name in names)
    except OSError:
        return None
    return None if budget.gave_up else (len(names), total)


def _one(reader: Any, name: str, budget: Budget) -> int:
    return 1


def _lines(reader: Any, name: str, budget: Budget) -> int:
    lines, last = 0, b"\n"
    with open(name, "rb") as file:
        while not budget.spent() and (block := file.read(_BLOCK)):
            lines, last = lines + block.count(b"\n"), block[-1:]
    return max(0, lines + (last != b"\n") - int(attr(reader, "skip_header_lines", 0)))


def _fixed(reader: Any, name: str, budget: Budget) -> int:
    return FixedLayout.of(reader).count(os.path.getsize(name))


def _tf_record(reader: Any, name: str, budget: Budget) -> int:
    with open(name, "rb") as file:
        walked = tf_records.walk_plain(file, lambda: not budget.spent())
    return walked[0] if walked else 0


_COUNTS = {
    "IdentityReader": _one,
    "WholeFileReader": _one,
    "TextLineReader": _lines,
    "FixedLengthRecordReader": _fixed,
    "TFRecordReader": _tf_record,
}
