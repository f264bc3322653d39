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


Paired = list[tuple[Component, Component]]


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


def agree_on_batching(
    old: Schema, new: Schema, rows: tuple[int | None, int | None] = (None, None)
) -> tuple[Schema, Schema]:
    """Takes vectors for single examples, not batches, where the other side has one axis more.

    A column that became a vector, (16, 1) and (16,), has one axis more too: so a single example
    must fit into a batch of the other side. `rows`: how many rows the first batches have.
    """
    if None not in rows and rows[0] == rows[1] and rows[0] != 1:
        return old, new  # both are batches
    select = by_name(old, new) if names_match(old, new) else None
    other = new if select is None else new.reordered(select[1])
    pairs = list(zip(old.components, other.components, strict=False))
    known = [(a, b) for a, b in pairs if a.shape is not None and b.shape is not None]
    if known and all(_is_row(b, a) for a, b in known):
        new = replace(new, batched=False)
    elif known and all(_is_row(a, b) for a, b in known):
        old = replace(old, batched=False)
    return old, new


def _is_row(single: Component, batch: Component) -> bool:
    """Whether the one may be a row of the other."""
    assert single.shape is not None and batch.shape is not None
    if len(batch.shape) != len(single.shape) + 1:
        return False
    both = zip(single.shape, batch.shape[1:], strict=True)
    return all(a is None or b is None or a == b for a, b in both)


def names_match(old: Schema, new: Schema) -> bool:
    """Whether both sides name all their components, and alike, in whatever nests these are."""
    mine, other = _own_names(old), _own_names(new)
    named = len(set(mine)) == len(mine) and not any(name.isdigit() for name in mine)
    return named and sorted(mine) == sorted(other)


def _own_names(schema: Schema) -> list[str]:
    return [name.rpartition("/")[2] for name in schema.names]


def is_place(name: str) -> bool:
    """Whether a name is only where a component stands in tuples, which another nest has not."""
    return all(part.isdigit() for part in name.split("/"))


def _of_one_key(old: Schema, new: Schema) -> dict[int, int]:
    """The new component of each old one that has the same key, in whatever nests both are."""
    mine, other = _own_names(old), _own_names(new)
    found = {i: new.names.index(name) for i, name in enumerate(old.names)
             if name in new.names and not is_place(name)}  # fmt: skip
    for index, name in enumerate(mine):
        alone = mine.count(name) == other.count(name) == 1 and not name.isdigit()
        if index not in found and alone and other.index(name) not in found.values():
            found[index] = other.index(name)
    return found


def _renamed(old: Schema, new: Schema) -> list[int]:
    """New components for the old ones: by key, those renamed by their form, or as they come."""
    found = _of_one_key(old, new)
    names = zip(old.names, new.names, strict=True)
    found |= {i: i for i, (a, b) in enumerate(names) if a == b and i not in found.values()}
    free = [j for j in range(len(new.components)) if j not in found.values()]
    for index, component in enumerate(old.components):
        if index in found:
            continue
        form = component.kind, component.dtype, component.shape
        alike = [j for j in free if (c := new.components[j]) and (c.kind, c.dtype, c.shape) == form]
        found[index] = (alike or free)[0]
        free.remove(found[index])
    return [found[index] for index in range(len(old.components))]


def by_name(old: Schema, new: Schema) -> Select | None:
    """The components of equal name, where their order does not tell it; None if it does.

    Raises:
      ValueError: there is none, and the sides have not as many components.
    """
    if names_match(old, new):
        order = [_own_names(new).index(name) for name in _own_names(old)]
        return None if order == sorted(order) else (list(range(len(order))), order)
    found = _of_one_key(old, new)
    if len(old.components) == len(new.components):
        order = _renamed(old, new) if found else []
        return None if order == sorted(order) else (list(range(len(order))), order)
    found |= {i: new.names.index(name) for i, name in enumerate(old.names)
              if name in new.names and new.names.index(name) not in found.values()}  # fmt: skip
    if not found:
        raise ValueError(
            f"the sides have no component in common: {old.names} and {new.names}. "
            "Let both return the same number of tensors, or dicts with common keys."
        )
    return sorted(found), [found[index] for index in sorted(found)]


def comparable(old: Schema, new: Schema, select: Select | None) -> Select | None:
    """The components whose values can be compared at all, a string with no number, a sparse tensor
    with no dense one; None if all can, or none."""
    both = min(len(old.components), len(new.components))
    pairs = list(zip(*(select or (range(both), range(both))), strict=True))
    fit = [(i, j) for i, j in pairs if _alike(old.components[i], new.components[j])]
    return ([i for i, _ in fit], [j for _, j in fit]) if 0 < len(fit) < len(pairs) else None


def _alike(a: Component, b: Component) -> bool:
    return a.kind == b.kind and (a.dtype == "string") == (b.dtype == "string")
