"""Who else meets what a run leaves to the next: refused where it would be a race.

A translation gives each pipeline its own copy of a counter, a reader or a generator, so where two
runs change one state they belong together, or are refused: the same for a counter as for a queue.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from queueio.graph.refusal import refuse
from queueio.graph.session_state import Shared


def components(members: list[Any], ignored: Shared) -> list[list[Any]]:
    """Members that change a state together, directly or by way of others.

    Args:
      members: pairs of an evaluator, with its `changes`, and anything.
      ignored: the queue that all of them fill.
    """
    groups: list[tuple[set[Shared], list[Any]]] = []
    for place, member in enumerate(members):
        states = set(member[0].changes) - {ignored}
        mine: tuple[set[Shared], list[Any]] = (states, [(place, member)])
        for other in [group for group in groups if group[0] & states]:
            groups.remove(other)
            mine = (mine[0] | other[0], other[1] + mine[1])
        groups.append(mine)
    ordered = [sorted(found, key=lambda pair: pair[0]) for _, found in groups]
    return [[member for _, member in found] for found in sorted(ordered, key=lambda f: f[0][0])]


def check_alone(members: Iterable[Any], others: Iterable[Any]) -> None:
    """Refuses what `members` change, streams apart, where one of `others` changes it as well.

    Args:
      members: evaluators that are lifted as one.
      others: all evaluators of the graph.
    """
    mine = list(members)
    for other in others:
        if other not in mine:
            for member in mine:
                for state, op in member.changes.items():
                    if not state.is_stream and state in other.changes:
                        raise shared(state, op, member.op, other.op)


def shared(state: Shared, op: Any, one: Any, other: Any) -> Exception:
    """The refusal of two ops that change one state and cannot be lifted as one."""
    return refuse(
        op,
        f"{one.name!r} and {other.name!r} share {state}: each run of either changes it for the"
        " other, and which comes first is a race",
        "Run this pipeline on the queue engine, which keeps the race; or make what they share"
        " once for each of them",
    )
