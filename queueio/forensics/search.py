"""Looks through the input files for the records that make an op fail."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import tensorflow as tf

from queueio.forensics.location import Budget
from queueio.forensics.records import FileRecord, records
from queueio.forensics.replay import CannotReplay, Replay
from queueio.forensics.sources import reader_of
from queueio.graph.error_text import sentence
from queueio.words import times

COUNT_LIMIT = 1_000
"""Bad records are counted up to this many."""

Suspect = Callable[[FileRecord], bool]


@dataclass
class Found:
    """The first record that fails as the error says, and how many fail like it."""

    budget: Budget
    record: FileRecord | None = None
    error: BaseException | None = None
    count: int = 0
    looked_at: int = 0
    exact: bool = False
    files: dict[str, None] = field(default_factory=dict)

    def add(self, record: FileRecord, error: BaseException, exact: bool) -> None:
        """Takes a failing record; an exact match goes before one that merely fails too."""
        self.count += 1
        self.files[record.file] = None
        if self.record is None or (exact and not self.exact):
            self.record, self.error, self.exact = record, error, exact

    @property
    def every(self) -> bool:
        """Whether each of several records failed that were looked at."""
        return 1 < self.count == self.looked_at

    def also(self) -> str:
        """A sentence on the other bad records, or on the search being cut short."""
        parts = []
        if self.count > 1:
            least = "at least " if self.budget.gave_up or self.count >= COUNT_LIMIT else ""
            others = "record fails" if self.count == 2 else "records fail"
            parts.append(f"{least}{self.count - 1} more {others} at the same op")
        if self.budget.gave_up:
            parts.append(f"{self.budget} and {times(self.looked_at, 'record')}")
        return "; ".join(parts)


def every_record(read: tf.Operation, files: Iterable[str], found: Found) -> Iterator[FileRecord]:
    """All records of the files, while there is time; broken or vanished files end early."""
    reader = reader_of(read)
    for file in files:
        try:
            for record in records(reader, file):
                found.looked_at += 1
                if found.looked_at % 64 == 0 and found.budget.spent():
                    return
                yield record
        except (OSError, zlib.error):
            continue


def search(
    error: BaseException,
    replay: Replay,
    read: tf.Operation,
    files: list[str],
    suspect: Suspect | None,
    budget: Budget,
) -> Found:
    """Finds the records of `files` on which the replayed op fails.

    Args:
      error: what was raised; a record that raises the same text is preferred.
      replay: the way from the read op to the failing op.
      read: the read op.
      files: paths, in the order to look.
      suspect: a cheap test on the record; only records that pass it are replayed. None: all.
      budget: time to look for.

    Returns:
      What was found; `record` is None if nothing was.
    """
    found, wanted = Found(budget), comparable(error)
    for record in every_record(read, files, found):
        if suspect is not None and not suspect(record):
            continue
        try:
            failure = replay.failure(record)
        except CannotReplay:
            break
        if failure is not None:
            found.add(record, failure, comparable(failure) == wanted)
        if budget.spent() or found.count >= COUNT_LIMIT:
            break
    return found


def comparable(error: BaseException) -> str:
    """The error's sentence without the position in the batch, which differs in a replay."""
    return re.sub(r"record \d+", "record", sentence(error))
