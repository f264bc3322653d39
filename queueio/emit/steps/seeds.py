"""The arguments `seed`, `seed_2`, …: one for all that one seed of the program keeps in step.

Two lists of one length that are shuffled by one seed come in one order: images and their labels,
say. Whatever a caller gives for that seed, even None, must leave them so. Lists that had no seed
have nothing to do with one another, and get no common one either.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from queueio.emit.facts.draws import Seeds, draws_of
from queueio.emit.spelling.code import Code
from queueio.emit.spelling.function import Comment, Verbatim
from queueio.plan.node import Node

_DOC = "seed of the shuffling; None for another order in each run."
_IN_STEP = (
    "seed of the shuffling of lists that it keeps in step; None for another order in each run."
)
_OUTSIDE = (
    "seed of the shuffling, which keeps this list in step with another pipeline's: give both the"
    " same number."
)


@dataclass
class Seed:
    """An argument: the seeds that it stands for, and what it shuffles.

    Attributes:
      name: the argument's.
      seeds: the program's, or None where it gave none.
      kinds: the kinds of stages that it serves.
      lists: for each list that it shuffles as a whole, its length, or None.
    """

    name: str
    seeds: Seeds | None
    kinds: set[type[Node]] = field(default_factory=set)
    lists: list[int | None] = field(default_factory=list)

    def serves(self, node: Any) -> bool:
        """Whether a stage may have this argument too."""
        if self.seeds is not None:
            return self.seeds == node.seed
        return node.seed is None and type(node) not in self.kinds


def seed_for(writer: Any, node: Any) -> Code:
    """The argument for a stage that shuffles: its `seed` is a pair of seeds or None."""
    found = next((each for each in writer.seeds if each.serves(node)), None)
    if found is None:
        number = draws_of(writer.plan.graph).number(node.seed)
        name = writer.argument("seed", number, "int | None", _DOC)
        found = Seed(name.flat, node.seed)
        writer.seeds.append(found)
    found.kinds.add(type(node))
    return Code(found.name)


def seed_of_list(writer: Any, node: Any, length: int | None) -> Code:
    """The same for a list that is shuffled as a whole."""
    name = seed_for(writer, node)
    next(each for each in writer.seeds if each.name == name.flat).lists.append(length)
    return name


def keep_in_step(writer: Any) -> None:
    """Says of each argument what it may be, and sees to it, once all stages are written."""
    draws = draws_of(writer.plan.graph)
    for each in writer.seeds:
        if each.seeds is None:
            continue
        argument = writer.arguments[each.name]
        if any(len(draws.lists(each.seeds, n)) > each.lists.count(n) for n in each.lists):
            writer.arguments[each.name] = replace(argument, annotation="int", doc=_OUTSIDE)
        elif len(each.lists) > 1:
            writer.arguments[each.name] = replace(argument, doc=_IN_STEP)
            writer.imports.add("random")
            lines = [f"if {each.name} is None:", f"    {each.name} = random.randrange(1 << 31)"]
            writer.tops += [
                Comment("One order for the lists that belong together."),
                Verbatim(lines),
            ]
