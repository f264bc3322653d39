"""The report of a run: which pipeline ran on which engine, why, and what it delivered."""

from __future__ import annotations

import atexit
import json
import weakref
from dataclasses import asdict, dataclass
from typing import Any

from queueio import settings


@dataclass
class Pipeline:
    """One entry of the report.

    Attributes:
      name: scope of the batch.
      engine: "data" or "queue".
      reason: why it fell back to the queues; None if it did not.
      batches: session calls that took a batch.
      examples: examples in those batches.
    """

    name: str
    engine: str
    reason: str | None = None
    batches: int = 0
    examples: int = 0


_graphs: Any = weakref.WeakKeyDictionary()
_all: list[Pipeline] = []


def add(graph: Any, name: str, engine: str, reason: str | None) -> Pipeline:
    """Notes on which engine the pipeline `name` of a graph runs; the last word stands."""
    entries = _graphs.setdefault(graph, {})
    if name not in entries:
        entries[name] = Pipeline(name, engine)
        _all.append(entries[name])
        _write_at_exit()
    entry: Pipeline = entries[name]
    entry.engine, entry.reason = engine, reason
    return entry


def write(path: str) -> None:
    """Writes the pipelines that were pulled from as JSON."""
    pulled = [asdict(entry) for entry in _all if entry.batches]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"pipelines": pulled}, file, indent=1)
        file.write("\n")


_registered: list[bool] = []


def _write_at_exit() -> None:
    if not _registered:
        _registered.append(True)
        atexit.register(_final)


def _final() -> None:
    path = settings.current().report
    if path:
        write(path)
