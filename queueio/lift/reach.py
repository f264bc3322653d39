"""One walk back from tensors to where their stream enters; refuses what no fragment may hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from queueio.graph.choosing import FEED
from queueio.graph.refusal import refuse
from queueio.graph.traits import State, is_called_by_type, row_of
from queueio.graph.traversal import is_counter, is_handle, is_take, kind, parents, root
from queueio.graph.trust import Trust
from queueio.lift.barriers import refuse_barrier
from queueio.lift.state import check_unwritten, is_state

_HANDLES = frozenset({"QueueSize", "QueueIsClosed", "FakeQueue"})
_FOREIGN = ("Barrier", "Stage", "Unstage", "MapStage", "MapUnstage",
            "OrderedMap", "ReaderNum", "ReaderSerialize", "_Recv", "RecordInput")  # fmt: skip


class Reach:
    """What lies between tensors and the points where their stream enters.

    Attributes:
      points: the dequeues, the reads and the counters whose numbers are used, in the order of
        their making.
      takes: the ops that take sparse tensors out of a map.
      counters: the ops that count evaluations up to a limit, and do nothing else.
      inside: all other ops, each once.
    """

    def __init__(self, tensors: Iterable[Any], controls: Iterable[Any] = ()) -> None:
        self.points: list[Any] = []
        self.takes: list[Any] = []
        self.counters: list[Any] = []
        self.inside: list[Any] = []
        self._counted: list[Any] = []
        tensors = list(tensors)
        self._walk([t.op for t in tensors] + list(controls))
        self._share_out_counters(tensors)
        self.points.sort(key=_made)

    @property
    def ops(self) -> list[Any]:
        """All of them."""
        return self.inside + self.outside

    @property
    def outside(self) -> list[Any]:
        """The ops at the edge, whose control edges do not belong to the fragment."""
        return [*self.points, *self.takes, *self.counters]

    def check(self, *, run_by_runner: bool, trust: Trust) -> None:
        """Refuses ops that cannot be run elsewhere, or not with a known result.

        Args:
          run_by_runner: whether a queue runner runs these ops; it never feeds a placeholder.
          trust: which ops with an effect may run.
        """
        for op in self.inside:
            _check(op, run_by_runner, trust)
        for op in self.inside:
            if is_state(op):
                check_unwritten(op)
        for counter in self._counted:
            check_unwritten(root(counter.inputs[0]).op, counter)

    def _walk(self, stack: list[Any]) -> None:
        seen = set(stack)
        stack = list(seen)
        while stack:
            op = stack.pop()
            edge = self._edge(op)
            (self.inside if edge is None else edge).append(op)
            # A point's own inputs are handles; what else it needs is the stage's business.
            needed = parents(op) if edge is None else []
            if edge is self.takes:
                needed = [t.op for t in op.inputs]
            for other in needed:
                if other not in seen:
                    seen.add(other)
                    stack.append(other)

    def _share_out_counters(self, tensors: list[Any]) -> None:
        """A counter whose number is used is where a stream enters; the others are limits."""
        read = {t.op for t in tensors} | {t.op for op in self.inside for t in op.inputs}
        for counter in self._counted:
            (self.points if counter in read else self.counters).append(counter)

    def _edge(self, op: Any) -> list[Any] | None:
        if is_take(op):
            return self.points
        if op.type.startswith("TakeManySparse"):
            return self.takes
        if is_counter(op):
            return self._counted
        return None


def check_inside(ops: Iterable[Any], call: Any, *, trust: Trust) -> None:
    """Refuses ops under a condition that use state: their share of it is known only in the run.

    Args:
      ops: the ops that run under it.
      call: the op that runs them, where they are in a function of its own.
      trust: as for `check`.
    """
    for op in ops:
        handles = list(filter(is_handle, op.inputs))
        if handles and not row_of(op.type).hands_on:
            raise refuse(
                op,
                f"it uses {root(handles[0]).op.name!r} only where a condition holds",
                "Take from queues, and read or count state, outside of the cond, and use the result"
                " inside",
            )
        _check(op, run_by_runner=True, trust=trust, call=call)


def _made(op: Any) -> int:
    return int(op._id)  # no public spelling; ops are numbered as they are made


def _check(op: Any, run_by_runner: bool, trust: Trust, call: Any = None) -> None:
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
    if what in ("BarrierTakeMany", "BarrierInsertMany"):
        raise refuse_barrier(op)
    if what.startswith("IteratorGetNext"):
        raise refuse(
            op,
            "each call takes the next element of a dataset, which is tf.data already",
            "Write what comes behind it in tf.data, too, dataset.map(…).shuffle(…).batch(…) for"
            " the queue; or leave it on the queue engine",
            never=True,
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
                f"Take from the queues outside of the cond; {FEED}"
                if what in ("If", "StatelessIf")
                else "Take from the queue outside of it, and use the result inside",
            )
    if is_called_by_type(op):
        raise refuse(
            op,
            "it calls a function of its graph by the type of the op, as `function.Defun` of TF1"
            " does, and only that graph knows this type",
            "Call the Python function below the decorator, or make it a tf.function",
        )
    trust.check(op, call)
    if row_of(op.type).state is State.WRITES:
        raise refuse(
            op,
            "the pipeline changes state as it goes, and examples worked on together would change"
            " it in another order",
            "Run it on the queue engine; or keep what it counts or remembers outside of the input"
            " pipeline",
        )
