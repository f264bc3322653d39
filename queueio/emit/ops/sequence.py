"""SequenceExample protos."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from queueio.emit.ops import SourceSite, expresses
from queueio.emit.ops.parse import dense_feature, keys_of, sparse_features
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, mapping

_SPARSE = ("indices", "values", "dense_shape")


@dataclass(frozen=True)
class Keys:
    """The keys of a record, as literals."""

    context_sparse: list[str]
    context_dense: list[str]
    steps_sparse: list[str]
    steps_dense: list[str]


@expresses("ParseSequenceExampleV2")
def sequence_v2(site: SourceSite) -> Any:
    """`context, sequence = tf.io.parse_single_sequence_example(record, {...}, {...})`."""
    values = [site.static(i) for i in range(2, 8)]
    rank = site.op.inputs[0].shape.rank
    if rank is None or any(value is None for value in values):
        return None
    found = [keys_of(value) for value in values]
    allowed = site.static(8)
    if found[2] or found[5] or allowed is None:
        return None
    keys = Keys(found[0], found[1], found[3], found[4])
    missing = {k for k, v in zip(keys.steps_dense, allowed.ravel(), strict=True) if v}
    # The lengths stand behind the dense values; nothing but a batch has a use for them.
    return _written(site, keys, 9, missing, lengths=len(keys.steps_dense), batch=rank == 1)


@expresses("ParseSingleSequenceExample")
def sequence(site: SourceSite) -> Any:
    """The op of TF1, which names everything it takes by inputs."""
    at, lists = 2, []
    for name in (
        "Ncontext_sparse",
        "Ncontext_dense",
        "Nfeature_list_sparse",
        "Nfeature_list_dense",
    ):
        values = [site.static(i) for i in range(at, at + site.attr(name))]
        if any(value is None for value in values):
            return None
        lists.append([literal.text(value.item()) for value in values if value is not None])
        at += site.attr(name)
    allowed = site.static(1)
    missing = set() if allowed is None else set(keys_of(allowed))
    return _written(site, Keys(*lists), at, missing)


def _written(
    site: SourceSite, keys: Keys, at: int, missing: set[str], lengths: int = 0, batch: bool = False
) -> list[Code]:
    context = sparse_features(keys.context_sparse, site.attr("context_sparse_types"))
    for i, (key, shape) in enumerate(
        zip(keys.context_dense, site.attr("context_dense_shapes"), strict=True)
    ):
        context[key] = dense_feature(site, tf.TensorShape(shape), at + i)
    steps = sparse_features(keys.steps_sparse, site.attr("feature_list_sparse_types"))
    kinds, rows = site.attr("feature_list_dense_types"), site.attr("feature_list_dense_shapes")
    for key, kind, row in zip(keys.steps_dense, kinds, rows, strict=True):
        steps[key] = call(
            "tf.io.FixedLenSequenceFeature", literal.shape(tf.TensorShape(row)),
            literal.dtype(kind), allow_missing=Code("True") if key in missing else None,
        )  # fmt: skip
    given = {"context_features": context, "sequence_features": steps}
    function = f"tf.io.parse_{'' if batch else 'single_'}sequence_example"
    value = call(function, site.arg(0), **{k: mapping(v) if v else None for k, v in given.items()})
    first = 3 * len(keys.context_sparse) + len(keys.context_dense)
    last = first + 3 * len(keys.steps_sparse) + len(keys.steps_dense)
    outputs = list(site.op.outputs)
    parts = {"context": outputs[:first], "sequence": outputs[first:last]}
    parts |= {"lengths": outputs[last:]} if batch else {}
    names = [name if any(map(site.body.is_used, part)) else "" for name, part in parts.items()]
    got = site.body.assign_all(names, value)
    found = _parts(got[0], keys.context_sparse, keys.context_dense)
    found += _parts(got[1], keys.steps_sparse, keys.steps_dense)
    if batch:
        return found + [Code(f"{got[2]}[{key}]") for key in keys.steps_dense]
    return found + [Code("None")] * lengths


def _parts(name: str, sparse: list[str], dense: list[str]) -> list[Code]:
    found = [Code(f"{name}[{key}].{part}") for part in _SPARSE for key in sparse]
    return found + [Code(f"{name}[{key}]") for key in dense]
