"""The user's own ops between two points of a stream: a function, and the map that calls it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import tensorflow as tf

from queueio.emit.facts.names import Names
from queueio.emit.fragment.body import FunctionBody
from queueio.emit.fragment.branches import tensors
from queueio.emit.fragment.part import Part
from queueio.emit.spelling.code import Code, call, code, function, sequence
from queueio.emit.spelling.function import Function, Statement
from queueio.emit.spelling.rebind import folded, rebound
from queueio.emit.steps.pace import pace
from queueio.emit.steps.rounding import notes as notes_of_rounding

if TYPE_CHECKING:
    from queueio.emit.writer import Writer


def write_transform(writer: Writer, node: Any, wanted: Any) -> str:
    """The steps of a node with a fragment; the variable that holds its dataset."""
    part = Part(node, wanted)
    stream = writer.upstream(node.input, part.taken)
    body, parameters, result = _written(writer, part)
    if not body.statements and result.flat.strip("()") == ", ".join(parameters):
        for note in part.left():
            writer.note(note)
        return stream  # a map that changes nothing
    if not body.statements and not body.captured and len(result.flat) < 50:
        mapped = function(parameters, result)
    else:
        mapped = _function(writer, part, body, parameters, result)
    at_once, notes = pace(writer, node, node.fragments)
    notes = [*part.notes(), *notes_of_rounding(writer, part.fragment, part.names(result)), *notes]
    return writer.step(node, stream, "map", mapped, notes=notes, **at_once)


def write_by_turns(
    writer: Writer, node: Any, transforms: Sequence[Any], wanted: Any, notes: Sequence[str]
) -> str:
    """The steps of a node whose elements get one of several transforms, by their number."""
    parts = [Part(transform, wanted) for transform in transforms]
    for part in parts:
        part.take({component for each in parts for component in each.components})
    last = len(node.input.elements) - 1
    enters = (last, parts[0].taken) if node.by_reader else parts[0].taken
    stream = writer.upstream(node.input, enters)
    given = "*example" if isinstance(parts[0].taken, tuple) else "example"
    ways, rounded = [], list[str]()
    for part in parts:
        body, parameters, result = _written(writer, part)
        made = _function(writer, part, body, parameters, result)
        ways.append(function([], Code(f"{made}({given})")))
        rounded += notes_of_rounding(writer, part.fragment, part.names(result))
    turn = f"tf.cast(number % {len(node.turns)}, tf.int32)"
    if node.turns != tuple(range(len(node.turns))):
        turn = f"tf.gather({list(node.turns)}, number % {len(node.turns)})"
    switch = call("tf.switch_case", turn, sequence(ways, "[]"))
    mapped = "map" if node.by_reader else "enumerate().map"
    at_once, more = pace(writer, node, node.fragments)
    return writer.step(
        node, stream, mapped, function(["number", "example"], switch),
        notes=[*notes, *parts[0].notes(), *dict.fromkeys(rounded), *more], **at_once,
    )  # fmt: skip


def _written(writer: Writer, part: Part) -> tuple[FunctionBody, list[str], Code]:
    """The body of a part's function, its parameters and its result."""
    names = Names(writer.names)
    body, parameters = part.enter(writer, names)
    ends = tensors(body, part.outputs, part.fragment.ops)
    ends = part.shaped(body, ends)
    return body, parameters, _whole(body, part.result(body, ends))


def _function(
    writer: Writer, part: Part, body: FunctionBody, parameters: list[str], result: Code
) -> Code:
    typed = [
        code(f"{name}: {_kind(spec)}") for name, spec in zip(parameters, part.entering, strict=True)
    ]
    states = {name: writer.states[name] for name in body.captured.values()}
    typed += [code(f"{name}: Any") for name in states]
    writer.uses_any = writer.uses_any or bool(states)
    name = writer.names.fresh(part.function_name(parameters))
    statements, result = rebound(parameters, body.statements, result)
    doc = part.doc(parameters, result)
    statements, result = folded(statements, result)
    returns = _annotation(part.wanted, part.node.elements)
    writer.uses_any = writer.uses_any or "Any" in returns
    made = writer.function(Function(name, typed, returns, [doc], [*statements, _return(result)]))
    if states:
        writer.imports.add("functools")
        return call("functools.partial", made, **states)
    return made


def _whole(body: FunctionBody, result: Code) -> Code:
    """`features` for a dict of all that a parser gave, under its own keys."""
    if result.head != "{" or not result.items:
        return result
    first = result.items[0].flat.partition(": ")[2].partition("[")[0]
    last = body.statements[-1] if body.statements else None
    if not isinstance(last, Statement) or last.before != f"{first} = " or not last.value.items:
        return result
    keys = [item.flat.partition(": ")[0] for item in last.value.items[-1].items]
    given = [item.flat for item in result.items]
    if sorted(given) != sorted(f"{key}: {first}[{key}]" for key in keys):
        return result
    body.statements.pop()
    return last.value


def _return(result: Code) -> Statement:
    if result.head == "(" and len(result.items) > 1 and len(result.flat) < 78:
        return Statement("return ", Code(result.flat[1:-1]))
    return Statement("return ", result)


def _kind(spec: Any) -> str:
    return "tf.SparseTensor" if isinstance(spec, tf.SparseTensorSpec) else "tf.Tensor"


def _annotation(structure: Any, elements: Any) -> str:
    if isinstance(structure, dict):
        kinds = {_annotation(v, elements) for v in structure.values()}
        key = "str" if all(isinstance(k, str) for k in structure) else "Any"
        return f"dict[{key}, {kinds.pop() if len(kinds) == 1 else 'Any'}]"
    if isinstance(structure, tuple):
        inner = [_annotation(v, elements) for v in structure]
        text = f"tuple[{', '.join(inner)}]"
        return text if len(text) < 50 else "tuple[Any, ...]"
    return _kind(elements[structure])
