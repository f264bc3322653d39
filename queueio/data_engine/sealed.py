"""A dataset as one op of the program's graph, to which its own graph is fed as a text.

A session rewrites, at its first step, whatever that step reaches: the functions of a dataset too,
all five hundred ops of them, which takes half of the time until the first batch. It does not look
into a text. tf.data makes the dataset of it when the iterator is initialised, and the program's
graph stays as small as the program wrote it. The text is written when the iterator begins, or found
where a run before has kept it: where TF1's queues do the work after all, nobody waits for it.
"""

from __future__ import annotations

import functools
import math
import threading
import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf

from queueio import __version__
from queueio.compile import definition
from queueio.compile.definition import Definition, machine
from queueio.compile.kernels.op_building import PlainGraph, building
from queueio.compile.marks import measured
from queueio.compile.resources import Asking, left_before_end
from queueio.data_engine.state_read import StateRead
from queueio.plan.fingerprint import fingerprint
from queueio.plan.tree import PlanTree

v1 = tf.compat.v1
Make = Callable[..., tf.data.Dataset]


class _Counter(NamedTuple):
    """What moves a counter: to its limit, where it lets nothing pass, or to a fed value."""

    limit: int
    value: Any
    set: Any

    @classmethod
    def of(cls, op: Any) -> _Counter:
        """That of a counting op."""
        variable, limit = op.inputs[0], op.get_attr("limit")
        value = v1.placeholder_with_default(tf.constant(limit, op.get_attr("T")), [])
        if variable.dtype == tf.resource:
            moved = tf.raw_ops.AssignVariableOp(resource=variable, value=value)
        else:
            moved = tf.raw_ops.Assign(ref=variable, value=value).op
        return cls(limit, value, moved)


class Sealed:
    """An iterator of a plan's dataset, in the default graph, which is the plan's.

    A dataset that reads variables or tables of the program's graph is made in that graph.

    Args:
      plan: the plan.
      make: makes its dataset, given `captures`.
      element_spec: of that dataset, where that is known before it is made.

    Attributes:
      iterator: not initialised.
      held: the values of the variables and tables that it reads.
      model: tf.data's model of it, a serialised ModelProto; None where nothing is measured.
    """

    def __init__(self, plan: PlanTree, make: Make, element_spec: Any = None) -> None:
        self._lock, self._make = threading.Lock(), make
        self._definition: Definition | None = None
        self._spec: Any = None
        self._given: Any = None
        counters = {n.counts_with.name: n.counts_with for n in plan.stages if n.counts_with}
        self._left = {name: left_before_end(op) for name, op in counters.items()}
        if plan.state:
            dataset = make(captures=None)
        else:
            self._captures = Asking(PlainGraph(), self._left)
            if element_spec is None:
                self._definition = self._made()
            dataset = self._of_text(element_spec or self._spec)
        self.iterator = v1.data.make_initializable_iterator(dataset)
        handle = self.iterator._iterator_resource
        self._counters = {name: _Counter.of(op) for name, op in counters.items()}
        self.held = StateRead(plan.state)
        self.model = tf.raw_ops.IteratorGetModelProto(iterator=handle) if measured() else None

    def begin(self, run: Callable[..., Any], *also: Any) -> None:
        """Initialises the iterator; `run` is a session's, not watched, which runs `also` as well.

        All in one call: a session takes ten milliseconds for the first one of its kind.
        """
        if self._given is None:
            run([self.iterator.initializer, *also])
            return
        made = self._written()
        answers = run(self._captures.questions(made.asked))
        run([self.iterator.initializer, *also], {self._given: made.with_values(answers)})

    def left(self, run: Callable[..., Any]) -> bool:
        """Whether a counter would let something pass; `run` as in `begin`."""
        return any(run(self._left).values())

    def use_up(self, run: Callable[..., Any]) -> dict[str, int]:
        """Sets all counters to their limits; returns what was left of each."""
        left: dict[str, int] = run(self._left)
        run([counter.set for counter in self._counters.values()])
        return left

    def give_back(self, run: Callable[..., Any], left: dict[str, int]) -> None:
        """Sets the counters to where they were when `use_up` found so much `left`."""
        at = {
            self._counters[name].value: self._counters[name].limit - n for name, n in left.items()
        }
        run([self._counters[name].set for name in left], at)

    @functools.cached_property
    def identity(self) -> str:
        """What another process needs to have, too, to take up this one's iterator.

        Where that cannot be told, none has it.
        """
        made = self._fingerprint or fingerprint(self._make, math.inf) or uuid.uuid4()
        return repr((made, machine(), self.iterator.element_spec, __version__))

    @functools.cached_property
    def _fingerprint(self) -> str | None:
        """Of what makes the dataset, at the first beginning: the program may go on building."""
        return fingerprint(self._make)

    def _of_text(self, element_spec: Any) -> tf.data.Dataset:
        self._given = v1.placeholder(tf.string, [], name="dataset")
        read = tf.raw_ops.DatasetFromGraph(graph_def=self._given)
        return tf.data.experimental.from_variant(read, element_spec)

    def _written(self) -> Definition:
        """The dataset in writing: made or found once."""
        with self._lock:
            if self._definition is None:
                self._definition = definition.kept(self._fingerprint, self._made)
            return self._definition

    def _made(self) -> Definition:
        """Made now; sets `_spec`, the dataset's `element_spec`."""
        graph = self._captures.graph
        with building(graph):
            dataset = self._make(captures=self._captures)
            self._spec = dataset.element_spec
            return Definition.of(dataset, graph, self._captures.asked)
