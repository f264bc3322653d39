"""The report of a run: which pipeline ran on which engine, why, and what it delivered."""

from __future__ import annotations

import atexit
import functools
import json
import weakref
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from queueio import settings
from queueio.runtime.fetched import fetched_ops
from queueio.runtime.topology import DEQUEUES, ancestors


@dataclass
class Pipeline:
    """One entry of the report.

    Attributes:
      name: scope of the batch.
      engine: "data" or "queue".
      reason: why it fell back to the queues; None if it did not.
      batches: session calls that took a batch.
      examples: examples in those batches.
      rows: the tensor that tells how many examples are in the batch of a session call.
      dequeue: the op that takes the batch.
    """

    name: str
    engine: str
    reason: str | None = None
    batches: int = 0
    examples: int = 0
    rows: Any = field(default=None, repr=False)
    dequeue: Any = field(default=None, repr=False)


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
    shown = ("name", "engine", "reason", "batches", "examples")
    pulled = [{key: getattr(entry, key) for key in shown} for entry in _all if entry.batches]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"pipelines": pulled}, file, indent=1)
        file.write("\n")


def counts(graph: Any, name: str, batch: Any) -> None:
    """Has the session calls counted that take `batch`, a tensor of the pipeline's batch."""
    import tensorflow as tf

    entry = add(graph, name, "queue", None) if name not in _entries(graph) else None
    entry = entry or _entries(graph)[name]
    with tf.name_scope(f"{name}/queueio/"):
        sparse = isinstance(batch, tf.SparseTensor)
        above = ancestors([batch.dense_shape.op if sparse else batch.op])
        entry.dequeue = next(op for op in above if op.type in DEQUEUES)
        entry.rows = batch.dense_shape[0] if sparse else tf.shape(batch)[0]


def _entries(graph: Any) -> dict[str, Pipeline]:
    found: dict[str, Pipeline] = _graphs.setdefault(graph, {})
    return found


def _pulled(session: Any, fetches: Any, cache: dict[Any, Any]) -> list[Pipeline]:
    """The pipelines that a session call with these fetches takes a batch from."""
    entries = [entry for entry in _graphs.get(session.graph, {}).values() if entry.rows is not None]
    if not entries:
        return []
    ops = fetched_ops(SimpleNamespace(fetches=fetches, session=session))
    key = (id(session.graph), *(op.name for op in ops))
    if key not in cache:
        needed = set(ancestors(ops))
        cache[key] = [entry for entry in entries if entry.dequeue in needed]
    found: list[Pipeline] = cache[key]
    return found


def _install() -> None:
    """Counts in `Session.run` what is taken; only where a report was asked for."""
    from tensorflow.python.client import session as session_lib

    stock = session_lib.BaseSession.run
    cache: dict[Any, list[Pipeline]] = {}

    @functools.wraps(stock)
    def run(
        self: Any,
        fetches: Any,
        feed_dict: Any = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        pulled = _pulled(self, fetches, cache)
        if not pulled:
            return stock(self, fetches, feed_dict, options, run_metadata)
        both = [fetches, [entry.rows for entry in pulled]]
        return _counted(pulled, *stock(self, both, feed_dict, options, run_metadata))

    session_lib.BaseSession.run = run
    session_lib.BaseSession.make_callable = _counts_calls(session_lib.BaseSession.make_callable)


def _counted(pulled: list[Pipeline], result: Any, rows: list[Any]) -> Any:
    for entry, count in zip(pulled, rows, strict=True):
        entry.batches += 1
        entry.examples += int(count)
    return result


def _counts_calls(stock: Any) -> Any:
    @functools.wraps(stock)
    def make_callable(
        self: Any, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Any:
        pulled = [] if feed_list is not None else _pulled(self, fetches, {})
        if not pulled:  # what is fed goes through `run`
            return stock(self, fetches, feed_list, accept_options)
        made = stock(self, [fetches, [entry.rows for entry in pulled]], None, accept_options)
        return lambda *args, **kwargs: _counted(pulled, *made(*args, **kwargs))

    return make_callable


_registered: list[bool] = []


def _write_at_exit() -> None:
    if not _registered and settings.current().report:
        _registered.append(True)
        _install()
        atexit.register(_final)


def _final() -> None:
    path = settings.current().report
    if path:
        write(path)
