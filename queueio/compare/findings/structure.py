"""Components, names, dtypes, static shapes, batch sizes."""

from __future__ import annotations

from collections import Counter
from typing import Any

from queueio.compare.findings.case import DIFFERENT, NOTE, WORSE, Case, Finding
from queueio.compare.mixing.order import infer_epochs
from queueio.compare.reading.scan import Scan
from queueio.compare.sides.schema import Component, Schema, by_name, is_place
from queueio.words import times


def _pairs(case: Case) -> list[tuple[Component, Component]]:
    return list(zip(case.form.old.schema.components, case.form.new.schema.components, strict=False))


def components(case: Case) -> list[Finding]:
    """Keys renamed, components in another order, left out or added."""
    old, new = case.schemas
    if len(old.components) != len(new.components):
        return [_missing(old, new)]
    if within := _renamed_within(case):
        return within
    names = [(a.name, b.name) for a, b in case.paired if a.name != b.name]
    renamed = [pair for pair in names if _is_renamed(*pair, old)]
    if renamed:
        return [Finding("dict-keys", DIFFERENT, f"Dict keys are renamed: {_each(renamed)}.")]
    if case.select is not None and _moved(case) and _have_an_order(case):
        pair = [(i, j) for i, j in zip(*case.select, strict=True) if i != j]
        if len(pair) == 2:
            a, b = (old.names[i] for i, _ in pair)
            return [Finding("component-order", DIFFERENT, f"Components {a} and {b} are swapped.")]
        moved = ", ".join(
            f"old component {i} ({old.names[i]}) is new component {j}"
            for i, j in zip(*case.select, strict=True)
            if i != j
        )
        return [
            Finding("component-order", DIFFERENT, f"The components are in other places: {moved}.")
        ]
    return _nests(old, new, [pair for pair in names if is_place(pair[1])])


def _moved(case: Case) -> bool:
    """Whether the values show components elsewhere than their names; few may be comparable."""
    every = range(len(case.schemas[0].components))
    named = dict(zip(*(by_name(*case.schemas) or (every, every)), strict=True))
    return any(named[i] != j for i, j in zip(*(case.select or ([], [])), strict=True))


def _is_renamed(name: str, other: str, old: Schema) -> bool:
    """Whether a key became one that the old side has not; a place in a tuple is no key."""
    known = {each.rpartition("/")[2] for each in old.names}
    keys = [each.rpartition("/")[2] for each in (name, other)]
    return keys[1] not in known and not any(key.isdigit() for key in keys)


def _have_an_order(case: Case) -> bool:
    """Whether what moved can be in another order: a dict's, beside a tuple's places, has none."""
    old, new = case.schemas
    moved = [(old.names[i], new.names[j]) for i, j in zip(*(case.select or ()), strict=True)
             if i != j]  # fmt: skip
    names = [(a, b) for a, b in moved if a != b]
    dicts = _keys(old.structure) | _keys(new.structure)
    return not dicts or not names or any(is_place(a) == is_place(b) for a, b in names)


def _each(pairs: list[tuple[str, str]]) -> str:
    return ", ".join(f"{a!r} is {b!r}" for a, b in pairs)


def _renamed_within(case: Case) -> list[Finding]:
    """Keys of dicts inside of the nests that differ, at any depth: models take them by name.

    A dict that is deeper on one side, or that a tuple stands for, is a nest of another form.
    """
    old, new = case.schemas
    pairs = [(a.name, b.name) for a, b in case.paired if a.name != b.name]
    deep = any("/" in name for pair in pairs for name in pair)
    alike = _form(old.structure) == _form(new.structure)
    if not (deep and alike and pairs) or not _keys(old.structure) ^ _keys(new.structure):
        return []
    return [Finding("dict-keys", DIFFERENT, f"Dict keys are renamed: {_each(pairs)}.")]


def _form(structure: Any) -> Any:
    """The nest without its keys: dicts and tuples of how many parts of which form."""
    if structure == "*":
        return "*"
    [(kind, parts)] = structure.items()
    inside = parts.values() if kind == "dict" else parts
    forms = [_form(part) for part in inside]
    return kind, sorted(forms, key=repr) if kind == "dict" else forms


def _keys(structure: Any) -> set[str]:
    """All keys of dicts in the nest, with the way there."""
    if structure == "*":
        return set()
    [(kind, parts)] = structure.items()
    found = set(parts) if kind == "dict" else set()
    items = parts.items() if kind == "dict" else enumerate(parts)
    return found.union(*({f"{key}/{deeper}" for deeper in _keys(part)} for key, part in items))


def _nests(old: Schema, new: Schema, placed: list[tuple[str, str]]) -> list[Finding]:
    """Nests of another form; of keys that became places, which is which: a dict tells no order."""
    if _plain(old.structure) == _plain(new.structure):
        return []
    text = f"The nests differ: {old.structure} against {new.structure}."
    if any(not is_place(a) for a, _ in placed):
        text += f" Taken for one: {_each(placed)}."
    return [Finding("structure", NOTE, text)]


def _plain(structure: Any) -> Any:
    """A tuple of one tensor and the tensor itself are one structure."""
    return "*" if structure == {"tuple": ["*"]} else structure


def _missing(old: Schema, new: Schema) -> Finding:
    both = by_name(old, new)
    kept = both or (range(len(old.components)), range(len(new.components)))
    gone, came = ([n for i, n in enumerate(schema.names) if i not in indices]
                  for schema, indices in zip((old, new), kept, strict=True))  # fmt: skip
    text = f"The old side has {times(len(old.names), 'component')}, the new one {len(new.names)}"
    text += f"; only the old one has {', '.join(map(repr, gone))}" if gone else ""
    text += f"; only the new one has {', '.join(map(repr, came))}" if came else ""
    return Finding("component-missing", DIFFERENT, text + ".")


def dtypes(case: Case) -> list[Finding]:
    """A component with another dtype, widened or not."""
    found = []
    for a, b in case.paired:
        if a.kind != b.kind:
            text = f"{a.title} is {a.kind} in the old side and {b.kind} in the new one."
            found.append(Finding("kind", DIFFERENT, text))
        if a.dtype != b.dtype:
            how = _width(a.dtype, b.dtype)
            text = f"The dtype of {a.title} is {how}: {a.dtype} became {b.dtype}."
            found.append(Finding("dtype", DIFFERENT, text))
    return found


def _width(old: str, new: str) -> str:
    import numpy as np

    if "string" in (old, new) or "bfloat16" in (old, new):
        return "another"
    if np.can_cast(old, new):
        return "widened"
    return "narrowed" if np.can_cast(new, old) else "another"


def static_shapes(case: Case) -> list[Finding]:
    """Dimensions that the old graph knew and the new one does not, or that contradict it."""
    lost = [(a, b) for a, b in _pairs(case) if _lost(a, b, "tail" in case.explained)]
    if not lost:
        return []
    which = ", ".join(f"{a.title} {_dims(a)} became {_dims(b)}" for a, b in lost)
    return [Finding("static-shape", WORSE, f"The static shape is lost: {which}.", len(lost))]


def full_by_chance(case: Case) -> list[Finding]:
    """A batch axis that only the new side fixes, so that it drops what fills no batch, though here
    all batches are full."""
    size, old, new = usual_size(case.new), case.old, case.new
    if {old.end.kind, new.end.kind} != {"clean"} or {*old.sizes, *new.sizes} != {size}:
        return []
    axes = [(a.shape[0], b.shape[0]) for a, b in _pairs(case) if a.shape and b.shape]
    if not new.schema.batched or len(axes) < len(_pairs(case)) or set(axes) != {(None, size)}:
        return []
    text = (
        f"All batches are full here. By its static shape the new side has none but of {size}, as "
        "with drop_remainder=True; by the old side's a smaller one may come last."
    )
    return [Finding("full-batches", NOTE, text)]


def _lost(a: Component, b: Component, tail: bool) -> bool:
    """Whether b knows less; a batch axis left open follows from a tail batch kept."""
    if a.shape is None or a.kind != b.kind or a.kind != "dense":
        return False
    if b.shape is None:
        return True
    skip = 1 if tail else 0
    same_rank = len(a.shape) == len(b.shape)
    both = list(zip(a.shape, b.shape, strict=False))[skip:]
    return same_rank and any(n is None and m is not None for m, n in both)


def _dims(component: Component) -> str:
    if component.shape is None:
        return "unknown"
    return "(" + ", ".join("None" if d is None else str(d) for d in component.shape) + ")"


def batch_size(case: Case) -> list[Finding]:
    """The usual batch size differs, or there are batches of sizes that the other side has not."""
    old, new = (usual_size(scan) for scan in (case.old, case.new))
    if not old or not new:
        return []
    if case.old.schema.batched != case.new.schema.batched:
        single = "old" if not case.old.schema.batched else "new"
        text = (
            f"The {single} side delivers single examples, the other one batches of {max(old, new)}."
        )
        return [Finding("batch-size", WORSE, text)]
    if old == new:
        return _further_sizes(case)
    shorter = min(case.old.examples, case.new.examples)
    if shorter < max(old, new) and case.old.examples != case.new.examples:
        return []  # one short batch is all there is: another rule says why
    mine, other = _sizes(case.old, old), _sizes(case.new, new)
    return [
        Finding(
            "batch-size",
            WORSE,
            f"The batch size is {mine} in the old side, {other} in the new one.",
        )
    ]


def _further_sizes(case: Case) -> list[Finding]:
    """Sizes beside the usual one, as of buckets, of the same examples."""
    scans = case.old, case.new
    if not case.difference.empty or any(scan.end.kind != "clean" for scan in scans):
        return []
    old, new = (_lasting_sizes(scan) for scan in scans)
    if old <= set(case.new.sizes) and new <= set(case.old.sizes):
        return []
    mine, other = (", ".join(map(str, sorted(sizes))) for sizes in (old, new))
    text = f"The batch size is {mine} in the old side, {other} in the new one."
    return [Finding("batch-size", WORSE, text)]


def _lasting_sizes(scan: Scan) -> set[int]:
    """The sizes of batches that are no rest: the largest, and what comes more often than a rest of
    each epoch would."""
    epochs = infer_epochs(scan)
    often = {size for size, times in Counter(scan.sizes).items() if times > epochs}
    return often | {max(scan.sizes)}


def _sizes(scan: Scan, usual: int) -> str:
    """The batch size in words; a rest is smaller than the usual one, but no batch is larger."""
    least, most = min(scan.sizes), max(scan.sizes)
    return f"{least} to {most}" if most > usual else str(usual)


def usual_size(scan: Scan) -> int:
    """The commonest batch size, 0 without batches."""
    return Counter(scan.sizes).most_common(1)[0][0] if scan.sizes else 0


def full_size(scan: Scan) -> int:
    """The size that all of its batches have by their static shape; 0 where none is fixed."""
    sizes = {c.shape[0] if c.shape else None for c in scan.schema.components}
    return (sizes.pop() or 0) if scan.schema.batched and len(sizes) == 1 else 0


def example_shapes(case: Case) -> list[Finding]:
    """Equal values in other shapes: a reshape, which digests do not see."""
    found = []
    for index, (a, b) in enumerate(_pairs(case)):
        old, new = case.form.old.shapes[index], case.form.new.shapes[index]
        if a.kind == b.kind == "sparse":
            found += _dense_shapes(case, a, old, new)
        if a.kind != "dense" or b.kind != "dense":
            continue
        other = set(old) != set(new)
        if not case.difference.empty and {len(s) for s in old} == {len(s) for s in new}:
            # Of equal rank it may be padding, or a crop: that is said of the examples, if these
            # can be told.
            other = other and len(old) == len(new) == 1 and not case.pairs
            if other:
                case.explained.update({"missing", "extra"})
        if old and new and other and len(old) < 100:
            shapes = f"{_few(old)} in the old side and {_few(new)} in the new one"
            text = f"The example shape of {a.title} is {shapes}."
            found.append(Finding("shape", DIFFERENT, text))
            case.explained.add(f"shape {a.title}")
    return found


Shapes = Counter[tuple[int, ...]]


def _dense_shapes(case: Case, component: Component, old: Shapes, new: Shapes) -> list[Finding]:
    """Another dense shape: a batch's is that of its largest example. Recordings do not have it."""
    if () in old or () in new or not old or not new:
        return []
    both = case.form
    if both.same_order and both.old.sizes == both.new.sizes:
        alike = old == new
    elif len(old) == len(new) == 1 or (case.difference.empty and not case.left_out):
        alike = _largest(old) == _largest(new)
    else:
        alike = True
    if alike:
        return []
    shapes = f"{_few(old)} in the old side and {_few(new)} in the new one"
    return [Finding("shape", DIFFERENT, f"The dense shape of {component.title} is {shapes}.")]


def _largest(shapes: Shapes) -> tuple[int, ...]:
    return tuple(max(sizes) for sizes in zip(*shapes, strict=True))


def _few(shapes: Shapes) -> str:
    return ", ".join(str(list(s)) for s, _ in shapes.most_common(3))


RULES = [components, dtypes, batch_size, example_shapes]
LAST = [static_shapes, full_by_chance]
