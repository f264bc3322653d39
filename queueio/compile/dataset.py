"""Plan to dataset: one fold over the nodes, and the fetches' structure at the end."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.compile.resources import captures_for
from queueio.plan.components import gathered, spread
from queueio.plan.node import Node, fold
from queueio.plan.tree import Plan


def to_dataset(plan: Plan, *, vectorise: bool = True) -> Any:
    """The `tf.data.Dataset` of a plan; see `Plan.to_dataset`."""
    captures = captures_for(plan)

    def plain(node: Node, *inputs: Any) -> Any:
        return node.to_dataset(*inputs, captures=captures)

    def chunked(node: Node, *inputs: Any) -> Any:
        return node.to_stream(*inputs, captures=captures)

    if not vectorise:
        return structured(fold(plan.root, plain), plan)
    return structured(fold(plan.root, chunked).elements(), plan).prefetch(2)


def structured(dataset: Any, plan: Plan) -> Any:
    """Flat tuples in the structure of the fetches, with the static shapes of TF1's tensors."""

    @tf.autograph.experimental.do_not_convert
    def arrange(*components: Any) -> Any:
        declared = list(map(_as_declared, components, plan.root.elements))
        return tf.nest.map_structure(lambda i: declared[i], plan.structure)

    return dataset.map(arrange)


def _as_declared(component: Any, spec: Any) -> Any:
    if isinstance(component, tf.SparseTensor):
        return gathered(spread([component]), [spec])[0]
    if component.shape.rank is not None and not _as_precise(spec.shape, component.shape):
        # TF1 knew less: code that asks for the static shape shall get the same answer.
        return tf.compat.v1.placeholder_with_default(component, spec.shape)
    return tf.ensure_shape(component, spec.shape)


def _as_precise(shape: Any, known: Any) -> bool:
    """Whether `shape` says all that `known` says."""
    if shape.rank is None:
        return False
    return all(size is not None or other is None for size, other in zip(shape, known, strict=True))
