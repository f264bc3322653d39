"""One walk back from tensors to where their stream enters; refuses what no fragment may hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from queueio.lift.index import kind, root
from queueio.lift.refusal import refuse
from queueio.lift.state import check_unwritten, is_state

_HANDLES = frozenset({"QueueSize", "QueueIsClosed", "FakeQueue"})
_FOREIGN = ("IteratorGetNext", "Barrier", "Stage", "Unstage", "MapStage", "MapUnstage",
            "OrderedMap", "ReaderNum", "ReaderSerialize", "_Recv", "RecordInput")  # fmt: skip


class Reach:
    """What lies between tensors and the points where their stream enters.

    Attributes:
      points: the dequeues and reads, in the order of their making.
      takes: the ops that take sparse tensors out of a map.
      counters: the ops that count evaluations up to a limit.
      inside: all other ops, each once.
    """

    def __init__(self, tensors: Iterable[Any], controls: Iterable[Any] = ()) -> None:
        self.points: list[Any] = []
        self.takes: list[Any] = []
        self.counters: list[Any] = []
        self.inside: list[Any] = []
        self._walk([t.op for t in tensors] + list(controls))
        self.points.sort(key=_made)
        self._made: frozenset[Any] = frozenset()

    @property
    def outside(self) -> list[Any]:
        """The ops at the edge, whose control edges do not belong to the fragment."""
        return [*self.points, *self.takes, *self.counters]

    def check(self, *, run_by_runner: bool, foreign: bool) -> None:
        """Refuses ops that cannot be run elsewhere, or not with a known result.

        Args:
          run_by_runner: whether a queue runner runs these ops; it never feeds a placeholder.
          foreign: whether the graph was made by another process.
        """
        for op in self.inside:
            _check(op, run_by_runner, foreign)
        counters = frozenset(self.counters)
        for op in self.inside:
            if is_state(op):
                check_unwritten(op, counters)

    def _walk(self, stack: list[Any]) -> None:
        seen = set(stack)
        stack = list(seen)
        while stack:
            op = stack.pop()
            edge = self._edge(op)
            (self.inside if edge is None else edge).append(op)
            # A point's own inputs are handles; what else it needs is the stage's business.
            parents = [t.op for t in op.inputs] + list(op.control_inputs) if edge is None else []
            if edge is self.takes:
                parents = [t.op for t in op.inputs]
            for other in parents:
                if other not in seen:
                    seen.add(other)
                    stack.append(other)

    def _edge(self, op: Any) -> list[Any] | None:
        what = kind(op)
        if what.startswith(("QueueDequeue", "ReaderRead")):
            return self.points
        if what.startswith("TakeManySparse"):
            return self.takes
        if what.endswith("CountUpTo"):
            return self.counters
        return None


def _made(op: Any) -> int:
    return int(op._id)  # no public spelling; ops are numbered as they are made


def _check(op: Any, run_by_runner: bool, foreign: bool) -> None:
    what = kind(op)
    if what == "Placeholder":
        raise refuse(
            op,
            "a placeholder is fed from outside of the graph, so the graph does not say with what",
            "Feed the data from Python with tf.data.Dataset.from_generator instead",
            never=True,
        )
    if what == "PlaceholderWithDefault" and not run_by_runner:
        raise refuse(
            op,
            "each session call may feed it another value",
            "Use a constant where the pipeline is lifted",
        )
    if what in _HANDLES or what.startswith(_FOREIGN):
        raise refuse(
            op,
            "its result depends on how far other threads have come, not on the example alone",
            "Leave it out of the tensors that are lifted",
            never=True,
        )
    for tensor in op.inputs:
        if kind(root(tensor).op).endswith(("Queue", "Reader")):
            raise refuse(
                op,
                f"it uses {root(tensor).op.name!r} inside a cond, a loop or a function",
                "Take from the queue outside of it, and use the result inside",
            )
    if foreign and what in ("PyFunc", "PyFuncStateless", "EagerPyFunc"):
        raise refuse(
            op,
            "a Python function is not part of a MetaGraph",
            "Build the graph in this process and lift its tensors",
            never=True,
        )
    if any(t.dtype._is_ref_dtype for t in op.inputs) and "Assign" in what:
        _refuse_write(op)
    if what.startswith(("Assign", "Scatter", "ResourceScatter", "LookupTableInsert")):
        _refuse_write(op)


def _refuse_write(op: Any) -> None:
    raise refuse(
        op,
        "the pipeline changes state as it goes, and examples worked on together would change it"
        " in another order",
        "Keep the count outside of the input pipeline",
    )
