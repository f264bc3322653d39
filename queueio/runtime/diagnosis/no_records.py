"""Files without a record in any, which a reader opens again and again for ever."""

from __future__ import annotations

import os
from typing import Any

from queueio.errors import message
from queueio.graph.origin import origin
from queueio.graph.traversal import is_read
from queueio.runtime.diagnosis.verdict import Verdict
from queueio.words import times

LOOK_SECONDS = 1.0


def verdict(read: Any, seen: str, name: str) -> Verdict:
    """The verdict on a queue that gets nothing out of a reader's files, by what was seen."""
    text = message(
        f"Nothing comes out of {read.type} {read.name!r} ({origin(read)}): {seen}, and found no "
        "record",
        "there is none in the whole list, or nothing beyond a header",
        "Look at the files. With num_epochs=1 such an input ends, instead of turning for ever",
    )
    return Verdict(text, f"no records {name}")


def by_tf_data(name: str, ops: list[Any], session: Any) -> Verdict | None:
    """The same of a queue that tf.data fills, which tells nothing of the files that it opens.

    Args:
      name: the key of the queue.
      ops: all that its elements come through.
      session: for file names that only a variable holds.

    Returns:
      None unless the files of all readers are known, and were looked through to their ends.
    """
    reads = [op for op in ops if is_read(op)]
    files = [_barren(read, session) for read in reads]
    if not reads or None in files:
        return None
    looked = f"its thread looked through {times(files[0] or 0, 'file')} again and again"
    return verdict(reads[0], looked, name)


def _barren(read: Any, session: Any) -> int | None:
    """How many files a read op has, where none of them holds a record; None for not known."""
    from queueio.forensics.location import Budget
    from queueio.forensics.records import records
    from queueio.forensics.sources import names_of, reader_of

    files, budget = names_of(read, session), Budget(LOOK_SECONDS)
    for file in files:
        if budget.spent() or not os.path.isfile(file):
            return None
        if next(iter(records(reader_of(read), file)), None) is not None:
            return None
    return len(files) or None
