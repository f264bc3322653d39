"""The arguments `seed`, `seed_2`, …: one for all that one seed of the program keeps in step.

Two lists of one length that are shuffled by one seed come in one order: images and their labels,
say. Whatever a caller gives for that seed, even None, must leave them so. Lists that had no seed
have nothing to do with one another, and get no common one either.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from queueio.emit.facts.draws import draws_of
from queueio.emit.fragment.held import Held, Seed
from queueio.emit.spelling.code import Code
from queueio.emit.spelling.function import Comment, Verbatim

_DOC = "seed of the shuffling; None for another order in each run."
_IN_STEP = (
    "seed of the shuffling of lists that it keeps in step; None for another order in each run."
)
_OUTSIDE = (
    "seed of the shuffling, which keeps this list in step with another pipeline's: give both the"
    " same number."
)


def seed_for(held: Held, node: Any) -> Code:
    """The argument for a stage that shuffles: its `seed` is a pair of seeds or None."""
    found = next((each for each in held.seeds if each.serves(node)), None)
    if found is None:
        number = draws_of(held.plan.graph).number(node.seed)
        name = held.argument("seed", number, "int | None", _DOC)
        found = Seed(name.flat, node.seed)
        held.seeds.append(found)
    found.kinds.add(type(node))
    return Code(found.name)


def seed_of_list(held: Held, node: Any, length: int | None) -> Code:
    """The same for a list that is shuffled as a whole."""
    name = seed_for(held, node)
    next(each for each in held.seeds if each.name == name.flat).lists.append(length)
    return name


def keep_in_step(held: Held) -> None:
    """Says of each argument what it may be, and sees to it, once all stages are written."""
    draws = draws_of(held.plan.graph)
    for each in held.seeds:
        if each.seeds is None:
            continue
        argument = held.arguments[each.name]
        if any(len(draws.lists(each.seeds, n)) > each.lists.count(n) for n in each.lists):
            held.arguments[each.name] = replace(argument, annotation="int", doc=_OUTSIDE)
        elif len(each.lists) > 1:
            held.arguments[each.name] = replace(argument, doc=_IN_STEP)
            held.imports.add("random")
            lines = [f"if {each.name} is None:", f"    {each.name} = random.randrange(1 << 31)"]
            held.tops += [
                Comment("One order for the lists that belong together."),
                Verbatim(lines),
            ]
