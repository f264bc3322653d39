"""Conditions, loops and assertions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from queueio.emit.facts.effects import checks_of_branch, effects, is_guard
from queueio.emit.facts.names import Names, own_names, snake
from queueio.emit.facts.units import Unit
from queueio.emit.facts.values import Known
from queueio.emit.fragment.body import FunctionBody
from queueio.emit.fragment.scope import Scope
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, code, function, sequence
from queueio.emit.spelling.function import Function, Statement
from queueio.emit.spelling.rebind import folded, rebound
from queueio.graph.bodies import bodies
from queueio.graph.traversal import root


def cond(body: FunctionBody, unit: Unit) -> None:
    """A cond of TF1's kind, as `tf.cond`."""
    sides = []
    outermost: Scope = body
    while outermost.outer is not None:
        outermost = outermost.outer
    ops = outermost.fragment.ops if outermost.fragment else ()
    for number in (1, 0):
        inner = FunctionBody(body.writer, Names(body.names), {}, body)
        checks = checks_of_branch(ops, unit, number)
        ends = tensors(inner, unit.branch(number), checks, within=unit.predicate)
        sides.append(_function(body, "when_true" if number else "when_false", [], inner, ends))
    outputs = [merge.outputs[0] for merge in unit.merges]
    _give(body, outputs, call("tf.cond", _predicate(body, unit.predicate), *sides))


def _if(body: FunctionBody, op: tf.Operation) -> None:
    """A cond of TF2's kind."""
    if is_guard(op):
        _guard(body, op)
        return
    by_name = {found.attribute: found for found in bodies(op, body.writer.plan.graph)}
    sides = []
    for attribute, name in (("then_branch", "when_true"), ("else_branch", "when_false")):
        found = by_name[attribute]
        inputs = {
            inner.name: body.bound(outer) if not _is_state(outer) else Code("")
            for inner, outer in zip(found.graph.inputs, found.arguments, strict=True)
        }
        inner = FunctionBody(body.writer, Names(body.names), inputs)
        ends = tensors(inner, found.graph.outputs, found.graph.get_operations())
        sides.append(_function(body, name, [], inner, ends))
    predicate = _predicate(body, op.inputs[0])
    if op.inputs[0].dtype != tf.bool:
        predicate = call("tf.cast", predicate, "tf.bool")
    _give(body, list(op.outputs), call("tf.cond", predicate, *sides))


def _predicate(body: FunctionBody, tensor: tf.Tensor) -> Code:
    """What a cond decides by: a tensor, for it takes no bool of Python's."""
    written = body.value(tensor)
    return call("tf.constant", written) if written.flat in ("True", "False") else written


def tensors(
    inner: FunctionBody, wanted: Sequence[Any], ops: Sequence[Any] = (), within: Any = None
) -> list[Code]:
    """What a function gives: a list would be taken for as many results as it has numbers."""
    ends = inner.write(wanted, effects(ops) if within is None else ops, within)
    known = [inner.known.values.get(root(tensor).name) for tensor in wanted]
    return [
        _whole(end) if value is None or not value.ndim or end.call else _tensor(end)
        for end, value in zip(ends, known, strict=True)
    ]


def _whole(written: Code) -> Code:
    """A list, of which TensorFlow may make many values, as one tensor."""
    return _tensor(written) if written.flat.startswith("[") else written


def _tensor(written: Code) -> Code:
    return call("tf.convert_to_tensor", written)


def _is_state(tensor: tf.Tensor) -> bool:
    return bool(tensor.dtype == tf.resource)


_USUALLY_AT_ONCE = 10
"""Turns of a loop that may run side by side: with one, random ops draw in the loop's order."""


def _while(body: FunctionBody, op: tf.Operation) -> None:
    """A loop, as `tf.while_loop`."""
    by_name = {found.attribute: found for found in bodies(op, body.writer.plan.graph)}
    parts = []
    for attribute, name in (("cond", "go_on"), ("body", "step")):
        found, names = by_name[attribute], Names(body.names)
        variables = [names.fresh(snake(t.op.name)) for t in found.graph.inputs]
        inputs = {t.name: Code(v) for t, v in zip(found.graph.inputs, variables, strict=True)}
        inner = FunctionBody(body.writer, names, inputs)
        ends = tensors(inner, found.graph.outputs, found.graph.get_operations())
        if attribute == "body":
            ends = [sequence(ends)]
        parts.append(_function(body, name, variables, inner, ends))
    start = sequence([_whole(body.value(t)) for t in op.inputs])
    shapes = [t.shape for t in op.outputs]
    loose = any(repr(s) != repr(t.shape) for s, t in zip(shapes, op.inputs, strict=True))
    invariants = None
    if loose:
        invariants = sequence([call("tf.TensorShape", literal.shape(s)) for s in shapes])
    at_once = op.get_attr("parallel_iterations")
    value = call(
        "tf.while_loop", *parts, start, shape_invariants=invariants,
        parallel_iterations=None if at_once == _USUALLY_AT_ONCE else str(at_once),
    )  # fmt: skip
    _give(body, list(op.outputs), value)


def _partitioned(body: FunctionBody, op: tf.Operation) -> None:
    """A function call: its ops, in place."""
    (found,) = bodies(op, body.writer.plan.graph)
    inputs = {
        inner.name: body.bound(outer)
        for inner, outer in zip(found.graph.inputs, found.arguments, strict=True)
    }
    inner = FunctionBody(body.writer, body.names, inputs)
    ends = inner.write(found.graph.outputs, effects(found.graph.get_operations()))
    body.statements += inner.statements
    body.give(op, ends)


CALLS: dict[str, Callable[[FunctionBody, Any], None]] = {
    "If": _if, "StatelessIf": _if, "While": _while, "StatelessWhile": _while,
    "PartitionedCall": _partitioned, "StatefulPartitionedCall": _partitioned,
}  # fmt: skip


def _function(
    body: FunctionBody,
    name: str,
    parameters: Sequence[str],
    inner: FunctionBody,
    ends: Sequence[Code],
) -> Code:
    """The branch as a lambda, or as a function of its own if it has statements."""
    result = ends[0] if len(ends) == 1 else sequence(ends)
    statements, result = folded(*rebound(parameters, inner.statements, result))
    short = function(parameters, result)
    if not statements and len(result.flat) < 50 and len(short.flat) < 76:
        return short
    made = body.names.fresh(name)
    typed = [code(f"{p}: tf.Tensor") for p in parameters]
    statements.append(Statement("return ", result))
    body.writer.uses_any = True
    body.statements.append(Function(made, typed, "Any", body=statements))
    return Code(made)


def _give(body: FunctionBody, outputs: Sequence[Any], value: Code) -> None:
    """Names for the results, which may be many."""
    if not outputs:
        body.statements.append(Statement("", value))
        return
    own = own_names(outputs[0].op)
    wanted = own[0] if len(own) == 1 else snake(outputs[0].op.name.rpartition("/")[0] or "chosen")
    each = own if len(own) == len(outputs) else [wanted] * len(outputs)
    names = [
        body.names.fresh(name) if body.is_used(tensor) else "_"
        for name, tensor in zip(each, outputs, strict=True)
    ]
    body.statements.append(Statement(f"{', '.join(names)} = ", value))
    for tensor, name in zip(outputs, names, strict=True):
        body._codes[tensor.name] = Code(name)


def _assert(body: FunctionBody, op: tf.Operation) -> None:
    _check(body, op, op.inputs[0], list(op.inputs)[1:])


def _guard(body: FunctionBody, op: tf.Operation) -> None:
    _check(body, op, op.inputs[0], [t for t in op.inputs[1:] if t is not op.inputs[0]])


def _check(body: FunctionBody, op: tf.Operation, condition: Any, data: Sequence[Any]) -> None:
    if holds(condition, body.known):
        return
    parts = sequence([body.value(t) for t in data], "[]")
    value = call("tf.debugging.Assert", body.value(condition), parts)
    body.statements.append(Statement("", value))


def holds(condition: Any, known: Known) -> bool:
    """Whether an assertion's condition is known to be true."""
    value = known.values.get(root(condition).name)
    return value is not None and bool(value.all())


CHECKS: dict[str, Callable[[FunctionBody, Any], None]] = {"Assert": _assert}
