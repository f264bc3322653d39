"""Turn what a session returns into JSON, and write that JSON so that people can read it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Bytes as latin-1 text, floats by their shortest exact text, arrays as nested lists."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            return plain(list(value)) if value.ndim else float(str(value[()]))
        return plain(value.tolist())
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, np.floating):
        return float(str(value))
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(value, np.generic):
        return plain(value.item())
    return value


def flatten(tf: Any, fetches: Any, prefix: str = "") -> dict[str, Any]:
    """Nested fetches as one flat dict; a SparseTensor becomes three entries, a bare tensor "0"."""
    if isinstance(fetches, tf.SparseTensor):
        parts = ("indices", "values", "dense_shape")
        children = [(part, getattr(fetches, part)) for part in parts]
    elif isinstance(fetches, dict):
        children = [(str(key), fetches[key]) for key in sorted(fetches, key=str)]
    elif isinstance(fetches, (list, tuple)):
        children = [(str(i), child) for i, child in enumerate(fetches)]
    else:
        return {prefix or "0": fetches}
    flat: dict[str, Any] = {}
    for key, child in children:
        flat.update(flatten(tf, child, f"{prefix}/{key}" if prefix else key))
    return flat


def structure(tf: Any, fetches: Any) -> Any:
    """What kind of thing the call returned: "list" or "dict" with the kinds of its parts."""
    if isinstance(fetches, tf.SparseTensor):
        return "SparseTensor"
    if isinstance(fetches, dict):
        return {str(key): structure(tf, fetches[key]) for key in sorted(fetches, key=str)}
    if isinstance(fetches, (list, tuple)):
        return [structure(tf, child) for child in fetches]
    return "Operation" if isinstance(fetches, tf.Operation) else "Tensor"


def split(path: str) -> tuple[str, str]:
    """The path of a fetch and which part of a SparseTensor it is ("" for a dense tensor)."""
    stem, _, part = path.rpartition("/")
    return (stem, part) if part in ("indices", "values", "dense_shape") else (path, "")


def join(stem: str, part: str) -> str:
    return f"{stem}/{part}" if stem else part


def rows(step: dict[str, Any]) -> list[str]:
    """The examples of a batch, each as one canonical text, whatever their order in the batch."""
    columns: dict[str, list[Any]] = {}
    for name, value in step.items():
        stem, part = split(name)
        if part == "indices":
            count = step[join(stem, "dense_shape")][0]
            cells: list[list[Any]] = [[] for _ in range(count)]
            for index, cell in zip(value, step[join(stem, "values")]):
                cells[index[0]].append([index[1:], cell])
            columns[stem] = cells
        elif not part:
            columns[name] = value
    names = sorted(columns)
    return [json.dumps(row) for row in zip(*[columns[name] for name in names])]


def order_lines(text_and_items: tuple[str, Any]) -> str:
    key, value = text_and_items
    if value and key in ("steps", "examples", "shapes", "nodes"):
        body = ",\n".join("  " + json.dumps(item, sort_keys=True) for item in value)
        return f"{json.dumps(key)}: [\n{body}\n ]"
    return f"{json.dumps(key)}: {json.dumps(value, sort_keys=True)}"


def pretty(recording: dict[str, Any]) -> str:
    """JSON with one line per step, per node and per queue runner."""
    return "{\n " + ",\n ".join(order_lines(item) for item in recording.items()) + "\n}\n"
