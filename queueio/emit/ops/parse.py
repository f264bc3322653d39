"""Example protos: the op's long lists of keys become the dict of features that they came from."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from queueio.emit import literal
from queueio.emit.code import Code, call, mapping
from queueio.emit.ops import Site, expresses


@expresses("ParseSingleExample")
def single(site: Site) -> list[Code]:
    """`features = tf.io.parse_single_example(record, {...})`."""
    sparse = [literal.text(key) for key in site.op.get_attr("sparse_keys")]
    dense = [literal.text(key) for key in site.op.get_attr("dense_keys")]
    defaults = list(range(1, 1 + len(dense)))
    spec = _spec(site, sparse, site.attr("sparse_types"), dense, defaults)
    return _features(site, "tf.io.parse_single_example", site.arg(0), spec, sparse, dense)


@expresses("ParseExample")
def many(site: Site) -> Any:
    """`features = tf.io.parse_example(records, {...})`."""
    sparse_count, dense_count = site.attr("Nsparse"), site.attr("Ndense")
    found = [site.static(i) for i in range(2, 2 + sparse_count + dense_count)]
    if any(value is None for value in found):
        return None
    keys = [literal.text(value.item()) for value in found if value is not None]
    sparse, dense = keys[:sparse_count], keys[sparse_count:]
    first = 2 + sparse_count + dense_count
    spec = _spec(
        site, sparse, site.attr("sparse_types"), dense, list(range(first, first + dense_count))
    )
    return _features(site, "tf.io.parse_example", site.arg(0), spec, sparse, dense)


@expresses("ParseExampleV2")
def many_v2(site: Site) -> Any:
    """The same; of one record or of many, by the rank of what it is given."""
    names = [site.static(i) for i in (2, 3, 4)]
    if any(value is None for value in names) or site.op.inputs[0].shape.rank is None:
        return None
    sparse, dense, ragged = ([literal.text(key) for key in _flat(value)] for value in names)
    if ragged:
        return None
    defaults = list(range(5, 5 + len(dense)))
    spec = _spec(site, sparse, site.attr("sparse_types"), dense, defaults)
    one = "single_" if site.op.inputs[0].shape.rank == 0 else ""
    return _features(site, f"tf.io.parse_{one}example", site.arg(0), spec, sparse, dense)


def _flat(value: Any) -> list[bytes]:
    return [bytes(item) for item in np.asarray(value, object).ravel()]


def _spec(
    site: Site, sparse: list[str], sparse_types: Any, dense: list[str], defaults: list[int]
) -> dict[str, Code]:
    """The features as people write them."""
    kinds = list(sparse_types)
    spec = {
        key: call("tf.io.VarLenFeature", literal.dtype(kind))
        for key, kind in zip(sparse, kinds, strict=True)
    }
    shapes = [tf.TensorShape(s) for s in site.attr("dense_shapes")]
    for key, shape, index in zip(dense, shapes, defaults, strict=True):
        spec[key] = _dense(site, shape, index)
    return spec


def _dense(site: Site, shape: Any, index: int) -> Code:
    kind, default = site.op.inputs[index].dtype, site.static(index)
    given = None
    if default is None:
        given = site.arg(index)
    elif default.size:
        given = literal.plain(default)
    if shape.rank and shape[0] is None:
        row = literal.shape(shape[1:])
        blank = "''" if kind == tf.string else "0"
        if default is not None and default.size and str(default.ravel()[0]) in (blank, "b''", "0"):
            given = None
        value = None if given is None else literal.plain(np.asarray(default).ravel()[0])
        return call("tf.io.FixedLenSequenceFeature", row, literal.dtype(kind),
                    allow_missing=Code("True"), default_value=value)  # fmt: skip
    return call(
        "tf.io.FixedLenFeature", literal.shape(shape), literal.dtype(kind), default_value=given
    )


def _features(
    site: Site, function: str, record: Code, spec: dict[str, Code], sparse: list[str],
    dense: list[str],
) -> list[Code]:  # fmt: skip
    name = site.body.assign(site.op, call(function, record, mapping(spec)), "features")
    found = [
        Code(f"{name}[{key}].{part}")
        for part in ("indices", "values", "dense_shape")
        for key in sparse
    ]
    return found + [Code(f"{name}[{key}]") for key in dense]


@expresses("ParseSingleSequenceExample")
def sequence(site: Site) -> Any:
    """`context, sequence = tf.io.parse_single_sequence_example(record, {...}, {...})`."""
    counts = {n: site.attr(n) for n in _COUNTS}
    keys, at = {}, 2
    for n in _COUNTS:
        values = [site.static(i) for i in range(at, at + counts[n])]
        if any(value is None for value in values):
            return None
        keys[n] = [literal.text(v.item()) for v in values if v is not None]
        at += counts[n]
    context = {
        key: call("tf.io.VarLenFeature", literal.dtype(kind))
        for key, kind in zip(keys["Ncontext_sparse"], site.attr("context_sparse_types"), strict=True)
    }
    shapes = [tf.TensorShape(s) for s in site.attr("context_dense_shapes")]
    for i, (key, shape) in enumerate(zip(keys["Ncontext_dense"], shapes, strict=True)):
        context[key] = _dense(site, shape, at + i)
    steps = {
        key: call("tf.io.VarLenFeature", literal.dtype(kind))
        for key, kind in zip(
            keys["Nfeature_list_sparse"], site.attr("feature_list_sparse_types"), strict=True
        )
    }
    missing = {bytes(v) for v in _flat(site.static(1))} if site.static(1) is not None else set()
    kinds, rows = site.attr("feature_list_dense_types"), site.attr("feature_list_dense_shapes")
    for key, kind, row in zip(keys["Nfeature_list_dense"], kinds, rows, strict=True):
        allowed = Code("True") if any(literal.text(m) == key for m in missing) else None
        steps[key] = call(
            "tf.io.FixedLenSequenceFeature", literal.shape(tf.TensorShape(row)),
            literal.dtype(kind), allow_missing=allowed,
        )  # fmt: skip
    return _sequence_parts(site, keys, context, steps)


_COUNTS = ("Ncontext_sparse", "Ncontext_dense", "Nfeature_list_sparse", "Nfeature_list_dense")


def _sequence_parts(
    site: Site, keys: dict[str, list[str]], context: dict[str, Code], steps: dict[str, Code]
) -> list[Code]:
    function = "tf.io.parse_single_sequence_example"
    wanted = [("context", context), ("sequence", steps)]
    given = {f"{n}_features": mapping(spec) if spec else None for n, spec in wanted}
    names = site.body.assign_all(["context", "sequence"], call(function, site.arg(0), **given))
    found = []
    for name, kind in zip(names, ("context", "feature_list"), strict=True):
        sparse = keys[f"N{kind}_sparse"]
        found += [Code(f"{name}[{k}].{part}") for part in ("indices", "values", "dense_shape")
                  for k in sparse]  # fmt: skip
        found += [Code(f"{name}[{key}]") for key in keys[f"N{kind}_dense"]]
    return found
