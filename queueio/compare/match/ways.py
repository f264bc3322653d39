"""The ways in which an example of one side is found among those of the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from queueio import recorder
from queueio.compare.match.changes import FORMS
from queueio.compare.match.nearest import Pairing, features, nearest
from queueio.compare.reading.fetch import Example

FEW = 8  # examples that a component of few values tells apart, too

Groups = dict[bytes, list[Example]]


def by_key(old: list[Example], new: list[Example]) -> Pairing:
    """The same reader's key."""
    waiting: dict[str | None, list[Example]] = defaultdict(list)
    for example in reversed(new):
        waiting[example.key].append(example)
    return [(a, waiting[a.key].pop(), "key") for a in old if waiting.get(a.key)]


def by_component(old: list[Example], new: list[Example]) -> Pairing:
    """Equal components, the most telling first: the one with most different values.

    Several that have one value of it (a default, say) are told apart by the next component, and at
    last by their nearness. So that many weights are 1 tears no image from its own.
    """
    return _by_equal(old, new, False)


def by_all_components(old: list[Example], new: list[Example]) -> Pairing:
    """The same, where nearness tells nothing, as of images that are all cropped elsewhere: those of
    one weight are told apart by their labels first."""
    return _by_equal(old, new, True)


def by_form(old: list[Example], new: list[Example]) -> Pairing:
    """Texts that have one form, as of lines that all end otherwise, beside other components that
    are equal: by the form that pairs most. What that does not tell apart, by nearness."""
    found = max((_of_one_form(old, new, form) for form in FORMS.values()), key=len)
    return found + nearest(_rest(found, old), _rest(found, new)) if found else []


def _of_one_form(old: list[Example], new: list[Example], form: Callable[[bytes], Any]) -> Pairing:
    groups: list[dict[Any, list[Example]]] = []
    for side in (old, new):
        by: dict[Any, list[Example]] = defaultdict(list)
        for example in side:
            by[_formed(example, form)].append(example)
        groups.append(by)
    mine, other = groups
    alone = [key for key, found in mine.items() if len(found) == len(other.get(key, ())) == 1]
    return [(mine[key][0], other[key][0], "change") for key in alone]


def _formed(example: Example, form: Callable[[bytes], Any]) -> Any:
    each = zip(example.values, example.parts, strict=False)
    return tuple(
        tuple(map(form, value.reshape(-1).tolist())) if recorder.is_text(value) else part
        for value, part in each
    )


def _by_equal(old: list[Example], new: list[Example], all_count: bool) -> Pairing:
    order = _by_variety(old)
    pairs, left, right = _equal(old, new, order, order if all_count else [])
    return sorted(pairs, key=lambda pair: pair[0].position) + nearest(left, right)


def _by_variety(old: list[Example]) -> list[int]:
    width = len(old[0].parts) if old else 0
    variety = [len({e.parts[i] for e in old if i < len(e.parts)}) for i in range(width)]
    return sorted(range(width), key=lambda i: -variety[i])


def _equal(
    old: list[Example], new: list[Example], order: list[int], within: list[int]
) -> tuple[Pairing, list[Example], list[Example]]:
    """Pairs of an equal component, and what is left of both sides; `within` a group of one value,
    these components count however few values they have."""
    pairs: Pairing = []
    for place, index in enumerate(order):
        mine, other = _groups(old, index), _groups(new, index)
        if 2 * len(mine) < len(old) and len(old) > FEW:
            continue  # a label of ten classes tells nobody apart
        for part in (part for part in mine if part in other):
            pairs += _within(mine[part], other[part], order[place + 1 :], within)
        old, new = _rest(pairs, old), _rest(pairs, new)
    return pairs, old, new


def _groups(examples: list[Example], index: int) -> Groups:
    groups: Groups = defaultdict(list)
    for example in examples:
        if index < len(example.parts):
            groups[example.parts[index]].append(example)
    return groups


def _within(old: list[Example], new: list[Example], order: list[int], within: list[int]) -> Pairing:
    """As many pairs as there can be, of examples that have one component in common."""
    if len(old) == len(new) == 1:
        return [(old[0], new[0], "component")]
    pairs, left, right = _equal(old, new, order, within)
    for index in (index for index in within if index in order):
        mine, other = _groups(left, index), _groups(right, index)
        for part in (part for part in mine if part in other):
            pairs += nearest(mine[part], other[part])
        left, right = _rest(pairs, left), _rest(pairs, right)
    pairs += nearest(left, right)
    pairs += [(a, b, "") for a, b in zip(_rest(pairs, left), _rest(pairs, right), strict=False)]
    return [(a, b, "component") for a, b, _ in pairs]


def _rest(pairs: Pairing, examples: list[Example]) -> list[Example]:
    taken = {id(e) for a, b, _ in pairs for e in (a, b)}
    return [e for e in examples if id(e) not in taken]


def by_position(old: list[Example], new: list[Example]) -> Pairing:
    """The same place in the streams."""
    if len(old) == len(new):
        return [(a, b, "position") for a, b in zip(old, new, strict=True)]
    places = {b.position: b for b in new}
    return [(a, places[a.position], "position") for a in old if a.position in places]


def by_sorted(old: list[Example], new: list[Example]) -> Pairing:
    """The nearest by their sorted values, which a transposition leaves alone."""
    return nearest(old, new, lambda array: np.sort(features(array)))
