"""Finds the file, record and cause behind an input error, and input lost in silence.

    an error ─▶ locate ─▶ sources     which files feed the op that failed
                            ├─ missing    no such file
                            ├─ damaged    a file that cannot be read on
                            └─ search     the record on which it fails: replay runs it again
                                 └─ csv_rows, examples, decoded    why it does
             ─▶ last_batch             no record is to blame: the last batch is smaller
    an end   ─▶ audit  ─▶ sources, records    what a reader passes over in silence
    a plan   ─▶ plan_audit, the same of all its readers before a dataset reads
    a graph  ─▶ traps                         mistakes that show before anything runs

Works on any graph, whoever built it. How records lie in files, each reader's stage says itself
(`FileKind` in records.py); sniff, tf_records and crc32c look at bytes.
"""

from __future__ import annotations

from queueio.forensics.audit import audit, audit_graph, audit_once, report
from queueio.forensics.last_batch import last_batch
from queueio.forensics.locate import locate
from queueio.forensics.location import Location
from queueio.forensics.records import Loss
from queueio.forensics.sources import files_of

__all__ = [
    "Location",
    "Loss",
    "audit",
    "audit_graph",
    "audit_once",
    "files_of",
    "last_batch",
    "locate",
    "report",
]
