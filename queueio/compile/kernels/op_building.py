"""Ops of functions, added to their graphs without what only programs need.

TensorFlow's Python takes 0.1 to 0.3 ms for an op that its runtime adds in 0.02: it looks everything
up in the op's definition anew, writes a node of it, looks for devices, places of colocation and the
lines of the program. The graphs here have none of these, so an op's definition is looked through
once, and the op goes to the runtime at once. It is the op that TensorFlow would have added, under
the same name; what is out of the ordinary, errors above all, is TensorFlow's.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2
from tensorflow.python.client import pywrap_tf_session as runtime  # none of these has a public name
from tensorflow.python.framework import op_callbacks, op_def_library, ops

from queueio.compile.kernels.op_inputs import (
    OpDefinition,
    OpInput,
    argument,
    attributes,
    definition_of,
    of_type,
    typed,
)

_stock = op_def_library._apply_op_helper
_WITH_HANDLE_DATA = (tf.resource, tf.variant)
_lock = threading.Lock()
_building = 0


class _OpsAtOnce:
    """A graph whose ops come with their inputs and attributes and no more."""

    def _create_op_internal(
        self, op_type: str, inputs: Sequence[Any], dtypes: Any = None, input_types: Any = None,
        name: str | None = None, attrs: Mapping[str, Any] | None = None, op_def: Any = None,
        compute_device: bool = True,
    ) -> Any:  # fmt: skip
        definition = _definition_in(self, op_type)
        if definition is None or not all(_can_be_input(self, tensor) for tensor in inputs):
            return super()._create_op_internal(  # type: ignore[misc]
                op_type, inputs, dtypes, input_types, name, attrs, op_def, compute_device
            )
        return _added(self, definition, _name_in(self, name or op_type), inputs, attrs or {})


class PlainGraph(_OpsAtOnce, tf.Graph):
    """Such a graph."""


class FunctionGraph(_OpsAtOnce, tf.__internal__.FuncGraph):
    """Such a graph, of a function."""

    def _capture_helper(self, tensor: Any, name: str) -> Any:
        """The argument that a tensor of a graph around becomes: waits for nothing."""
        captures, definition = self._function_captures, definition_of("Placeholder")
        known = id(tensor) in captures.by_val_internal or tensor.dtype in _WITH_HANDLE_DATA
        if known or definition is None:
            return super()._capture_helper(tensor, name)
        attrs = {
            "dtype": of_type(tensor.dtype.base_dtype),
            "shape": attr_value_pb2.AttrValue(shape=tensor.shape.as_proto()),
            "_user_specified_name": attr_value_pb2.AttrValue(s=name.encode()),
        }
        made = _added(self, definition, self.unique_name(name), (), attrs)
        spec = tf.TensorSpec(tensor.shape, tensor.dtype)
        captures.add_or_replace(id(tensor), tensor, made.outputs[0], spec)
        self.inputs.append(made.outputs[0])
        return made.outputs[0]


def _is_special(graph: Any) -> bool:
    """Whether something around says more of ops than themselves: what they wait for, a device."""
    return bool(
        any(waiting.control_inputs for waiting in graph._control_dependencies_stack)
        or graph._get_control_flow_context()
        or graph._colocation_stack
        or graph._device_function_stack
        or graph._attr_scope_map
        or graph._op_to_kernel_label_map
        or graph._gradient_override_map
        or graph._container
    )


def _definition_in(graph: Any, op_type: str) -> OpDefinition | None:
    """What an op is added by; None where that is left to TensorFlow."""
    return None if _is_special(graph) else definition_of(op_type)


def _can_be_input(graph: Any, tensor: Any) -> bool:
    """Whether ops of the graph can take the tensor; a function has what is around as arguments."""
    return graph.building_function or getattr(tensor, "graph", None) is graph


def _name_in(graph: Any, name: str) -> str:
    """The name of an op to come; one that ends in a stroke is a scope's, and free."""
    return name[:-1] if name[-1] == "/" else str(graph.unique_name(name))


def _added(
    graph: Any, definition: OpDefinition, name: str, inputs: Sequence[Any], attrs: Mapping[str, Any]
) -> Any:
    """The op, in the graph.

    Raises:
      ValueError: as TensorFlow does, where the inputs do not fit.
    """
    inputs = [t if getattr(t, "graph", None) is graph else graph.capture(t) for t in inputs]
    with graph._c_graph.get() as its_graph:
        made = runtime.TF_NewOperation(its_graph, definition.op_type, name)
    places = iter(inputs)
    for taken in definition.inputs:
        count = taken.length(attrs)
        if count is None:
            runtime.TF_AddInput(made, next(places)._as_tf_output())
        else:
            runtime.TF_AddInputList(made, [next(places)._as_tf_output() for _ in range(count)])
    for key, value in attrs.items():
        runtime.TF_SetAttrValueProto(made, key, value.SerializeToString())
    try:
        finished = runtime.TF_FinishOperation(made)
    except tf.errors.InvalidArgumentError as error:
        raise ValueError(error.message) from None
    return ops.Operation._from_c_op(finished, graph)


def as_tensor(value: Any) -> tf.Tensor:
    """`tf.convert_to_tensor`, which takes its time for what is a tensor too."""
    return value if isinstance(value, ops.SymbolicTensor) else tf.convert_to_tensor(value)


@contextmanager
def building(graph: Any) -> Iterator[None]:
    """With one of these graphs as the default one, to whose ops all of the above applies."""
    global _building
    with _lock:
        _building += 1
        op_def_library._apply_op_helper = _apply
    try:
        with graph.as_default():
            yield
    finally:
        with _lock:
            _building -= 1
            if not _building:
                op_def_library._apply_op_helper = _stock


def _apply(op_type_name: str, name: str | None = None, **given: Any) -> Any:
    """TensorFlow's `_apply_op_helper`, which all functions that add ops call."""
    graph = ops.get_default_graph()
    definition = _definition_in(graph, op_type_name) if isinstance(graph, _OpsAtOnce) else None
    if definition is not None and not op_callbacks.should_invoke_op_callbacks():
        try:
            return _applied(graph, definition, name or op_type_name, dict(given))
        except (TypeError, ValueError, KeyError):
            pass  # it says what is wrong
    return _stock(op_type_name, name, **given)


def _applied(graph: Any, definition: OpDefinition, name: str, given: dict[str, Any]) -> Any:
    """What `_apply_op_helper` returns.

    Raises:
      TypeError, ValueError, KeyError: where something does not fit.
    """
    taken = [argument(given, one.name) for one in definition.inputs]
    if all(map(functools.partial(_is_here, graph), definition.inputs, taken)):
        return _with_inputs(graph, definition, _name_in(graph, name), taken, given)
    with ops.name_scope(name) as scope:  # where what they become stands
        return _with_inputs(graph, definition, scope[:-1], taken, given)


def _with_inputs(
    graph: Any, definition: OpDefinition, name: str, taken: list[Any], given: dict[str, Any]
) -> Any:
    inputs, attrs = typed(definition, taken)
    attrs = attributes(definition, attrs, given)
    if given:
        raise TypeError(f"{definition.op_type} takes no {', '.join(given)}")
    op = _added(graph, definition, name, inputs, attrs)
    structure = [one.length(attrs) for one in definition.outputs]
    return structure, definition.is_stateful, op, op.outputs


def _is_here(graph: Any, one: OpInput, value: Any) -> bool:
    """Whether an argument is a tensor of the graph, or a list of such, as the input takes it.

    Raises:
      ValueError: the graph cannot have one of them as an input.
    """
    is_list = isinstance(value, (list, tuple))
    here = is_list == one.is_list
    for each in value if is_list else (value,):
        if not isinstance(each, ops.SymbolicTensor):
            here = False
        elif each.graph is not graph:
            here = False
            if not _can_be_input(graph, each):
                raise ValueError(f"{each} is of another graph")
    return here
