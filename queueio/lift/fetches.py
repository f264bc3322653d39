"""From fetches, a queue or a file to the tree of a plan."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import context  # no public way to ask for tf.random.set_seed's

from queueio.errors import message
from queueio.graph.refusal import refuse
from queueio.graph.trust import Trust
from queueio.lift.lifter import Lifter
from queueio.lift.mistaken import check_function, no_tensor, tensor_named
from queueio.lift.product import spec_of
from queueio.lift.sparse import Stored
from queueio.plan.node import Node
from queueio.plan.tree import PlanTree

_PARTS = {"indices", "values", "dense_shape"}
_COMPOSITES = {
    tf.RaggedTensor: "values and row_splits",
    tf.IndexedSlices: "values and indices",
}


@tf.autograph.experimental.do_not_convert
def lift(
    fetches: Any, *, graph: Any = None, allow: Iterable[str] = (),
    known: Mapping[Any, Node] | None = None,
) -> PlanTree:  # fmt: skip
    """As `queueio.lift`; `known`: as for `Lifter`."""
    if callable(fetches):
        check_function(fetches)
        return _lift_function(fetches, frozenset(allow))
    tensors = _tensors(fetches, graph)
    return _lift(fetches, tensors, _graph_of(tensors), frozenset(allow), known=known)


def lift_into(queue_op: Any, runners: Sequence[Any] = ()) -> PlanTree:
    """Reads what the queue runners of a graph put into one of its queues.

    Args:
      queue_op: the op of the queue.
      runners: queue runners beside those in the graph's collection.

    Returns:
      The plan of the queue's elements as they enter it: flat tuples, in the order of their going
      in. How they leave is the queue's business, so it does not matter who takes them.

    Raises:
      NotLifted, NoEquivalent: as for `lift`; also where not only queue runners fill the queue.
    """
    root = Lifter(queue_op.graph, runners=runners).put_into(queue_op)
    return PlanTree(root, tuple(range(len(root.elements))), queue_op.graph)


@tf.autograph.experimental.do_not_convert
def lift_meta_graph(
    path: str, fetches: Any, import_scope: str | None = None, *, allow: Iterable[str] = ()
) -> PlanTree:
    """As `queueio.lift_meta_graph`."""
    graph = tf.Graph()
    with graph.as_default():
        try:
            tf.compat.v1.train.import_meta_graph(path, import_scope=import_scope)
        except UnicodeDecodeError:  # neither binary, nor the text that it was read as then
            why = "it is neither the binary nor the text form of a MetaGraph"
            do = "Give the file that tf.train.export_meta_graph or a Saver wrote (….meta)"
            raise ValueError(message(f"cannot read {path!r}", why, do)) from None
    tensors = _tensors(fetches, graph, f"{import_scope}/" if import_scope else "")
    _graph_of(tensors)
    return _lift(fetches, tensors, graph, frozenset(allow), scope=import_scope or "")


def _lift_function(build: Callable[[], Any], allow: frozenset[str]) -> PlanTree:
    graph = tf.Graph()
    if tf.executing_eagerly():
        graph.seed = context.global_seed()  # as TF1's set_random_seed would
    with graph.as_default():
        fetches = build()
    tensors = _tensors(fetches, graph)
    return _lift(fetches, tensors, _graph_of(tensors), allow, owned=True)


def _lift(
    fetches: Any, tensors: list[Any], graph: Any, allow: frozenset[str], *,
    scope: str | None = None, owned: bool = False, known: Mapping[Any, Node] | None = None,
) -> PlanTree:  # fmt: skip
    lifter = Lifter(graph, trust=Trust(scope is not None, allow), known=known)
    at = next((t.values.op if isinstance(t, tf.SparseTensor) else t.op for t in tensors), None)
    structure = _structure(fetches)
    try:
        tf.nest.flatten(structure)
    except TypeError as error:
        raise refuse(
            at,
            f"tf.data cannot have elements of this structure: {error}",
            "Fetch a list of tensors, or a dict whose keys are all strings",
        ) from error
    wanted = [_wanted(t) for t in tensors]
    root = lifter.elements(wanted, at)
    if not root.inputs:
        raise refuse(
            at,
            "no queue or reader lies behind it: there is no pipeline to lift",
            "Pass the tensors that the input pipeline returned",
        )
    return PlanTree(_told(root, tensors), structure, graph, owned, scope, allow)


def _told(root: Node, tensors: list[Any]) -> Node:
    """`root`, with the shapes that the program knows.

    Of tensors out of a queue that declares none it knows what `set_shape` told, or nothing.
    """
    elements = tuple(
        spec_of(tensor) if isinstance(spec, tf.TensorSpec) and _less(tensor.shape, spec) else spec
        for spec, tensor in zip(root.elements, tensors, strict=True)
    )
    return root if elements == root.elements else replace(root, elements=elements)


def _less(known: Any, spec: Any) -> bool:
    return spec.shape.rank is None or spec.shape.is_subtype_of(known)


def _wanted(tensor: Any) -> Any:
    if isinstance(tensor, tf.SparseTensor):
        return Stored(tensor.values.op, (tensor.indices, tensor.values, tensor.dense_shape))
    return tensor


def _tensors(fetches: Any, graph: Any, prefix: str = "") -> list[Any]:
    """The fetches in flat order, names resolved; these stand behind `prefix` in the graph."""
    if isinstance(fetches, dict) and set(fetches) == _PARTS:
        return [tf.SparseTensor(**{k: _named(v, graph, prefix) for k, v in fetches.items()})]
    if isinstance(fetches, dict):
        keys = sorted(fetches, key=str)
        return [t for key in keys for t in _tensors(fetches[key], graph, prefix)]
    if isinstance(fetches, (list, tuple)):
        return [t for item in fetches for t in _tensors(item, graph, prefix)]
    return [_named(fetches, graph, prefix)]


def _structure(fetches: Any) -> Any:
    """The fetches' structure, with the position of each leaf in flat order."""
    positions = iter(range(1 << 30))

    def number(item: Any) -> Any:
        if isinstance(item, dict) and set(item) != _PARTS:
            order = {key: number(item[key]) for key in sorted(item, key=str)}
            kind = OrderedDict if isinstance(item, OrderedDict) else dict
            return kind((key, order[key]) for key in item)
        if isinstance(item, (list, tuple)):
            # tf.data has no lists: a list in an element would be stacked into one tensor.
            items = [number(part) for part in item]
            return type(item)(*items) if hasattr(item, "_fields") else tuple(items)
        return next(positions)

    return number(fetches)


def _named(item: Any, graph: Any, prefix: str) -> Any:
    for kind, parts in _COMPOSITES.items():
        if isinstance(item, kind):
            raise refuse(
                item.values.op if tf.is_symbolic_tensor(item.values) else None,
                f"what is fetched is of type {kind.__name__}, and a plan's elements are tensors and"
                " SparseTensors",
                f"Fetch its {parts}, and put it together where the batch is used",
            )
    if isinstance(item, tf.SparseTensor) or tf.is_tensor(item):
        return item
    if not isinstance(item, str):
        raise no_tensor(item)
    return tensor_named(prefix + item, graph or tf.compat.v1.get_default_graph())


def _graph_of(tensors: list[Any]) -> Any:
    for tensor in tensors:
        part = tensor.values if isinstance(tensor, tf.SparseTensor) else tensor
        if tf.is_symbolic_tensor(part):
            return part.graph
    raise ValueError(
        message(
            "there is no tensor of a graph to lift",
            "the fetches are empty, or were made eagerly",
            "Return the tensors that the input pipeline made from the function given to lift",
        )
    )
