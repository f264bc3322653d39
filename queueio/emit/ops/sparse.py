"""Sparse tensors."""

from __future__ import annotations

from queueio.emit.ops import SourceSite, expresses
from queueio.emit.spelling.code import Code, call


@expresses("SparseToDense")
def sparse_to_dense(site: SourceSite) -> Code:
    """Values at their indices."""
    flag = None if site.attr("validate_indices") else Code("False")
    return call("tf.compat.v1.sparse_to_dense", *site.args, validate_indices=flag)


@expresses("SparseReorder")
def sparse_reorder(site: SourceSite) -> list[Code]:
    """A sparse tensor in the order of its indices."""
    return _sparse(site, call("tf.sparse.reorder", sparse_of(site, 0)), with_shape=False)


def sparse_of(site: SourceSite, first: int) -> Code:
    """The sparse tensor whose three parts begin at input `first`."""
    return site.body.sparse(site.op.inputs[first : first + 3])


def _sparse(site: SourceSite, value: Code, with_shape: bool) -> list[Code]:
    name = site.body.assign(site.op, value)
    parts = ["indices", "values", "dense_shape"] if with_shape else ["indices", "values"]
    return [Code(f"{name}.{part}") for part in parts]
