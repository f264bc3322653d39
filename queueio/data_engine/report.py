"""The report of a run: which pipeline ran on which engine, why, and what it delivered.

Every queue and reader that session calls took from is in it. How long a call waited for its batch,
the step itself tells: the clock is read where it begins and where the batch has come.
"""

from __future__ import annotations

import atexit
import functools
import json
import sys
import time
import warnings
import weakref
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from queueio import outputs, settings
from queueio.data_engine.takes import name_of, takes_of
from queueio.errors import FallbackWarning, message
from queueio.graph.origin import Origin
from queueio.graph.traversal import ancestors, in_branch, is_dequeue
from queueio.runtime import calls, ledger
from queueio.runtime.calls import Along, SessionCall
from queueio.runtime.diagnosis.queues import opened
from queueio.words import times


@dataclass
class Entry:
    """One entry of the report.

    Attributes:
      name: scope of the batch; of other queues, the queue's own; of a read, the op's.
      engine: "data" or "queue".
      reason: why it is not the engine that was asked for; None if it is.
      batches: how often session calls took from it.
      examples: how many elements they took; None where one took in a branch of a cond or in a
        loop, of which the call does not tell whether, or how often, it ran.
      resumes: whether checkpoints hold where it stands, so that a restored run goes on from there.
      seconds: from the first call that took from it to the end of the last one.
      waited: how many of them calls had to wait for what they took; None where no call can tell.
      work: seconds that tf.data spent on each kind of work, on all processors together; empty on
        the queues, where the session was closed before the threads had ended, and where tf.data's
        model showed less than a tenth of it.
    """

    name: str
    engine: str
    reason: str | None = None
    batches: int = 0
    examples: int | None = 0
    resumes: bool = False
    seconds: float = 0.0
    waited: float | None = None
    work: dict[str, float] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """What the model had of it, in a line."""
        many = f"took {self.examples:,}" if self.examples is not None else (
            "may have taken, in a branch or loop, which is not counted,"
        )  # fmt: skip
        taken = f"{self.name!r} ({self.engine}): {times(self.batches, 'call')} {many}"
        taken += f" in {self.seconds:,.1f} s"
        if self.waited is None or not self.seconds:
            return taken
        taken += f"; the model waited {self.waited / self.seconds:.0%} of the time for input"
        if not self.work:
            return taken
        spent = ", ".join(f"{name} {seconds:,.2f}" for name, seconds in self.work.items())
        return f"{taken}, whose work took, in seconds of a processor: {spent}"


class _Take(NamedTuple):
    """An op that takes from a pipeline.

    Attributes:
      entry: the pipeline.
      rows: tells how many elements; None: one.
      came: tells when they have come; None in a branch, which not every call takes: no call can
        ask for its rows either.
    """

    entry: Entry
    rows: Any
    came: Any


_graphs: Any = weakref.WeakKeyDictionary()
_takes: Any = weakref.WeakKeyDictionary()
_all: list[Entry] = []
_pulled: Any = weakref.WeakKeyDictionary()
_clocks: Any = weakref.WeakKeyDictionary()
_begun: dict[int, float] = {}
"""When the first call took from an entry, by its id; `_all` keeps them all."""
_waited: dict[int, float] = {}
"""Until when its waits are counted: those of one call, or of calls at once, overlap."""


def add(graph: Any, name: str, engine: str, reason: str | None, resumes: bool = False) -> Entry:
    """Notes on which engine the pipeline `name` of a graph runs; the last word stands."""
    entries = _graphs.setdefault(graph, {})
    if name not in entries:
        entries[name] = Entry(name, engine)
        _all.append(entries[name])
        start()
    entry: Entry = entries[name]
    entry.engine, entry.reason, entry.resumes = engine, reason, resumes
    return entry


def took(graph: Any, name: str, work: dict[str, float]) -> None:
    """Notes what tf.data's work on a pipeline took."""
    _entry(graph, name).work = work


def fall_back(name: str, refusal: Exception, made_at: Origin) -> None:
    """One visible warning at the line that made the pipeline; under `strict` the refusal."""
    if settings.current().strict:
        raise refusal
    told = FallbackWarning(message(f"pipeline {name!r} runs on TF1's queues", str(refusal)))
    if made_at.filename is None:
        warnings.warn(told, stacklevel=2)
    else:
        warnings.warn_explicit(told, FallbackWarning, made_at.filename, made_at.lineno)


def warn(told: str, made_at: Origin) -> None:
    """A warning at the line that made a pipeline, of what the data engine does not do for it."""
    at = made_at.filename or "imported graph"
    warnings.warn_explicit(told, FallbackWarning, at, made_at.lineno)


def write(path: str) -> None:
    """Writes the pipelines that were pulled from as JSON."""
    pulled = [{**vars(entry), "told": entry.told} for entry in _pulled_from()]
    outputs.write(path, json.dumps({"pipelines": pulled}, indent=1) + "\n")


def _pulled_from() -> list[Entry]:
    return [entry for entry in _all if entry.batches]


def counts(graph: Any, name: str, batch: Any) -> None:
    """Has the session calls counted that take `batch`, a tensor of the pipeline's batch."""
    import tensorflow as tf

    with tf.name_scope(f"{name}/queueio/"):
        sparse = isinstance(batch, tf.SparseTensor)
        dequeue = next(filter(is_dequeue, ancestors([batch.dense_shape if sparse else batch])))
        rows = batch.dense_shape[0] if sparse else tf.shape(batch)[0]
    _takes.setdefault(graph, {})[dequeue] = _Take(_entry(graph, name), rows, _clock(dequeue))


def _entry(graph: Any, name: str) -> Entry:
    found: dict[str, Entry] = _graphs.setdefault(graph, {})
    return found[name] if name in found else add(graph, name, "queue", None)


def _take(graph: Any, op: Any) -> _Take:
    known: dict[Any, _Take] = _takes.setdefault(graph, {})
    if op not in known:
        known[op] = _Take(_entry(graph, name_of(op)), _rows(op), _clock(op))
    return known[op]


def _rows(op: Any) -> Any:
    if in_branch(op) or ("Many" not in op.type and "UpTo" not in op.type):
        return None
    import tensorflow as tf

    with opened(op.graph, "queueio_report/"):
        return tf.shape(op.outputs[0])[0]


def _clock(after: Any) -> Any:
    """The time when an op has run (float64 scalar, seconds); None in a branch."""
    if in_branch(after):
        return None
    import tensorflow as tf

    with opened(after.graph, "queueio_report/"), tf.control_dependencies([after]):
        return tf.timestamp()


def _clock_of(graph: Any) -> Any:
    """The time when a call begins."""
    if graph not in _clocks:
        import tensorflow as tf

        with opened(graph, "queueio_report/"):
            _clocks[graph] = tf.timestamp().op.name
    return graph.get_operation_by_name(_clocks[graph]).outputs[0]


def _counting(call: SessionCall) -> Along | None:
    """How many elements a session call takes; a queue runner takes for its own queue."""
    if ledger.current() is not None:
        return None
    graph = call.session.graph
    known: dict[Any, list[_Take]] = _pulled.setdefault(graph, {})
    if call.key not in known:
        known[call.key] = [_take(graph, op) for op in takes_of(call)]
    pulled = known[call.key]
    if not pulled:
        return None
    sure = [take for take in pulled if take.came is not None]
    asked = [each for take in sure for each in (take.rows, take.came) if each is not None]
    return Along([_clock_of(graph), *asked], functools.partial(_count, pulled))


def _count(pulled: list[_Take], values: list[Any]) -> None:
    began, *rest = values
    told = iter(rest)
    for take in pulled:
        entry = take.entry
        entry.batches += 1
        if take.came is None:
            entry.examples = None
        else:
            rows = 1 if take.rows is None else int(next(told))
            entry.examples = None if entry.examples is None else entry.examples + rows
            came, until = float(next(told)), _waited.get(id(entry), began)
            entry.waited = (entry.waited or 0.0) + max(0.0, came - max(began, until))
            _waited[id(entry)] = max(until, came)
        first = _begun.setdefault(id(entry), began)
        entry.seconds = max(entry.seconds, time.time() - first)


_registered: list[bool] = []


def start() -> None:
    """Has the session calls counted from now on, and written at the end of the run, if asked."""
    if not _registered and settings.current().report:
        _registered.append(True)
        calls.along.append(_counting)
        atexit.register(_final)


def _final() -> None:
    path = settings.current().report
    if path:
        try:
            write(path)
        except OSError as error:  # Python would show where in queueio, and nothing to do
            print(f"queueio: the report {path} cannot be written: {error.strerror}. Give a path"
                  " that can be, by --report or QUEUEIO_REPORT.", file=sys.stderr)  # fmt: skip
        for entry in _pulled_from():
            print(f"queueio: {entry.told}", file=sys.stderr)
