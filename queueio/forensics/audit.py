"""Bytes of input files that TensorFlow's readers pass over in silence.

Seen on TensorFlow 1.15.5 and 2.21 alike, unless said otherwise:

- a fixed-length file shorter than its header makes the reader raise what looks like the end of
  the epoch: the thread that reads stops, and all files still in the filename queue with it;
- a fixed-length file shorter than header and footer, or with a partial last record, loses the
  partial record; with hop_bytes, what is behind the last whole record;
- a TFRecord file that ends within the 12 bytes of a length field is taken to end before it;
- a compressed file cut short ends early at the last whole record, if it is fixed-length or cut
  at a record's edge. (1.15.5 also dropped all gzip members but the first; 2.21 reads them.)

The walk costs a stat per fixed-length file and about a microsecond per record of a TFRecord
file; compressed files are inflated.
"""

from __future__ import annotations

import os
import threading
import warnings
import weakref
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import tensorflow as tf

from queueio.errors import DataLossWarning, message
from queueio.forensics import tf_records
from queueio.forensics.location import Budget
from queueio.forensics.records import FixedLayout, compression
from queueio.forensics.sniff import HEAD, compression_of
from queueio.forensics.sources import (
    WHOLE_READS,
    base_type,
    files_of,
    is_queue,
    reader_of,
    reads_of,
)
from queueio.origin import Origin, origin

AUDIT_SECONDS = 10.0
"""An audit stops looking after this long; the rest of the files is then taken to be whole."""


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
        what = f"{self.file}: {lost} of {self.size:,} bytes were not delivered"
        return message(f"{what} (records delivered: {self.records:,})", self.reason, self.remedy)


def audit(
    reader_op: tf.Operation, files: Sequence[str], seconds: float = AUDIT_SECONDS
) -> list[Loss]:
    """Looks for bytes of `files` that a reader passes over in silence.

    Args:
      reader_op: a FixedLengthRecordReader or TFRecordReader op (any version); other readers
        lose nothing in silence.
      files: paths of local files.
      seconds: the longest time to look.

    Returns:
      One `Loss` per file that loses something, in the order of `files`. Files that vanished
      or raise an error when read are left out: the reader itself is loud about those.
    """
    check = _CHECKS.get(base_type(reader_op))
    losses: list[Loss] = []
    budget = Budget(seconds)
    if check is None:
        return losses
    for file in files:
        if budget.spent():
            break
        try:
            loss = check(reader_op, file, budget)
        except (OSError, zlib.error):
            continue
        if loss is not None:
            losses.append(loss)
    return losses


def report(losses: Sequence[Loss], strict: bool = False, where: Origin | None = None) -> None:
    """Makes losses heard: one warning, or under `strict` an error.

    Args:
      losses: what was lost.
      strict: whether to raise.
      where: the line of the user's that the warning is about.

    Raises:
      tf.errors.DataLossError: under `strict`, with the same text.
    """
    if not losses:
        return
    known = sum(loss.lost_bytes or 0 for loss in losses)
    files = "1 file" if len(losses) == 1 else f"{len(losses)} files"
    head = f"input was lost in silence: {known:,} bytes in {files}"
    shown = [str(loss) for loss in losses[:_SHOWN]]
    if len(losses) > _SHOWN:
        shown.append(f"… and {len(losses) - _SHOWN} files more.")
    text = "\n  ".join([head, *shown])
    if strict:
        raise tf.errors.DataLossError(None, None, text)
    if where is not None and where.filename is not None:
        warnings.warn_explicit(text, DataLossWarning, where.filename, where.lineno)
    else:
        warnings.warn(text, DataLossWarning, stacklevel=2)


def audit_graph(
    op: Any, session: Any = None, strict: bool = False, by_dataset: bool = False
) -> list[Loss]:
    """Audits the files of the readers that feed an op or queue, and reports.

    For the moment when a stage of readers has come to its natural end.

    Args:
      op: a queue or an enqueue op: the readers that feed it directly, so that no stage behind it
        reports them again. Any other op or tensor: all readers that it depends on.
      session: for file names that only a variable holds.
      strict: raise instead of warning.
      by_dataset: tf.data read the files: it goes on behind a file that is shorter than its header.

    Returns:
      The losses.

    Raises:
      tf.errors.DataLossError: under `strict`, if anything was lost.
    """
    losses: dict[Loss, None] = {}
    node = getattr(op, "queue_ref", op)
    node = getattr(node, "op", node)
    whole = not (is_queue(node) or node.type.startswith("QueueEnqueue"))
    where = None
    for read in reads_of(node, through_queues=whole):
        if read.type not in WHOLE_READS and base_type(reader_of(read)) in _CHECKS:
            found = audit(reader_of(read), files_of(read, session))
            where = where or (origin(reader_of(read)) if found else None)
            losses.update(dict.fromkeys(map(read_on, found) if by_dataset else found))
    report(list(losses), strict, where)
    return list(losses)


def read_on(loss: Loss) -> Loss:
    """The loss where tf.data reads: it goes on behind a file that ends a reader."""
    return replace(loss, reason=loss.reason.partition(_ENDS)[0], ends_reading=False)


def audit_once(
    queue: Any, session: Any, strict: bool = False, by_dataset: bool = False
) -> list[Loss]:
    """`audit_graph`, unless this queue was audited in this session before.

    Returns:
      The losses; none at the second call.

    Raises:
      tf.errors.DataLossError: under `strict`, if anything was lost.
    """
    with _lock:
        done = _audited.setdefault(session, set())
        first = queue.name not in done
        done.add(queue.name)
    return audit_graph(queue, session, strict, by_dataset) if first else []


_SHOWN = 10
_ENDS = ", which ends the reading"
_lock = threading.Lock()
_audited: weakref.WeakKeyDictionary[Any, set[str]] = weakref.WeakKeyDictionary()


def _fixed(reader: tf.Operation, file: str, budget: Budget) -> Loss | None:
    layout, kind = FixedLayout.of(reader), compression(reader)
    on_disk = os.path.getsize(file)
    with open(file, "rb") as raw:
        if not kind and (true := compression_of(raw.read(HEAD))):
            # Compressed bytes cut into records are no records: all of it is lost, in substance.
            reason = f"it is {true.lower()} data that was read as if it were records"
            remedy = f"Use FixedLengthRecordReader(..., encoding={true!r})"
            return Loss(file, on_disk, layout.count(on_disk), on_disk, reason, remedy)
        source = tf_records.opened(raw, kind)
        size = _length(source, budget)
    if budget.gave_up:
        return None
    if source.cut:
        reason = f"the {kind.lower()} stream is cut short after {size:,} bytes"
        return Loss(file, size, layout.count(size), None, reason, "Copy or write the file again")
    return _fixed_loss(file, size, layout)


def _length(source: tf_records.Bytes, budget: Budget) -> int:
    while source.skip(tf_records.CHUNK * 16) and not budget.spent():
        pass
    return source.position


def _fixed_loss(file: str, size: int, layout: FixedLayout) -> Loss | None:
    count, edges = layout.count(size), layout.header + layout.footer
    if size < layout.header:
        reason = (
            f"it is shorter than its header of {layout.header} bytes{_ENDS} as if the epoch were "
            "over: the files after it in the filename queue were not read by "
            "this thread"
        )
        return Loss(file, size, 0, size, reason, "Take it off the list, or repair it", True)
    if size < edges:
        reason = f"it is shorter than header and footer together, {edges} bytes"
        return Loss(file, size, 0, size, reason, "Take it off the list, or repair it")
    covered = (count - 1) * layout.hop + layout.record if count else 0
    if layout.hop > layout.record and count:
        covered += layout.hop - layout.record  # the gap that the hop means to pass over
    rest = size - edges - covered
    if rest <= 0:
        return None
    hop = f" every {layout.hop} bytes" if layout.hop != layout.record else ""
    reason = (
        f"after {layout.header} bytes of header, records of {layout.record} bytes{hop} and "
        f"{layout.footer} bytes of footer, {rest} bytes are left that make no whole record"
    )
    remedy = "Check record_bytes, header_bytes and footer_bytes, or whether the file was cut"
    return Loss(file, size, count, rest, reason, remedy)


def _tf_record(reader: tf.Operation, file: str, budget: Budget) -> Loss | None:
    kind = compression(reader)
    with open(file, "rb") as raw:
        if kind:
            walked, cut = _walk_compressed(tf_records.opened(raw, kind), budget)
        else:
            walked, cut = tf_records.walk_plain(raw, lambda: not budget.spent()), False
    if walked is None:
        return None
    count, end, size = walked
    rest = size - end
    if not 0 < rest < tf_records.HEADER:
        return None  # a whole file, or one at which the reader itself raises an error
    reason = f"the file ends {rest} bytes into the 12-byte length field of record {count}"
    if cut:
        reason += f", because its {kind.lower()} stream is cut short"
    lost = None if cut else rest
    return Loss(file, size, count, lost, reason, "The file was cut: copy or write it again")


def _walk_compressed(
    source: tf_records.Bytes, budget: Budget
) -> tuple[tuple[int, int, int] | None, bool]:
    count, end = 0, 0
    for frame in tf_records.frames(source):
        if not count & 0xFFF and budget.spent():
            return None, False
        count, end = count + 1, frame.end
    return (count, end, source.position), source.cut


_CHECKS = {"FixedLengthRecordReader": _fixed, "TFRecordReader": _tf_record}
