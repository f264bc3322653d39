"""Example protos: the op's long lists of keys become the dict of features that they came from."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from queueio.emit.ops import SourceSite, expresses
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, mapping


@expresses("ParseSingleExample")
def single(site: SourceSite) -> list[Code]:
    """`features = tf.io.parse_single_example(record, {...})`."""
    sparse = [literal.text(key) for key in site.op.get_attr("sparse_keys")]
    dense = [literal.text(key) for key in site.op.get_attr("dense_keys")]
    defaults = list(range(1, 1 + len(dense)))
    spec = _spec(site, sparse, site.attr("sparse_types"), dense, defaults)
    return _features(site, "tf.io.parse_single_example", site.arg(0), spec, sparse, dense)


@expresses("ParseExample")
def many(site: SourceSite) -> Any:
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
def many_v2(site: SourceSite) -> Any:
    """The same; of one record or of many, by the rank of what it is given."""
    names = [site.static(i) for i in (2, 3, 4)]
    if any(value is None for value in names) or site.op.inputs[0].shape.rank is None:
        return None
    sparse, dense, ragged = map(keys_of, names)
    if ragged:
        return None
    defaults = list(range(5, 5 + len(dense)))
    spec = _spec(site, sparse, site.attr("sparse_types"), dense, defaults)
    one = "single_" if site.op.inputs[0].shape.rank == 0 else ""
    return _features(site, f"tf.io.parse_{one}example", site.arg(0), spec, sparse, dense)


def keys_of(value: Any) -> list[str]:
    """A vector of keys as literals."""
    return [literal.text(bytes(item)) for item in np.asarray(value, object).ravel()]


def sparse_features(keys: list[str], kinds: Any) -> dict[str, Code]:
    """Features of any length."""
    return {
        key: call("tf.io.VarLenFeature", literal.dtype(kind))
        for key, kind in zip(keys, kinds, strict=True)
    }


def _spec(
    site: SourceSite, sparse: list[str], sparse_types: Any, dense: list[str], defaults: list[int]
) -> dict[str, Code]:
    """The features as people write them."""
    spec = sparse_features(sparse, list(sparse_types))
    shapes = [tf.TensorShape(s) for s in site.attr("dense_shapes")]
    for key, shape, index in zip(dense, shapes, defaults, strict=True):
        spec[key] = dense_feature(site, shape, index)
    return spec


def dense_feature(site: SourceSite, shape: Any, index: int) -> Code:
    """A feature of fixed length, or of as many rows as the record has; `index` is its default."""
    kind, default = site.op.inputs[index].dtype, site.static(index)
    given = None
    if default is None:
        given = site.arg(index)
    elif default.size:
        given = literal.plain(default)
    if shape.rank and shape.as_list()[0] is None:
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
    site: SourceSite, function: str, record: Code, spec: dict[str, Code], sparse: list[str],
    dense: list[str],
) -> list[Code]:  # fmt: skip
    name = site.body.assign(site.op, call(function, record, mapping(spec)), "features")
    found = [
        Code(f"{name}[{key}].{part}")
        for part in ("indices", "values", "dense_shape")
        for key in sparse
    ]
    return found + [Code(f"{name}[{key}]") for key in dense]
