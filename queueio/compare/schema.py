"""What a side delivers, before any value is seen: components, dtypes, static shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from queueio import recorder

Select = tuple[list[int], list[int]]  # components of old and of new that belong together


@dataclass(frozen=True)
class Component:
    """One tensor of the structure: `shape` is the static shape with the batch axis, or None."""

    name: str
    kind: str  # dense, sparse or ragged
    dtype: str  # TensorFlow's name: float32, string, …
    shape: tuple[int | None, ...] | None

    @property
    def title(self) -> str:
        """The name as a sentence says it."""
        return f"component {self.name}" if self.name.isdigit() else self.name

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    def __str__(self) -> str:
        dims = "?" if self.shape is None else ", ".join(str(d or "?") for d in self.shape)
        kind = "" if self.kind == "dense" else f"{self.kind} "
        return f"{self.name}: {kind}{self.dtype} [{dims}]"


@dataclass(frozen=True)
class Schema:
    """The components in flattened order, the nest they came from, and whether they are batches."""

    components: tuple[Component, ...]
    structure: Any
    batched: bool

    @classmethod
    def of(cls, structure: Any, components: Sequence[Component]) -> Schema:
        return cls(tuple(components), structure, _looks_batched(components))

    @property
    def names(self) -> list[str]:
        return [component.name for component in self.components]

    @property
    def titles(self) -> list[str]:
        return [component.title for component in self.components]

    def reordered(self, order: Sequence[int]) -> Schema:
        """The same components, the i-th being today's `order[i]`-th."""
        return replace(self, components=tuple(self.components[i] for i in order))


def from_tensors(nest: Any) -> Schema:
    """The schema of a nest of graph tensors."""
    pairs = recorder.flatten(nest)
    described = [recorder.describe(name, tensor) for name, tensor in pairs]
    return Schema.of(recorder.structure_of(nest), [component_of(d) for d in described])


def from_element_spec(spec: Any) -> Schema:
    """The schema of a tf.data element spec."""
    components = []
    for name, leaf in recorder.flatten(spec):
        kind = type(leaf).__name__.replace("TensorSpec", "").lower() or "dense"
        dims = None if leaf.shape.rank is None else tuple(leaf.shape.as_list())
        components.append(Component(name, kind, leaf.dtype.name, dims))
    return Schema.of(recorder.structure_of(spec), components)


def component_of(described: dict[str, Any]) -> Component:
    """A component from its description in a recording's header."""
    dims = described["shape"]
    shape = None if dims is None else tuple(dims)
    return Component(described["name"], described["kind"], described["dtype"], shape)


def _looks_batched(components: Sequence[Component]) -> bool:
    """All components have a leading axis, and its static sizes do not contradict one another."""
    if any(c.rank == 0 for c in components):
        return False
    leading = {c.shape[0] for c in components if c.shape and c.shape[0] is not None}
    return len(leading) <= 1


def agree_on_batching(old: Schema, new: Schema) -> tuple[Schema, Schema]:
    """Takes vectors for single examples, not batches, where the other side has one axis more."""
    ranks = [(a.rank, b.rank) for a, b in zip(old.components, new.components, strict=False)]
    known = [(a, b) for a, b in ranks if a is not None and b is not None]
    if known and all(a == b + 1 for a, b in known):
        new = replace(new, batched=False)
    elif known and all(b == a + 1 for a, b in known):
        old = replace(old, batched=False)
    return old, new


def by_name(old: Schema, new: Schema) -> Select | None:
    """The components of equal name, where the sides have different ones; None if all match.

    Raises:
      ValueError: there is none.
    """
    if len(old.components) == len(new.components):
        return None
    common = [name for name in old.names if name in new.names]
    if not common:
        raise ValueError(
            f"the sides have no component in common: {old.names} and {new.names}. "
            "Let both return the same number of tensors, or dicts with common keys."
        )
    return [old.names.index(n) for n in common], [new.names.index(n) for n in common]
