"""A dataset as one op of the program's graph, to which its own graph is fed as a text.

A session rewrites, at its first step, whatever that step reaches: the functions of a dataset too,
all five hundred ops of them, which takes half of the time until the first batch. It does not look
into a text. tf.data makes the dataset of it when the iterator is initialised, and the program's
graph stays as small as the program wrote it. The text is written when the iterator begins: where
TF1's queues do the work after all, nobody has waited for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from queueio.compile.resources import Asking, captures_something
from queueio.graph.traits import Effect, row_of
from queueio.plan.tree import PlanTree

v1 = tf.compat.v1
Make = Callable[..., tf.data.Dataset]
_RESULT = "result"


class Sealed:
    """An iterator of a plan's dataset, in the default graph, which is the plan's.

    A dataset that reads variables or tables of the program's graph is made in that graph.

    Args:
      plan: the plan.
      make: makes its dataset, given `captures`.
      element_spec: of that dataset, where that is known before it is made.

    Attributes:
      iterator: not initialised.
    """

    def __init__(self, plan: PlanTree, make: Make, element_spec: Any = None) -> None:
        self._lock, self._make = threading.Lock(), make
        self._definition: bytes | None = None
        self._given: Any = None
        if captures_something(plan):
            dataset = make(captures=None)
        else:
            self._captures = Asking(tf.Graph(), plan)
            dataset = self._of_text(self._written() if element_spec is None else element_spec)
        self.iterator = v1.data.make_initializable_iterator(dataset)

    def begin(self, run: Callable[..., Any]) -> None:
        """Initialises the iterator; `run` is a session's, not watched."""
        if self._given is None:
            run(self.iterator.initializer)
            return
        self._written()
        answers = run(self._captures.asked)
        run(self.iterator.initializer, {self._given: self._text(answers)})

    def _of_text(self, element_spec: Any) -> tf.data.Dataset:
        self._given = v1.placeholder(tf.string, [], name="dataset")
        read = tf.raw_ops.DatasetFromGraph(graph_def=self._given)
        return tf.data.experimental.from_variant(read, element_spec)

    def _written(self) -> Any:
        """Makes the dataset and writes its graph down, once; its `element_spec`."""
        with self._lock:
            if self._definition is None:
                graph = self._captures.graph
                with graph.as_default():
                    dataset = self._make(captures=self._captures)
                    variant = tf.data.experimental.to_variant(dataset)
                definition = _with_result(graph.as_graph_def(), variant)
                self._kept = graph if _runs_python(definition) else None
                self._spec = dataset.element_spec
                self._definition = definition.SerializeToString()
            return self._spec

    def _text(self, answers: dict[str, Any]) -> bytes:
        """The graph with what the program's graph answered to what was asked."""
        assert self._definition is not None
        if not answers:
            return self._definition
        definition = v1.GraphDef.FromString(self._definition)
        for node in definition.node:
            if node.name in answers:
                node.op = "Const"
                node.attr.pop("shape", None)
                node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(answers[node.name]))
        text: bytes = definition.SerializeToString()
        return text


def _with_result(definition: Any, variant: tf.Tensor) -> Any:
    result = definition.node.add(name=_RESULT, op="_Retval", input=[variant.name])
    result.attr["T"].type = variant.dtype.as_datatype_enum
    result.attr["index"].i = 0
    return definition


def _runs_python(definition: Any) -> bool:
    """Whether ops call Python functions, which live as long as the graph that they were made in."""
    bodies = (function.node_def for function in definition.library.function)
    types = {node.op for nodes in (definition.node, *bodies) for node in nodes}
    return any(row_of(kind).effect is Effect.RUNS_PYTHON for kind in types)
