"""Finds the file, record and cause behind an input error, and input lost in silence.

Works on any graph, by op types and attributes, whoever built it.
"""

from __future__ import annotations

from queueio.forensics.audit import audit, audit_graph, audit_once, report
from queueio.forensics.locate import locate
from queueio.forensics.location import Location
from queueio.forensics.records import Loss
from queueio.forensics.sources import files_of

__all__ = ["Location", "Loss", "audit", "audit_graph", "audit_once", "files_of", "locate", "report"]
