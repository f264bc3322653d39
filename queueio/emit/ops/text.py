"""Strings, and numbers written as strings."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from queueio.emit.ops import SourceSite, expresses
from queueio.emit.spelling import literal
from queueio.emit.spelling.code import Code, call, code
from queueio.emit.spelling.lists import listed


@expresses("StringJoin")
def join(site: SourceSite) -> Code:
    """`tf.strings.join([a, b], ":")`."""
    more = (site.text("separator"),) if site.attr("separator") else ()
    return call("tf.strings.join", listed(site.args), *more)


@expresses("StringSplit")
def split(site: SourceSite) -> list[Code]:
    """The words of strings, as a sparse tensor."""
    skip = None if site.attr("skip_empty") else Code("False")
    value = call("tf.compat.v1.string_split", site.arg(0), sep=site.arg(1), skip_empty=skip)
    return _parts(site, value)


@expresses("StringSplitV2")
def split_v2(site: SourceSite) -> list[Code]:
    """The words of strings, as a sparse tensor."""
    limit = site.attr("maxsplit")
    more = {"maxsplit": code(limit) if limit != -1 else None}
    ragged = call("tf.strings.split", site.arg(0), site.arg(1), **more)
    return _parts(site, Code(f"{ragged.flat}.to_sparse()", head=ragged.head, items=ragged.items,
                             close=").to_sparse()", call=True))  # fmt: skip


def _parts(site: SourceSite, value: Code) -> list[Code]:
    name = site.body.assign(site.op, value)
    return [Code(f"{name}.{part}") for part in ("indices", "values", "dense_shape")]


@expresses("StringToNumber")
def to_number(site: SourceSite) -> Code:
    """`tf.strings.to_number(x, tf.int32)`."""
    kind = site.attr("out_type")
    more = () if kind == tf.float32 else (literal.dtype(kind),)
    return call("tf.strings.to_number", site.arg(0), *more)


@expresses("AsString")
def as_string(site: SourceSite) -> Any:
    """`tf.strings.as_string(x)`."""
    usual = site.usual(scientific=False, shortest=False, fill="", width=-1)
    if not usual:
        return None
    digits = site.attr("precision")
    return call(
        "tf.strings.as_string", site.arg(0), precision=code(digits) if digits != -1 else None
    )


@expresses("Substr")
def substr(site: SourceSite) -> Code:
    """`tf.strings.substr(x, 0, 2)`."""
    unit = site.attr("unit") if "unit" in site.op.node_def.attr else "BYTE"
    more = None if unit == "BYTE" else Code(literal.quoted(unit))
    return call("tf.strings.substr", *site.args, unit=more)


@expresses("StringLength")
def length(site: SourceSite) -> Code:
    """`tf.strings.length(x)`."""
    unit = site.attr("unit") if "unit" in site.op.node_def.attr else "BYTE"
    more = None if unit == "BYTE" else Code(literal.quoted(unit))
    return call("tf.strings.length", site.arg(0), unit=more)


@expresses("RegexReplace", "StaticRegexReplace")
def regex_replace(site: SourceSite) -> Code:
    """`tf.strings.regex_replace(x, pattern, rewrite)`."""
    if site.op.type == "RegexReplace":
        parts = [site.arg(1), site.arg(2)]
    else:
        parts = [site.text(n) for n in ("pattern", "rewrite")]
    once = None if site.attr("replace_global") else Code("False")
    return call("tf.strings.regex_replace", site.arg(0), *parts, replace_global=once)


@expresses("RegexFullMatch", "StaticRegexFullMatch")
def regex_full_match(site: SourceSite) -> Code:
    """`tf.strings.regex_full_match(x, pattern)`."""
    static = site.op.type != "RegexFullMatch"
    pattern = site.text("pattern") if static else site.arg(1)
    return call("tf.strings.regex_full_match", site.arg(0), pattern)


@expresses("StringToHashBucketFast", "StringToHashBucket")
def hash_bucket(site: SourceSite) -> Code:
    """`tf.strings.to_hash_bucket_fast(x, 100)`."""
    fast = "_fast" if site.op.type.endswith("Fast") else ""
    return call(f"tf.strings.to_hash_bucket{fast}", site.arg(0), code(site.attr("num_buckets")))


@expresses("StringStrip", "StringLower", "StringUpper")
def change(site: SourceSite) -> Any:
    """`tf.strings.strip(x)`."""
    if site.op.type != "StringStrip" and not site.usual(encoding=""):
        return None
    return call(f"tf.strings.{site.op.type.removeprefix('String').lower()}", site.arg(0))


@expresses("ReduceJoin")
def reduce_join(site: SourceSite) -> Any:
    """One string out of many."""
    if site.attr("keep_dims"):
        return None
    more = site.text("separator") if site.attr("separator") else None
    return call("tf.strings.reduce_join", site.arg(0), axis=site.arg(1), separator=more)
