"""What a graph looks like from outside: node names, types, the attributes that matter, collections.

Normalised, and nothing else is (README.md has the reasons): the type of variables, counters and
tables; the nodes that only read a variable; the insides of ops that are not queueio's.
"""

from __future__ import annotations

from typing import Any

TYPES = {
    "VarHandleOp": "Variable",
    "VariableV2": "Variable",
    "AssignVariableOp": "Assign",
    "ResourceCountUpTo": "CountUpTo",
    "HashTable": "HashTableV2",
}
# Scopes of composite decoders and other ops, whose insides differ between versions.
OPAQUE = (
    "AssertGuard",
    "ParseSingleExample",
    "ParseExample",
    "ParseSingleSequenceExample",
    "SparseMerge",
    "assert_equal",
    "assert_greater_equal",
    "assert_less",
    "assert_less_equal",
    "assert_non_negative",
    "assert_positive",
    "parsed",
    "decode_image",
    "ObtainNext",
    "ones_like",
    "resize_image_with_crop_or_pad",
    "map",
)
# Tables get a random shared_name today; queueio names sparse maps (README.md says why).
NAMED_ANYHOW = (
    "VarHandleOp",
    "VariableV2",
    "HashTableV2",
    "AddSparseToTensorsMap",
    "AddManySparseToTensorsMap",
    "TakeManySparseFromTensorsMap",
)
READING = ("ReadVariableOp", "VarIsInitializedOp")
ATTRIBUTES = (
    "capacity",
    "min_after_dequeue",
    "component_types",
    "shapes",
    "shared_name",
    "seed",
    "seed2",
    "limit",
    "record_bytes",
    "header_bytes",
    "footer_bytes",
    "hop_bytes",
    "encoding",
    "compression_type",
    "skip_header_lines",
    "cancel_pending_enqueues",
)


def attribute(value: Any) -> Any:
    """One AttrValue in short: an int, a text, or the list of dtypes or shapes."""
    kind = value.WhichOneof("value")
    if kind == "s":
        return value.s.decode()
    if kind in ("i", "b"):
        return getattr(value, kind)
    if value.list.type:
        return list(value.list.type)
    return [
        None if shape.unknown_rank else [dim.size for dim in shape.dim]
        for shape in value.list.shape
    ]


def outside(name: str) -> str:
    """The name of a node, cut at the first opaque scope: `ParseExample/*`."""
    parts = name.split("/")
    for i, part in enumerate(parts):
        stem, _, number = part.rpartition("_")
        if part in OPAQUE or (stem in OPAQUE and number.isdigit()):
            return "/".join(parts[: i + 1] + ["*"])
    return name


def describe(node: Any) -> str | None:
    """`name Type {attributes}` of one node, or None where it is normalised away."""
    if node.op in READING or (node.op == "Identity" and node.name.endswith("/read")):
        return None
    if outside(node.name) != node.name:
        return None if node.name.split("/")[0] == "SparseMerge" else outside(node.name)
    attributes = {
        key: attribute(node.attr[key])
        for key in ATTRIBUTES
        if key in node.attr and not (key == "shared_name" and node.op in NAMED_ANYHOW)
    }
    texts = " ".join(f"{key}={attributes[key]}" for key in sorted(attributes))
    name = node.name.replace("/ResourceCountUpTo", "/CountUpTo")
    return " ".join(part for part in (name, TYPES.get(node.op, node.op), texts) if part)


def nodes(graph: Any) -> list[str]:
    described = (describe(node) for node in graph.as_graph_def().node)
    texts = [text for text in described if text]
    return sorted(t for i, t in enumerate(texts) if not t.endswith("/*") or t not in texts[:i])


def runner(queue_runner: Any) -> dict[str, Any]:
    try:
        proto = queue_runner.to_proto()
    except NotImplementedError:  # it feeds from Python
        ops = [op.name for op in queue_runner.enqueue_ops]
        return {"queue": queue_runner.queue.name, "enqueue": ops, "proto": None}
    return {
        "queue": proto.queue_name,
        "enqueue": list(proto.enqueue_op_name),
        "close": proto.close_op_name,
        "cancel": proto.cancel_op_name,
        "closed_types": list(proto.queue_closed_exception_types),
    }


def tag(tf: Any, summary: Any) -> str:
    value = (
        tf.get_static_value if hasattr(tf, "get_static_value") else tf.contrib.util.constant_value
    )
    return value(summary.op.inputs[0]).item().decode()


def collections(tf: Any, graph: Any) -> dict[str, Any]:
    """Queue runners' protos, summaries' tags, variables, and how much is in the rest."""
    keys = tf.GraphKeys
    special = {
        keys.QUEUE_RUNNERS: runner,
        keys.SUMMARIES: lambda s: [s.op.name, tag(tf, s)],
        keys.LOCAL_VARIABLES: lambda v: [v.op.name, v.dtype.base_dtype.name, str(v.shape)],
        keys.GLOBAL_VARIABLES: lambda v: [v.op.name, v.dtype.base_dtype.name, str(v.shape)],
    }
    # How control flow and variable scopes keep their books is TensorFlow's own affair.
    private = ("cond_context", "while_context")
    found: dict[str, Any] = {}
    for key in graph.get_all_collection_keys():
        if isinstance(key, str) and key not in private:
            items = graph.get_collection(key)
            found[key] = [special[key](i) for i in items] if key in special else len(items)
    return found
