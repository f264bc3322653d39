"""The user's own ops between two points of a stream: a function, and the map that calls it."""

from __future__ import annotations

import os
from typing import Any

import tensorflow as tf

from queueio.compile.copying import copy_ops
from queueio.emit import literal
from queueio.emit.body import Body, structured
from queueio.emit.branches import effects
from queueio.emit.code import Code, call, code, function
from queueio.emit.function import Function, Statement
from queueio.emit.names import Names, assigned, origin, snake
from queueio.emit.units import live
from queueio.emit.values import says
from queueio.plan.components import width

_READS = ("Parse", "Decode")


def write_transform(writer: Any, node: Any, wanted: Any) -> str:
    """The steps of a node with a fragment; the variable that holds its dataset."""
    part = Part(node, wanted)
    stream = writer.upstream(node.input, part.taken)
    names = Names(writer.names)
    body, parameters = part.enter(writer, names)
    ends = body.write(part.outputs, effects(node.fragment))
    ends = part.shaped(body, ends)
    result = _whole(body, part.result(body, ends))
    if not body.statements and result.flat.strip("()") == ", ".join(parameters):
        return stream
    if not body.statements and not body.captured and len(result.flat) < 50:
        mapped = function(parameters, result)
    else:
        mapped = _function(writer, part, body, parameters, result)
    return writer.step(
        node, stream, "map", mapped, num_parallel_calls="tf.data.AUTOTUNE", notes=part.notes()
    )


def _function(writer: Any, part: Part, body: Body, parameters: list[str], result: Code) -> Code:
    typed = [
        code(f"{name}: {_kind(spec)}") for name, spec in zip(parameters, part.entering, strict=True)
    ]
    states = {name: writer.states[name] for name in body.captured.values()}
    typed += [code(f"{name}: Any") for name in states]
    writer.uses_any = writer.uses_any or bool(states)
    name = writer.names.fresh(part.function_name(parameters))
    statements = [*body.statements, _return(result)]
    returns = _annotation(part.wanted, part.node.elements)
    writer.uses_any = writer.uses_any or "Any" in returns
    made = writer.function(
        Function(name, typed, returns, [part.doc(parameters, result)], statements)
    )
    if states:
        writer.imports.add("functools")
        return call("functools.partial", made, **states)
    return made


class Part:
    """What of a node's fragment is needed for the components that are wanted."""

    def __init__(self, node: Any, wanted: Any) -> None:
        self.node, self.wanted = node, wanted
        self.fragment = node.fragment
        self.places = _places(node.elements)
        self.positions = sorted(set(tf.nest.flatten(wanted)))
        self.outputs = [self.fragment.outputs[i] for p in self.positions for i in self.places[p]]
        before = node.input.elements
        sources = [(c, p) for c, spec in enumerate(before) for p in range(width(spec))]
        self.inputs = {
            t.ref(): (*sources[take], t)
            for t, take in zip(self.fragment.inputs, node.takes, strict=True)
        }
        components = sorted({c for c, _, _ in self._used()}) or [0]
        self.taken: Any = components[0] if len(components) == 1 else tuple(components)
        self.components = components
        self.entering = [before[c] for c in components]

    def _used(self) -> list[tuple[int, int, Any]]:
        found: dict[Any, Any] = {}

        def edge(tensor: Any) -> bool:
            if tensor.ref() in self.inputs:
                found[tensor.ref()] = self.inputs[tensor.ref()]
                return True
            return False

        starts = [t for t in self.outputs if not edge(t)]
        checks = [t for op in effects(self.fragment) for t in op.inputs if not edge(t)]
        for _ in live([*starts, *checks], edge):
            pass
        return list(found.values())

    def enter(self, writer: Any, names: Names) -> tuple[Body, list[str]]:
        """A body that knows the components of an element by name, and those names."""
        tensors: dict[int, list[tuple[int, Any]]] = {}
        for component, part, tensor in self._used():
            tensors.setdefault(component, []).append((part, tensor))
        parameters, inputs = [], {}
        for component, spec in zip(self.components, self.entering, strict=True):
            found = tensors.get(component)
            name = names.fresh(name_of(found[0][1])) if found else "_"
            parameters.append(name)
            for part, tensor in found or ():
                ends = ("indices", "values", "dense_shape")
                sparse = isinstance(spec, tf.SparseTensorSpec)
                inputs[tensor.name] = Code(f"{name}.{ends[part]}" if sparse else name)
        return Body(writer, names, inputs), parameters

    def shaped(self, body: Body, ends: list[Code]) -> list[Code]:
        """The results with the shapes that the user promised with set_shape."""
        natural = _natural_shapes(self)
        found = []
        for tensor, end in zip(self.outputs, ends, strict=True):
            known = natural.get(tensor.name)
            if known is None or tensor.shape.rank is None or says(known, tensor.shape):
                found.append(end)
            else:
                found.append(call("tf.ensure_shape", end, literal.shape(tensor.shape)))
        return found

    def result(self, body: Body, ends: list[Code]) -> Code:
        """The structure that is wanted."""
        by_position: dict[int, Code] = {}
        rest, tensors = list(ends), list(self.outputs)
        for position in self.positions:
            count = len(self.places[position])
            mine, parts = rest[:count], tensors[:count]
            rest, tensors = rest[count:], tensors[count:]
            by_position[position] = mine[0] if count == 1 else body.sparse(parts)
        self._bind_repeated(body, by_position)
        return structured(self.wanted, by_position.__getitem__)

    def _bind_repeated(self, body: Body, found: dict[int, Code]) -> None:
        for position, value in found.items():
            if len(value.flat) > 60 and not value.items:
                name = body.names.fresh(f"part_{position}")
                body.statements.append(Statement(f"{name} = ", value))
                found[position] = Code(name)

    def function_name(self, parameters: list[str]) -> str:
        """`parse_record` for what reads a format, `preprocess` for the rest."""
        subject = next((p for p in parameters if p != "_"), "element")
        if any(op.type.startswith(_READS) for op in self.fragment.ops):
            return f"parse_{subject}"
        return "finish_batch" if hasattr(self.node.input, "batch_size") else f"prepare_{subject}"

    def doc(self, parameters: list[str], result: Code) -> str:
        """What it makes of what, and the lines that it replaces."""
        given = ", ".join(p for p in parameters if p != "_") or "nothing"
        made = ", ".join(_leaves(self.wanted) or _named(result)) or "the tensors of an example"
        where = self._lines()
        ending = f" ({where})." if where else "."
        for text in (f"{given} to {made}", f"{given} to {len(self.positions)} tensors"):
            text = f"From {text}{ending}"
            if len(text) < 78:
                return text
        return f"Replaces {where}." if where else "Replaces ops of the old graph."

    def _lines(self) -> str:
        places = [origin(op) for op in self.fragment.ops if op.type not in ("Const", "Identity")]
        known = [p for p in places if p.filename is not None]
        if not known:
            return ""
        file = os.path.basename(known[-1].filename or "")
        numbers = sorted({p.lineno for p in known if p.filename == known[-1].filename})
        last = f"-{numbers[-1]}" if numbers[-1] != numbers[0] else ""
        return f"{file}:{numbers[0]}{last}"

    def notes(self) -> list[str]:
        """What a reader should know of the ops."""
        if any(op.type.startswith("Random") for op in self.fragment.ops):
            return ["Random numbers are drawn anew for each example, as before; the numbers"
                    " themselves are others."]  # fmt: skip
        return []


def _places(elements: Any) -> list[list[int]]:
    places, at = [], 0
    for spec in elements:
        places.append(list(range(at, at + width(spec))))
        at += width(spec)
    return places


def name_of(tensor: Any) -> str:
    """A variable for what enters: what the user called it, or what it is."""
    given = assigned(tensor.op)
    if len(given) == len(tensor.op.outputs) and given[tensor.value_index]:
        return given[tensor.value_index]
    if tensor.op.type.startswith("ReaderRead"):
        return ("key", "record")[tensor.value_index]
    return snake(tensor.op.name)


def _leaves(structure: Any) -> list[str]:
    return list(map(str, structure)) if isinstance(structure, dict) else []


def _named(result: Code) -> list[str]:
    """The results that have names of their own, if all have."""
    names = [item.flat for item in result.items] if result.head == "(" else [result.flat]
    return names if all(name.isidentifier() for name in names) else []


def _whole(body: Body, result: Code) -> Code:
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
        return Statement("return ", code(result.flat[1:-1]))
    return Statement("return ", result)


def _kind(spec: Any) -> str:
    return "tf.SparseTensor" if isinstance(spec, tf.SparseTensorSpec) else "tf.Tensor"


def _annotation(structure: Any, elements: Any) -> str:
    if isinstance(structure, dict):
        kinds = {_annotation(v, elements) for v in structure.values()}
        return f"dict[str, {kinds.pop() if len(kinds) == 1 else 'Any'}]"
    if isinstance(structure, tuple):
        inner = [_annotation(v, elements) for v in structure]
        text = f"tuple[{', '.join(inner)}]"
        return text if len(text) < 50 else "tuple[Any, ...]"
    return _kind(elements[structure])


def _natural_shapes(part: Part) -> dict[str, Any]:
    """The static shapes that the ops alone give, without any set_shape."""
    fragment = part.fragment
    names = [t.name for t in part.outputs]
    with tf.Graph().as_default():
        known = {
            t.name: tf.compat.v1.placeholder(t.dtype.base_dtype, t.shape)
            for t in (*fragment.inputs, *fragment.captures)
            if t.dtype not in (tf.resource, tf.variant)
        }
        if len(known) != len(fragment.inputs) + len(fragment.captures):
            return {}
        try:
            copies = copy_ops(fragment.graph, fragment.ops, known, names)
        except ValueError:
            return {}
        return {name: copy.shape for name, copy in zip(names, copies, strict=True)}
