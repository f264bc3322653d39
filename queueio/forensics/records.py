"""How records lie in files, of which each reader's stage knows its own kind.

For looking at input again without a session: pure Python, from the reader op's type and
attributes alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, ClassVar

import tensorflow as tf

from queueio.errors import NoEquivalent, message
from queueio.forensics.location import Budget
from queueio.forensics.sources import WHOLE_READS, names_of, reader_of
from queueio.graph.refusal import refuse
from queueio.graph.traversal import is_read, type_of
from queueio.plan.contract import lifter_of
from queueio.words import times

WHOLE_BYTES = 256 << 20
"""Whole files larger than this are not read again."""
COUNT_SECONDS = 2.0
ENDS_READING = ", which ends the reading"


@dataclass(frozen=True)
class FileRecord:
    """One record: its file, its number as in the key, and its bytes."""

    file: str
    number: int | None
    value: bytes

    @property
    def key(self) -> str:
        return self.file if self.number is None else f"{self.file}:{self.number}"


@dataclass(frozen=True)
class Loss:
    """Bytes of a file that were not delivered.

    `lost_bytes` counts uncompressed bytes and is None where it cannot be known; `size` is the
    uncompressed size as far as it can be read; `records` is how many records were delivered.
    `ends_reading` marks files at which the reader stopped for good.
    """

    file: str
    size: int
    records: int
    lost_bytes: int | None
    reason: str
    remedy: str
    ends_reading: bool = False

    def __str__(self) -> str:
        lost = "an unknown number of" if self.lost_bytes is None else f"{self.lost_bytes:,}"
        what = f"{self.file}: {lost} of {times(self.size, 'byte')} were not delivered"
        if not self.size:
            return message(f"{self.file} holds 0 bytes", self.reason, self.remedy)
        return message(f"{what} (records delivered: {self.records:,})", self.reason, self.remedy)

    def read_on(self) -> Loss:
        """The loss where tf.data reads: it goes on behind a file that ends a reader."""
        return replace(self, reason=self.reason.partition(ENDS_READING)[0], ends_reading=False)


class FileKind:
    """What a reader's stage says of its files; this one, that nothing is known of them.

    Attributes:
      unit: what the numbers in keys count: "line", "byte", "record" or "".
      one_each: whether each file is one record.
      header_lines: how many lines at the beginning of a file are passed over.
      compression: what the reader expects: "GZIP", "ZLIB" or "".
    """

    unit: ClassVar[str] = ""
    one_each: ClassVar[bool] = False

    @property
    def header_lines(self) -> int:
        return 0

    @property
    def compression(self) -> str:
        return ""

    def walk(self, file: str) -> Iterator[FileRecord]:
        """The records of a file, as the reader delivers them; stops where the file is broken."""
        yield from ()

    def count(self, file: str, budget: Budget) -> int | None:
        """How many records a file holds; None where that is not known without decoding any."""
        return None

    def lost(self, file: str, budget: Budget) -> Loss | None:
        """What the reader passes over in a file in silence."""
        return None

    def may_begin(self, head: bytes) -> bool:
        """Whether an uncompressed file of the kind may begin so."""
        return True

    def asking_for(self, compression: str) -> str:
        """How a program says which compression the reader shall expect."""
        return f"encoding={compression or None!r}"

    def torn(self, value: bytes) -> str:
        """Why a record with such bytes is not what was meant, and what to do; "" if it may be."""
        return ""

    def misread(self, head: bytes) -> str:
        """Why a file that begins so is none of the kind, and what to do; "" if it may be one."""
        return ""

    def asking_for_multiple(self, size: int, file: str) -> str:
        """How a program gets records whose length is a multiple of `size`; "" if it cannot."""
        return ""

    def is_plain(self, file: str) -> bool:
        """Whether a file's bytes can be read as they are; a pipe's would be taken from it."""
        return not self.compression and os.path.isfile(file)


def file_kind_of(reader: tf.Operation) -> FileKind:
    """How the files of a reader op (or of `ReadFile`) are read."""
    lift = lifter_of("WholeFileReader" if reader.type in WHOLE_READS else type_of(reader))
    try:
        found = lift(reader, SimpleNamespace(refuse=refuse)) if lift is not None else None
    except NoEquivalent:
        found = None
    return found if isinstance(found, FileKind) else FileKind()


def records(reader: tf.Operation, file: str) -> Iterator[FileRecord]:
    """The records of one file, as the reader delivers them; stops where the file is broken."""
    return file_kind_of(reader).walk(file)


def count_records(
    read: Any, session: Any = None, seconds: float = COUNT_SECONDS
) -> tuple[int, int] | None:
    """Counts the files that feed a read op, and their records, without decoding any.

    Args:
      read: a ReaderRead op.
      session: for file names that only a variable holds.
      seconds: the longest time to count.

    Returns:
      (files, records); None where the files cannot be known, are compressed or of a kind that
      is not counted, or the time was over.
    """
    names, budget = names_of(read, session) if is_read(read) else [], Budget(seconds)
    files, total = file_kind_of(reader_of(read)), 0
    for name in names:
        try:
            count = files.count(name, budget)
        except OSError:
            return None
        if count is None:
            return None
        total += count
    return (len(names), total) if names and not budget.gave_up else None


def attr(op: tf.Operation, name: str, default: Any) -> Any:
    """An attribute of an op as str or int, or its default in older versions of the op."""
    try:
        value = op.get_attr(name)
    except ValueError:
        return default
    return value.decode() if isinstance(value, bytes) else value
