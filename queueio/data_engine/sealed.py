"""A dataset as one op of the program's graph, to which its own graph is fed as a text.

A session rewrites, at its first step, whatever that step reaches: the functions of a dataset too,
all five hundred ops of them, which takes half of the time until the first batch. It does not look
into a text. tf.data makes the dataset of it when the iterator is initialised, and the program's
graph stays as small as the program wrote it.
"""

from __future__ import annotations

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

    Attributes:
      iterator: not initialised.
    """

    def __init__(self, plan: PlanTree, make: Make) -> None:
        self._given: Any = None
        dataset = make(captures=None) if captures_something(plan) else self._of_text(make)
        self.iterator = v1.data.make_initializable_iterator(dataset)

    def begin(self, run: Callable[..., Any]) -> None:
        """Initialises the iterator; `run` is a session's, not watched."""
        fed = {} if self._given is None else {self._given: self._text(run(self._asked))}
        run(self.iterator.initializer, fed)

    def _of_text(self, make: Make) -> tf.data.Dataset:
        graph = tf.Graph()
        captures = Asking(graph)
        with graph.as_default():
            dataset = make(captures=captures)
            variant = tf.data.experimental.to_variant(dataset)
        self._asked = captures.asked
        definition = _with_result(graph.as_graph_def(), variant)
        self._definition: bytes = definition.SerializeToString()
        self._kept = graph if _runs_python(definition) else None
        self._given = v1.placeholder(tf.string, [], name="dataset")
        read = tf.raw_ops.DatasetFromGraph(graph_def=self._given)
        return tf.data.experimental.from_variant(read, dataset.element_spec)

    def _text(self, answers: dict[str, Any]) -> bytes:
        """The graph with what the program's graph answered to what was asked."""
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
