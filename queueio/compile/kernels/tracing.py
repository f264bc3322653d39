"""Functions of datasets, traced with what they need and no more.

`tf.function` would do: half of its time goes into what a function of a dataset has no use for.
Nothing calls one but a dataset, so there are no signatures to bind and no gradients; and in each
all that has to run is what its results need, so nothing must be made to run in order besides.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2
from tensorflow.python.eager.polymorphic_function import atomic_function  # no public spelling

from queueio.compile.kernels.op_building import FunctionGraph, as_tensor, building

_RUNS_AS_WRITTEN = {"experimental_ints_on_device": True}
_NO_SIGNATURE: Any = inspect.Signature()  # nothing in Python calls one
_numbers = itertools.count()


class InRuntime:
    """A function in the runtime, as ops take them."""

    def __init__(self, graph: Any, attributes: Mapping[str, Any]) -> None:
        name = f"__inference_queueio_{next(_numbers)}"
        self._function = atomic_function.from_func_graph(name, graph, attributes, _NO_SIGNATURE)
        self.name = self._function.name

    def add_to_graph(self, graph: Any) -> None:
        """Has a graph know it that holds an op which takes it."""
        graph._add_function_recursive(self._function)


@dataclass(frozen=True, eq=False)
class Traced:
    """A function of elements of a dataset.

    Attributes:
      function: the function.
      captured_inputs: the tensors around it that it uses, its last arguments.
      structured_outputs: its results, as they were returned.
    """

    function: InRuntime
    captured_inputs: list[tf.Tensor]
    structured_outputs: Any


def traced(function: Callable[..., Any], *specs: Any) -> Traced:
    """The function for arguments of these specs, which runs as it is written."""
    graph, outputs = _graph(function, specs)
    return Traced(InRuntime(graph, _RUNS_AS_WRITTEN), graph.external_captures, outputs)


def chosen(wanted: tf.Tensor, one: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """`tf.cond`, for results that are tensors of the same dtypes in the same structure."""
    (yes, structure), (no, _) = _graph(one, ()), _graph(other, ())
    sides = (yes, no)
    around = {id(t): t for side in sides for t in side.external_captures}.values()
    for side in sides:
        with side.as_default():  # where the constant stands that an eager value becomes
            side.inputs = [side.capture(tensor) for tensor in around]
    stateful = any(op._is_stateful for side in sides for op in side.get_operations())
    made = (tf.raw_ops.If if stateful else tf.raw_ops.StatelessIf)(
        cond=wanted, input=list(around), Tout=[t.dtype for t in yes.outputs],
        then_branch=InRuntime(yes, {}), else_branch=InRuntime(no, {}),
        output_shapes=list(map(_shape_of_both, yes.outputs, no.outputs)),
    )  # fmt: skip
    made[0].op._set_attr("_lower_using_switch_merge", attr_value_pb2.AttrValue(b=True))
    return tf.nest.pack_sequence_as(structure, made)


def _shape_of_both(one: tf.Tensor, other: tf.Tensor) -> tf.TensorShape:
    return one.shape.most_specific_compatible_shape(other.shape)


def _graph(function: Callable[..., Any], specs: Sequence[Any]) -> tuple[Any, Any]:
    """The graph of a function, and its results in their structure."""
    graph = FunctionGraph("traced")
    with building(graph):
        given = [tf.compat.v1.placeholder(s.dtype, s.shape) for s in tf.nest.flatten(specs)]
        made = function(*tf.nest.pack_sequence_as(specs, given))
        made = tf.nest.map_structure(as_tensor, made)
        graph.outputs = [graph.capture(tensor) for tensor in tf.nest.flatten(made)]
    graph.inputs = [*given, *graph.internal_captures]
    return graph, made
