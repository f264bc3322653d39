"""Where a stream begins: file names, numbers or rows, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.emit.facts.draws import draws_of, length_of
from queueio.emit.facts.draws import notes as notes_of_draws
from queueio.emit.facts.effects import acts, notes
from queueio.emit.facts.names import Names, own_name
from queueio.emit.fragment.body import FunctionBody
from queueio.emit.fragment.branches import tensors
from queueio.emit.fragment.state import known_of
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, code, sequence
from queueio.emit.spelling.function import Function, Statement, Verbatim
from queueio.emit.spelling.literal import structured
from queueio.emit.spelling.rebind import folded, rebound
from queueio.emit.steps.lines import Lines
from queueio.emit.steps.rounding import notes as notes_of_rounding
from queueio.emit.steps.seeds import seed_of_list
from queueio.graph.origin import Origin, origin
from queueio.graph.traversal import root
from queueio.plan.components import width

_SLICES, _ONCE = "tf.data.Dataset.from_tensor_slices", "tf.data.Dataset.from_tensors"


@dataclass(frozen=True)
class SourceRows:
    """How a stream begins: an expression for its dataset, and for how many rows it has.

    `bare` ones have elements that are the one component itself, not the structure wanted.
    """

    dataset: Code
    count: Code
    bare: bool = True


def write_rows(writer: Lines, node: Any, wanted: Any) -> str:
    """The steps of a source; the variable that holds its dataset."""
    purpose, writer.purpose = writer.purpose, "rows"
    epochs = writer.argument(
        "num_epochs", node.num_epochs, "int | None",
        "how often the data is read; None for without end.", share=True, origin=node.origin,
    )  # fmt: skip
    base = _base(node) if not node.shuffle or _in_step(writer, node) else None
    rows = _rows(writer, node, base, wanted, purpose) if base is not None else None
    if rows is None:
        return _evaluated(writer, node, wanted, epochs)
    stream = writer.start(node, rows.dataset, notes=_notes(node))
    if node.shuffle:
        count = length_of(node.fragment.outputs[0])
        stream = writer.again(stream, "shuffle", rows.count, seed=seed_of_list(writer, node, count))
    stream = writer.again(stream, "repeat", epochs)
    return writer.arranged(stream, ["row"], wanted) if rows.bare and wanted != 0 else stream


def _notes(node: Any) -> list[str]:
    if not node.shuffle:
        return []
    seeded = " For the same seed the order is another one than the queue's." if node.seed else ""
    return ["Shuffled as a whole and anew in each epoch, as before." + seeded]


def _base(node: Any) -> list[Any] | None:
    """What is shuffled and handed out: no random op may be left in it, and no effect."""
    if any(map(acts, node.fragment.ops)):
        return None
    ends = [_given(t) if node.enqueue_many else root(t) for t in node.fragment.outputs]
    random = [op for op in node.fragment.ops if op.op_def.is_stateful and _draws(op)]
    if len(random) > bool(node.shuffle):
        return None
    if random and (len(ends) != 1 or ends[0].op.type != "RandomShuffle"):
        return None
    return [_given(ends[0].op.inputs[0])] if random else ends


def _given(tensor: tf.Tensor) -> Any:
    """Rows behind a placeholder's default: they become an argument in any case."""
    tensor = root(tensor)
    while tensor.op.type == "PlaceholderWithDefault":
        tensor = root(tensor.op.inputs[0])
    return tensor


def _in_step(writer: Lines, node: Any) -> bool:
    """Whether all lists that the program shuffles as this one are written as rows.

    The order of `Dataset.shuffle` is another one than that of the op, for the same seed.
    """
    alike = draws_of(writer.plan.graph).lists(node.seed, length_of(node.fragment.outputs[0]))
    return all(_is_known(_given(op.inputs[0])) for op in alike)


def _is_known(tensor: tf.Tensor) -> bool:
    return (
        _limit(tensor) is not None or _pattern(tensor) is not None or known_of(tensor) is not None
    )


def _draws(op: tf.Operation) -> bool:
    return "Random" in op.type or op.type in ("Multinomial", "PyFunc", "EagerPyFunc")


def _rows(
    writer: Lines, node: Any, base: list[Any], wanted: Any, purpose: str
) -> SourceRows | None:
    if len(base) == 1 and node.enqueue_many:
        found = _range(base[0]) or _matched(writer, base[0], purpose)
        if found is not None:
            return found
    values = [known_of(tensor) for tensor in base]
    if any(value is None for value in values):
        return None
    if len(base) == 1 and base[0].dtype == tf.string and node.enqueue_many and values[0].ndim == 1:
        return _names(writer, values[0], purpose, node.origin)
    if any(width(spec) != 1 for spec in node.elements):
        return None

    if not node.enqueue_many:
        once = [_literal(writer, v, t.dtype, f"rows_{i}") for i, (v, t) in
                enumerate(zip(values, base, strict=True))]  # fmt: skip
        return SourceRows(call(_ONCE, structured(wanted, once.__getitem__)), code(1), bare=False)
    given = [_rows_of(writer, value, t) for value, t in zip(values, base, strict=True)]
    dataset = call(_SLICES, structured(wanted, lambda i: given[i][0]))
    return SourceRows(dataset, call("len", given[0][1]), bare=False)


def _literal(writer: Lines, value: Any, kind: Any, name: str) -> Code:
    return (
        literal.typed(value, kind)
        if literal.is_short(value)
        else writer.constant(value, name, kind)
    )


def _rows_of(writer: Lines, value: Any, tensor: tf.Tensor) -> tuple[Code, Code]:
    """Constant rows as an argument: as a tensor, and the argument's name."""
    wanted, kind = own_name(tensor.op) or "rows", tensor.dtype
    small = literal.is_short(value, literal.LISTED if value.ndim == 1 else literal.FEW)
    listed = small and value.ndim == 1 and kind in literal.TYPES
    annotation = f"Sequence[{literal.TYPES[kind]}]" if listed else "Any"
    default = literal.frozen(value) if small else writer.constant(value, wanted, kind).items[0]
    writer.uses_any = writer.uses_any or annotation == "Any"
    name = writer.argument(wanted, default, annotation, "one for each example, in their order.")
    rows = call("list", name) if listed else call("tf.constant", name, literal.dtype(kind))
    return rows, name


def _range(tensor: tf.Tensor) -> SourceRows | None:
    limit = _limit(tensor)
    if limit is None:
        return None
    more = None if tensor.dtype == tf.int64 else literal.dtype(tensor.dtype)
    return SourceRows(call("tf.data.Dataset.range", code(limit), output_type=more), code(limit))


def _limit(tensor: tf.Tensor) -> int | None:
    """Where a range from zero ends."""
    if tensor.op.type != "Range":
        return None
    parts = [known_of(t) for t in tensor.op.inputs]
    if any(part is None for part in parts) or (int(parts[0]), int(parts[2])) != (0, 1):
        return None
    return int(parts[1])


def count_of(node: Any) -> int | None:
    """How many numbers a source gives that counts from zero; None for any other source."""
    base = _base(node) if node.enqueue_many else None
    return _limit(base[0]) if base is not None and len(base) == 1 else None


def _names(writer: Lines, value: Any, purpose: str, given_at: Origin) -> SourceRows:
    """Strings, as an argument; many of them beside the module."""
    doc = "the files to read." if purpose == "files" else "the rows."
    if value.size <= literal.LISTED:
        default, kind = sequence(map(literal.plain, value)), "Sequence[str]"
    else:
        default, kind = writer.constant(value, purpose, tf.string).items[0], "Any"
        writer.uses_any = True
    name = writer.argument(purpose, default, kind, doc, origin=given_at)
    listed = name if kind == "Any" else call("list", name)
    return SourceRows(call(_SLICES, listed), call("len", name))


def _matched(writer: Lines, tensor: tf.Tensor, purpose: str) -> SourceRows | None:
    """The files that a pattern matches, from a variable that is filled when it is initialised."""
    found = _pattern(tensor)
    if found is None:
        return None
    items = [literal.plain(item) for item in np.atleast_1d(found)]
    default = items[0] if len(items) == 1 else sequence(items)
    kind = "str" if len(items) == 1 else "Sequence[str]"
    given = writer.argument(
        "file_pattern", default, kind, "glob of the files to read.", origin=origin(tensor.op)
    )
    pattern = given if len(items) == 1 else call("list", given)
    name = writer.names.fresh("files")
    writer.body.append(Statement(f"{name} = ", call("sorted", call("tf.io.gfile.glob", pattern))))
    writer.body.append(Verbatim([
        f"if not {name}:",
        f'    raise FileNotFoundError(f"no file matches {{{given}}}")',
    ]))  # fmt: skip
    return SourceRows(call(_SLICES, name), call("len", name))


def _pattern(tensor: tf.Tensor) -> Any:
    if tensor.op.type == "ReadVariableOp":
        tensor = root(tensor.op.inputs[0])
    if tensor.op.type == "MatchingFiles":
        return known_of(tensor.op.inputs[0])
    for user in (u for output in tensor.op.outputs for u in output.consumers()):
        if user.type in ("Assign", "AssignVariableOp"):
            value = root(user.inputs[1])
            if value.op.type == "MatchingFiles":
                return known_of(value.op.inputs[0])
    return None


def _evaluated(writer: Lines, node: Any, wanted: Any, epochs: Code) -> str:
    """Anything else: a function that is called once in each epoch."""
    body = FunctionBody(writer, Names(writer.names), {}, fragment=node.fragment)
    ends = tensors(body, node.fragment.outputs, node.fragment.ops)
    places, at = [], 0
    for spec in node.elements:
        places.append(range(at, at + width(spec)))
        at += width(spec)

    def leaf(position: int) -> Code:
        where = places[position]
        if len(where) == 1:
            return ends[where[0]]
        return body.sparse([node.fragment.outputs[i] for i in where])

    statements, result = rebound([], body.statements, structured(wanted, leaf))
    statements, result = folded(statements, result)
    writer.uses_any = True
    made = Function(
        writer.names.fresh("rows"), [code("epoch: tf.Tensor")], "Any",
        ["Evaluated once in each epoch."], [*statements, Statement("return ", result)],
    )  # fmt: skip
    name: Code = writer.function(made)
    if body.captured:
        writer.imports.add("functools")
        states = {key: writer.states[key] for key in body.captured.values()}
        made.parameters = [*made.parameters, *(code(f"{key}: Any") for key in states)]
        name = call("functools.partial", name, **states)
    told = notes(node.fragment.ops) + notes_of_draws(node.fragment.ops, "in each epoch")
    numbered = {i: f"result {i}" for i in range(len(node.fragment.outputs))}
    told += notes_of_rounding(writer, node.fragment, numbered)
    stream = writer.start(node, call("tf.data.Dataset.range", 1), notes=told)
    stream = writer.again(stream, "repeat", epochs)
    stream = writer.again(stream, "map", name)
    return writer.unbatched(node, stream, wanted) if node.enqueue_many else stream
