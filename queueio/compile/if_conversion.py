"""Conds without their branches: both sides are computed, and a select takes one.

    Switch ─▶ ReverseV2 ─▶ Merge   becomes   ReverseV2 ─▶ SelectV2

A branch is not taken example by example, so a cond keeps all that it touches out of chunks: a
random flip, in the middle of most augmentations. Where neither branch can fail or has an effect,
to compute both gives the same bits, and chunks of examples can take it. Every other cond is left
as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import tensorflow as tf
from tensorflow.core.framework import graph_pb2, node_def_pb2

from queueio.compile.slow import WIDE_ELEMENTS
from queueio.graph.bodies import Body, bodies
from queueio.graph.copying import node_on, sub_graph_def
from queueio.graph.failing import cannot_fail
from queueio.graph.fragment import Fragment
from queueio.graph.v1_control_flow import control_flow_groups

_IFS = ("If", "StatelessIf")


@dataclass
class _Edit:
    """What becomes of the ops of a fragment.

    Attributes:
      removed: names of ops that go.
      instead: what stands for a tensor, by its name in a GraphDef.
      added: new nodes.
    """

    removed: set[str] = field(default_factory=set)
    instead: dict[str, str] = field(default_factory=dict)
    added: list[node_def_pb2.NodeDef] = field(default_factory=list)

    def of(self, name: str) -> str:
        """What stands for a tensor now."""
        name = _bare(name)
        while name in self.instead:
            name = _bare(self.instead[name])
        return name

    def select(self, name: str, yes: str, no: str, predicate: str, out: tf.Tensor) -> None:
        node = node_def_pb2.NodeDef(name=name, op="SelectV2", input=[predicate, yes, no])
        node.attr["T"].type = out.dtype.as_datatype_enum
        self.added.append(node)

    def apply(self, graph_def: graph_pb2.GraphDef) -> None:
        kept = [node for node in graph_def.node if node.name not in self.removed]
        nodes = [*kept, *self.added]
        for node in nodes:
            waits = [e for e in node.input if e.startswith("^") and e[1:] not in self.removed]
            data = [self.of(e) for e in node.input if not e.startswith("^")]
            del node.input[:]
            node.input.extend([*data, *waits])
        del graph_def.node[:]
        graph_def.node.extend(nodes)


def if_converted(fragment: Fragment) -> Fragment:
    """`fragment` with conds as selects, in a graph of its own; itself where there is nothing to do.

    A fragment that takes anything by reference is left alone: its variables are of its graph.
    """
    edit = _Edit()
    if not fragment.captures:
        for ops in _groups(fragment):
            _switches(edit, fragment, ops)
        for op in fragment.ops:
            if op.type in _IFS:
                _functions(edit, op)
    return _edited(fragment, edit) if edit.removed else fragment


def _groups(fragment: Fragment) -> Iterable[list[tf.Operation]]:
    groups: dict[int, list[tf.Operation]] = {}
    for op, number in control_flow_groups(fragment.ops).items():
        groups.setdefault(number, []).append(op)
    return groups.values()


def _free(ops: Sequence[tf.Operation]) -> bool:
    """Whether the ops have no effect and cannot fail."""
    return all(cannot_fail(op) and all(map(_plain, (*op.inputs, *op.outputs))) for op in ops)


def _plain(tensor: tf.Tensor) -> bool:
    """Whether it can be stacked, and is not so wide that its ops are better run one by one."""
    kind, size = tensor.dtype, tensor.shape.num_elements()
    usual = kind == kind.base_dtype and kind not in (tf.resource, tf.variant)
    return usual and size is not None and size < WIDE_ELEMENTS


def _switches(edit: _Edit, fragment: Fragment, ops: list[tf.Operation]) -> None:
    """A cond of TF1: Switch and Merge among all others."""
    switches = [op for op in ops if op.type == "Switch"]
    merges = [op for op in ops if op.type == "Merge"]
    rest = [op for op in ops if op not in switches and op not in merges]
    predicates = {_predicate(op.inputs[1], fragment).ref() for op in switches}
    if len(predicates) != 1 or not _free(rest):
        return
    predicate = predicates.pop().deref()
    if not _leave_by(merges, fragment, ops) or not all(_plain(op.inputs[0]) for op in switches):
        return
    for op in switches:
        edit.removed.add(op.name)
        for side in op.outputs:
            edit.instead[_bare(side.name)] = op.inputs[0].name
    for merge in merges:
        no, yes = (t.name for t in merge.inputs)
        edit.removed.add(merge.name)
        name = edit.instead[merge.name] = f"{merge.name}/select"
        edit.select(name, yes, no, predicate.name, merge.outputs[0])


def _predicate(tensor: tf.Tensor, fragment: Fragment) -> tf.Tensor:
    """What identities hand on; a cond knows its predicate by two names.

    Not what lies behind another cond's Switch, as `traversal.root` would find it: that is a cond
    of its own, which may stay one. Nor what lies outside of the fragment.
    """
    while tensor.op.type == "Identity" and all(tensor is not t for t in fragment.inputs):
        tensor = tensor.op.inputs[0]
    return tensor


def _leave_by(merges: list[tf.Operation], fragment: Fragment, ops: list[tf.Operation]) -> bool:
    """Whether all that leaves the cond is the result of merges of its two sides."""
    inside, here = set(ops), set(fragment.ops)
    for op in ops:
        leaving = [t for t in fragment.outputs if t.op is op]
        leaving += [t for t in op.outputs for user in t.consumers() if user in here - inside]
        if any(op.type != "Merge" or t.value_index for t in leaving):
            return False
    return all(
        [_sides(t, inside) for t in merge.inputs] == [{0}, {1}] and _plain(merge.outputs[0])
        for merge in merges
    )


def _sides(tensor: tf.Tensor, inside: set[tf.Operation]) -> set[int]:
    """The outputs of switches, 0 or 1, that a tensor is made from."""
    found: set[int] = set()
    stack, seen = [tensor], {tensor.ref()}
    while stack:
        here = stack.pop()
        if here.op.type == "Switch":
            found.add(here.value_index)
            continue
        before = [*here.op.inputs, *(t for c in here.op.control_inputs for t in c.outputs[:1])]
        for parent in before:
            if parent.op in inside and parent.ref() not in seen:
                seen.add(parent.ref())
                stack.append(parent)
    return found


def _functions(edit: _Edit, op: tf.Operation) -> None:
    """A cond of TF2: an op with a function for each side."""
    sides = {body.attribute: body for body in bodies(op)}
    yes, no = sides.get("then_branch"), sides.get("else_branch")
    if yes is None or no is None or not _plain(op.inputs[0]) or op.inputs[0].shape.rank:
        return
    if not all(_free(list(_ops(body))) for body in (yes, no)) or not all(map(_plain, op.outputs)):
        return
    edit.removed.add(op.name)
    ends = [_inlined(edit, op, body) for body in (yes, no)]
    for place, (out, one, other) in enumerate(zip(op.outputs, *ends, strict=True)):
        name = f"{op.name}/select_{place}"
        edit.instead[_bare(out.name)] = name
        edit.select(name, one, other, op.inputs[0].name, out)


def _ops(body: Body) -> Iterator[tf.Operation]:
    entered = {t.op.name for t in body.graph.inputs}
    return (op for op in body.graph.get_operations() if op.name not in entered)


def _inlined(edit: _Edit, call: tf.Operation, body: Body) -> list[str]:
    """Adds the ops of a function; the names of its results."""
    scope = f"{call.name}/{body.attribute}/"
    pairs = zip(body.graph.inputs, body.arguments, strict=True)
    outside = {inner.op.name: _bare(outer.name) for inner, outer in pairs}

    def named(name: str) -> str:
        return outside.get(_bare(name), scope + name)

    for op in _ops(body):
        edit.added.append(node_on(op, [named(t.name) for t in op.inputs], scope + op.name))
    return [named(t.name) for t in body.graph.outputs]


def _bare(name: str) -> str:
    """A tensor's name as a GraphDef has it."""
    return name.removesuffix(":0")


def _edited(fragment: Fragment, edit: _Edit) -> Fragment:
    with tf.Graph().as_default() as graph:
        graph_def = sub_graph_def(fragment.graph, fragment.ops, shaped=True)
        edit.apply(graph_def)
        used = {name for node in graph_def.node for name in node.input}
        inputs = [
            tf.compat.v1.placeholder(t.dtype.base_dtype, t.shape, f"queueio_input_{place}")
            for place, t in enumerate(fragment.inputs)
        ]
        known = dict(zip((t.name for t in fragment.inputs), inputs, strict=True))
        tf.graph_util.import_graph_def(
            graph_def,
            {name: t for name, t in known.items() if _bare(name) in used},
            name="",
        )
        outputs = [known.get(t.name) for t in fragment.outputs]
        for place, t in enumerate(fragment.outputs):
            if outputs[place] is None:
                name = edit.of(t.name)
                outputs[place] = graph.get_tensor_by_name(name if ":" in name else f"{name}:0")
    return Fragment.between(inputs, outputs)
