"""Where two plans first differ: their stages compared one after the other, from the source on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

Compare = Callable[[Any, Any], Any]
"""Compares two plans, and says nothing of their stages."""
LIMIT = 2000


@dataclass(frozen=True)
class StageLine:
    """One line of a stage tree: what the stage is and whether it delivers what its twin does."""

    text: str
    depth: int
    state: str  # same, different, alone (no counterpart), unknown


@dataclass(frozen=True)
class StageTrees:
    """Both trees, the last stage first, and the first stage from the source on that differs."""

    old: list[StageLine]
    new: list[StageLine]
    first: str

    def as_data(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "old": [vars(s) for s in self.old],
            "new": [vars(s) for s in self.new],
        }


def compare_stages(old: Any, new: Any, different: bool, compare: Compare) -> StageTrees:
    """Compares the stages of two plans; only if the plans differ are they run.

    Args:
      old, new: plans.
      different: whether the plans as wholes deliver different examples.
      compare: what compares the parts of them that end with a stage.
    """
    a, b = _upwards(old), _upwards(new)
    names = [[type(node).__name__ for node, _ in side] for side in (a, b)]
    twins = {
        i + k: j + k
        for i, j, size in SequenceMatcher(
            None, names[0], names[1], autojunk=False
        ).get_matching_blocks()
        for k in range(size)
    }
    states: dict[int, str] = {}
    for i, j in twins.items():
        if not different:
            states[i] = "same"
        elif "different" in states.values():
            states[i] = "unknown"  # what follows a difference differs with it
        else:
            states[i] = _state(compare, *_parts(old, a[i][0], new, b[j][0]))
    first = next((i for i, state in states.items() if state == "different"), None)
    back = {j: states[i] for i, j in twins.items()}
    return StageTrees(_tree(a, states), _tree(b, back), "" if first is None else _line(a[first][0]))


def _upwards(plan: Any) -> list[tuple[Any, int]]:
    """Nodes and depths, the sources first."""
    found: list[tuple[Any, int]] = []

    def visit(node: Any, depth: int) -> None:
        for source in node.inputs:
            visit(source, depth + 1)
        found.append((node, depth))

    visit(plan.root, 0)
    return found


def _parts(old: Any, mine: Any, new: Any, other: Any) -> list[Any]:
    """Both plans, cut off after a stage."""
    return [
        replace(plan, root=node, structure=tuple(range(len(node.elements))))
        for plan, node in ((old, mine), (new, other))
    ]


def _state(compare: Compare, old: Any, new: Any) -> str:
    try:
        result = compare(old, new)
    except (ValueError, NotImplementedError, RuntimeError):
        return "unknown"
    return "different" if result.level == "different" else "same"


def _tree(nodes: list[tuple[Any, int]], states: dict[int, str]) -> list[StageLine]:
    lines = [StageLine(_line(n), d, states.get(i, "alone")) for i, (n, d) in enumerate(nodes)]
    return lines[::-1]


def _line(node: Any) -> str:
    parameters = getattr(node, "parameters", {})
    shown = ", ".join(f"{k}={_brief(v)}" for k, v in parameters.items())
    return f"{type(node).__name__}({shown})"


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
