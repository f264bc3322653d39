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
import stat
import threading
import warnings
import weakref
import zlib
from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from queueio.errors import DataLossWarning
from queueio.forensics.location import Budget
from queueio.forensics.records import Loss, file_kind_of
from queueio.forensics.sources import files_of, reader_of, reads_of
from queueio.graph.origin import Origin, origin
from queueio.graph.traversal import is_enqueue, is_queue, op_of
from queueio.words import times

AUDIT_SECONDS = 10.0
"""An audit stops looking after this long; the rest of the files is then taken to be whole."""


def audit(
    reader_op: tf.Operation, files: Sequence[str], seconds: float = AUDIT_SECONDS
) -> list[Loss]:
    """Looks for bytes of `files` that a reader passes over in silence.

    Args:
      reader_op: a reader op (any version); only those of records that have a length lose any in
        silence.
      files: paths of local files.
      seconds: the longest time to look.

    Returns:
      One `Loss` per file that loses something, in the order of `files`. Files that vanished
      or raise an error when read are left out: the reader itself is loud about those.
    """
    losses: list[Loss] = []
    read_as, budget = file_kind_of(reader_op), Budget(seconds)
    for file in files:
        if budget.spent():
            break
        try:
            loss = read_as.lost(file, budget)
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
    files = times(len(losses), "file")
    head = f"input was lost in silence: {times(known, 'byte')} in {files}"
    if not any(loss.size for loss in losses):
        head = f"there is no input: {files}, and no byte in any"
    shown = [str(loss) for loss in losses[:_SHOWN]]
    if len(losses) > _SHOWN:
        shown.append(f"… and {times(len(losses) - _SHOWN, 'file')} more.")
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
        reports them again. Any other op or tensor, or with `by_dataset`: all readers that it
        depends on.
      session: for file names that only a variable holds.
      strict: raise instead of warning.
      by_dataset: tf.data read the files: it goes on behind a file that is shorter than its header.

    Returns:
      The losses.

    Raises:
      tf.errors.DataLossError: under `strict`, if anything was lost.
    """
    losses: dict[Loss, None] = {}
    node = op_of(getattr(op, "queue_ref", op))
    whole = by_dataset or not (is_queue(node) or is_enqueue(node))
    where = None
    for read in reads_of(node, through_queues=whole):
        reader, files = reader_of(read), files_of(read, session)
        found = _empty(files) or audit(reader, files)
        where = where or (origin(reader) if found else None)
        losses.update((loss.read_on() if by_dataset else loss, None) for loss in found)
    report(list(losses), strict, where)
    return list(losses)


def _empty(files: Sequence[str]) -> list[Loss]:
    """The files, where all of them are empty: among others an empty shard is nothing unusual."""
    try:
        if not files or any(map(_may_hold_bytes, files)):
            return []
    except OSError:
        return []
    why, do = "so its reader gave no example", "Look at what should have written it"
    return [Loss(file, 0, 0, 0, why, do) for file in files]


def _may_hold_bytes(file: str) -> bool:
    """The system says 0 of what it makes up when it is read, as under /proc."""
    found = os.stat(file)
    if found.st_size or not stat.S_ISREG(found.st_mode):  # reading a pipe would take from it
        return True
    with open(file, "rb") as content:
        return bool(content.read(1))


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
_lock = threading.Lock()
_audited: weakref.WeakKeyDictionary[Any, set[str]] = weakref.WeakKeyDictionary()
