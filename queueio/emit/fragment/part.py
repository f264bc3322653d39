"""What of a fragment is written, what enters it, and how it is called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow as tf

from queueio.emit.facts.draws import notes as notes_of_draws
from queueio.emit.facts.effects import checks_within, effects
from queueio.emit.facts.effects import notes as notes_of_effects
from queueio.emit.facts.names import Names, assigned, origin, snake
from queueio.emit.facts.units import live
from queueio.emit.facts.values import natural_shapes, says
from queueio.emit.fragment.body import FunctionBody
from queueio.emit.fragment.held import Held
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call
from queueio.emit.spelling.function import Statement
from queueio.emit.spelling.literal import structured
from queueio.graph.failing import cannot_fail
from queueio.graph.origin import place
from queueio.graph.traversal import is_read, root
from queueio.graph.v1_control_flow import V1_CONTROL_FLOW
from queueio.plan.components import width

_READS = ("Parse", "Decode")


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
        self._needed, self._used = self._written()
        self.take({c for c, _, _ in self._used} or {0})

    def take(self, components: set[int]) -> None:
        """Sets which components of an element enter: those that are needed, if not more."""
        self.components = sorted(components)
        first, *more = self.components
        self.taken: Any = (first, *more) if more else first
        self.entering = [self.node.input.elements[c] for c in self.components]

    def left(self) -> list[str]:
        """What is said of ops that are not written, though an example may fail on them."""
        ops = [op for op in self.fragment.ops if op.outputs and op.type not in V1_CONTROL_FLOW]
        needed, moving = set(self._needed), self.fragment.depending()
        left = [op for op in ops if op in moving and op not in needed and not cannot_fail(op)]
        if not left:
            return []
        places = dict.fromkeys(f"{op.type} of {origin(op)}" for op in left)
        return [f"NOT written, as nothing takes what it gives: {place}. An example that it failed"
                " on is no error any more." for place in places]  # fmt: skip

    def _written(self) -> tuple[list[Any], list[tuple[int, int, Any]]]:
        """The ops that are written, for what they give or for what they do; what enters them."""
        entered: dict[Any, Any] = {}

        def edge(tensor: tf.Tensor) -> bool:
            if tensor.ref() in self.inputs:
                entered[tensor.ref()] = self.inputs[tensor.ref()]
                return True
            return False

        def behind(tensors: Iterable[tf.Tensor]) -> list[Any]:
            return list(live([t for t in tensors if not edge(t)], edge))

        acting = effects(self.fragment.ops)
        needed = [*acting, *behind((*self.outputs, *_inputs(acting)))]
        needed += behind(_inputs(checks_within(self.fragment.ops, needed)))
        return needed, list(entered.values())

    def enter(self, writer: Held, names: Names) -> tuple[FunctionBody, list[str]]:
        """A body that knows the components of an element by name, and those names."""
        tensors: dict[int, list[tuple[int, Any]]] = {}
        for component, part, tensor in self._used:
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
        body = FunctionBody(writer, names, inputs, fragment=self.fragment)
        body.rows = self.node.input.rows
        return body, parameters

    def shaped(self, body: FunctionBody, ends: list[Code]) -> list[Code]:
        """The results with the shapes that the user promised with set_shape."""
        natural = natural_shapes(self.fragment, self.outputs, body.calls)
        found = []
        for tensor, end in zip(self.outputs, ends, strict=True):
            known = natural.get(tensor.name)
            if known is None or tensor.shape.rank is None or says(known, tensor.shape):
                found.append(end)
            else:
                found.append(call("tf.ensure_shape", end, literal.shape(tensor.shape)))
        return found

    def result(self, body: FunctionBody, ends: list[Code]) -> Code:
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

    def _bind_repeated(self, body: FunctionBody, found: dict[int, Code]) -> None:
        for position, value in found.items():
            if len(value.flat) > 60 and not value.items:
                name = body.names.fresh(f"part_{position}")
                body.statements.append(Statement(f"{name} = ", value))
                found[position] = Code(name)

    def function_name(self, parameters: list[str]) -> str:
        """`parse_record` for what reads a format, `preprocess` for the rest."""
        subject = next((p for p in parameters if p != "_"), "element")
        for op in self.fragment.ops:
            if not op.type.startswith(_READS):
                continue
            entering = self.inputs.get(root(op.inputs[0]).ref())
            if not entering:
                return f"parse_{subject}"
            if entering[0] in self.components:  # else nobody wants what it reads
                return f"parse_{parameters[self.components.index(entering[0])]}"
        return "finish_batch" if self.node.input.rows else f"prepare_{subject}"

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
        file = known[-1].filename or ""
        numbers = sorted({p.lineno for p in known if p.filename == known[-1].filename})
        last = f"-{numbers[-1]}" if numbers[-1] != numbers[0] else ""
        return place(file, f"{numbers[0]}{last}")

    def names(self, result: Code) -> dict[int, str]:
        """What the outputs that are wanted are called, by their numbers in the fragment."""
        wanted = tf.nest.flatten(self.wanted)
        numbered = [f"result {i}" for i in range(len(wanted))]
        keys = sorted(self.wanted) if isinstance(self.wanted, dict) else []
        told = list(map(str, keys)) or _named(result) or numbered
        told = told if len(told) == len(wanted) else numbered
        pairs = zip(wanted, told, strict=True)
        return {i: name for position, name in pairs for i in self.places[position]}

    def notes(self) -> list[str]:
        """What a reader should know of the ops."""
        found = [*notes_of_effects(self.fragment.ops), *self.left()]
        return found + notes_of_draws(self.fragment.ops, "for each example")


def _inputs(ops: Iterable[Any]) -> list[Any]:
    return [t for op in ops for t in op.inputs]


def _places(elements: Any) -> list[list[int]]:
    places, at = [], 0
    for spec in elements:
        places.append(list(range(at, at + width(spec))))
        at += width(spec)
    return places


def name_of(tensor: tf.Tensor) -> str:
    """A variable for what enters: what the user called it, or what it is."""
    given = assigned(tensor.op)
    if len(given) == len(tensor.op.outputs) and given[tensor.value_index]:
        return str(given[tensor.value_index])
    if is_read(tensor.op):
        return ("key", "record")[tensor.value_index]
    if tensor.op.type.startswith("QueueDequeue") and len(tensor.op.outputs) == 1:
        return "element"
    return snake(tensor.op.name)


def _leaves(structure: Any) -> list[str]:
    return list(map(str, structure)) if isinstance(structure, dict) else []


def _named(result: Code) -> list[str]:
    """The results that have names of their own, if all have."""
    names = [item.flat for item in result.items] if result.head == "(" else [result.flat]
    return names if all(name.isidentifier() for name in names) else []
