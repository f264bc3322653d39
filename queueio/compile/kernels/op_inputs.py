"""What ops take: their definitions, and a function's arguments as tensors and attributes.

A definition is looked through once; TensorFlow's Python looks it through for each op.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2
from tensorflow.python.framework import op_def_library, op_def_registry, ops  # no public names

_PLAIN = (int, float, bool, str, bytes, np.ndarray)


class OpInput(NamedTuple):
    """An input of an op: a tensor, or a list of them, and the attributes that tell of it."""

    name: str
    dtype: Any  # where the definition has it
    type_attr: str
    types_attr: str  # of a list whose tensors have dtypes of their own
    number_attr: str  # of a list

    @property
    def is_list(self) -> bool:
        return bool(self.number_attr or self.types_attr)

    def length(self, attrs: Mapping[str, Any]) -> int | None:
        """How many tensors it is, by an op's attributes; None for what is no list."""
        if self.number_attr:
            return int(attrs[self.number_attr].i)
        return len(attrs[self.types_attr].list.type) if self.types_attr else None


class OpDefinition(NamedTuple):
    """What adding ops of a type needs of their definition."""

    op_type: str
    inputs: list[OpInput]
    outputs: list[OpInput]
    attributes: list[tuple[str, str, Any]]  # name, type and default of each
    default_types: dict[str, tf.DType]
    allowed_types: dict[str, frozenset[int]]
    is_stateful: bool


@functools.cache
def definition_of(op_type: str) -> OpDefinition | None:
    """The definition; None where ops of the type are left to TensorFlow."""
    found = op_def_registry.get(op_type)
    if found is None or found.deprecation.version or any(a.is_ref for a in found.input_arg):
        return None
    types = [a for a in found.attr if a.type == "type"]
    return OpDefinition(
        op_type,
        list(map(_input, found.input_arg)),
        list(map(_input, found.output_arg)),
        [(a.name, a.type, a.default_value if a.HasField("default_value") else None)
         for a in found.attr],
        {a.name: tf.as_dtype(a.default_value.type) for a in types if a.HasField("default_value")},
        {a.name: frozenset(a.allowed_values.list.type)
         for a in types if a.HasField("allowed_values")},
        found.is_stateful,
    )  # fmt: skip


def _input(told: Any) -> OpInput:
    dtype = tf.as_dtype(told.type) if told.type else None
    return OpInput(told.name, dtype, told.type_attr, told.type_list_attr, told.number_attr)


def attributes(
    definition: OpDefinition, told: dict[str, Any], given: dict[str, Any]
) -> dict[str, Any]:
    """All attributes: those that the inputs told, and the rest, taken out of what is given.

    Raises:
      KeyError: one is missing.
      TypeError: one has another type than it needs.
    """
    for key, kind, default in definition.attributes:
        if key not in told:
            value = argument(given, key)
            told[key] = (
                default if value is None and default is not None
                else of_type(value) if kind == "type"
                else op_def_library.value_to_attr_value(value, kind, key)
            )  # fmt: skip
    return told


def argument(given: dict[str, Any], name: str) -> Any:
    """Takes an argument out; Python's own words have a line below behind them."""
    return given.pop(name) if name in given else given.pop(name + "_")


def typed(definition: OpDefinition, taken: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """The inputs as tensors in a row, and the attributes that they tell."""
    inputs: list[Any] = []
    attrs: dict[str, Any] = {}
    types: dict[str, tf.DType] = {}
    for value, one in zip(taken, definition.inputs, strict=True):
        if one.is_list:
            value = _list(definition, one, value, types)
            inputs.extend(value)
            if one.types_attr:
                told = of_types(value)
                if attrs.setdefault(one.types_attr, told) != told:
                    raise TypeError(f"{one.name} has other dtypes than an earlier input")
                continue
            count = attr_value_pb2.AttrValue(i=len(value))
            if attrs.setdefault(one.number_attr, count).i != len(value):
                raise ValueError(f"{one.name} is not as long as an earlier input")
        else:
            value = [_tensor(definition, one, value, types)]
            inputs.extend(value)
        for tensor in value:
            dtype = tensor.dtype.base_dtype
            if (one.dtype or types.setdefault(one.type_attr, dtype)) != dtype:
                raise TypeError(f"{one.name} has another dtype than it needs")
            if one.type_attr:
                attrs[one.type_attr] = of_type(dtype)
    return inputs, attrs


def _tensor(
    definition: OpDefinition, one: OpInput, value: Any, types: Mapping[str, tf.DType]
) -> tf.Tensor:
    """An argument as a tensor, of the dtype that TensorFlow would choose."""
    if isinstance(value, ops.SymbolicTensor):
        return value
    dtype = one.dtype or types.get(one.type_attr)
    convert = _constant if _is_plain(value) else ops.convert_to_tensor
    default = definition.default_types.get(one.type_attr)
    if dtype is None and default is not None:
        allowed = definition.allowed_types.get(one.type_attr)
        if allowed:
            try:
                made = convert(value, name=one.name)
            except TypeError:
                pass
            else:
                if made.dtype.as_datatype_enum in allowed:
                    return made
    if dtype is None and default is not None:
        return ops.convert_to_tensor(value, name=one.name, preferred_dtype=default)
    return convert(value, dtype, name=one.name)


def _list(
    definition: OpDefinition, one: OpInput, value: Any, types: Mapping[str, tf.DType]
) -> list[tf.Tensor]:
    """The same of a list; its tensors tell the dtype of what else is in it."""
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{one.name} is no list")
    tensors = [each for each in value if isinstance(each, ops.SymbolicTensor)]
    if len(tensors) == len(value):
        return tensors
    told = [t.dtype.base_dtype for t in tensors[:1]] if one.number_attr else []
    dtype = one.dtype or types.get(one.type_attr) or (told[0] if told else None)
    default = None if dtype else definition.default_types.get(one.type_attr)
    made: list[tf.Tensor] = ops.convert_n_to_tensor(value, dtype, one.name, default)
    return made


def _is_plain(value: Any) -> bool:
    """Whether a value becomes a constant, without a look at what TensorFlow can convert."""
    if type(value) is list:
        return all(type(each) in (int, float) for each in value)
    return type(value) in _PLAIN


def _constant(value: Any, dtype: Any = None, *, name: str) -> tf.Tensor:
    return tf.constant(value, dtype, name=name)


@functools.cache
def of_type(dtype: Any) -> Any:
    return attr_value_pb2.AttrValue(type=tf.as_dtype(dtype).as_datatype_enum)


def of_types(tensors: Sequence[tf.Tensor]) -> Any:
    found = [each.dtype.base_dtype.as_datatype_enum for each in tensors]
    return attr_value_pb2.AttrValue(list=attr_value_pb2.AttrValue.ListValue(type=found))
