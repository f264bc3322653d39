"""What a program calls the tensors of a batch: the keys of a dict, which no graph holds."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import Any

_keys: weakref.WeakKeyDictionary[Any, dict[str, tuple[str, ...]]] = weakref.WeakKeyDictionary()


def note_keys(graph: Any, name: str, keys: Iterable[Any]) -> None:
    """Remembers the keys of what the op called `name` gives, in the order of its outputs."""
    found = tuple(keys)
    if all(isinstance(key, str) for key in found):
        _keys.setdefault(graph, {})[name] = found


def as_called(op: Any, tensors: Sequence[Any]) -> Any:
    """What an op gives, as its program got it: under its keys, as a list, or one tensor bare."""
    keys = _keys.get(op.graph, {}).get(op.name)
    if keys is not None and len(keys) == len(tensors):
        return dict(zip(keys, tensors, strict=True))
    return list(tensors) if len(tensors) > 1 else tensors[0]
