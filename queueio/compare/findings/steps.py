"""Components that are out of step with the others: each example has that of another one, which is
some places further on."""

from __future__ import annotations

from queueio.compare.match.match import Pair

FARTHEST = 64  # places by which a component may be out of step
LEAST = 16  # values that must agree, more than chance makes of a few classes


def out_of_step(pairs: list[Pair], index: int) -> int:
    """By how many places in the old side's order the new values are ahead; 0 where they are not.

    Only examples that differ are known. Those between may have the same value by chance.
    """
    old = {pair.old.position: pair.old.parts[index] for pair in pairs}
    new = {pair.old.position: pair.new.parts[index] for pair in pairs}
    steps = (k for n in range(1, FARTHEST) for k in (n, -n))
    return next((k for k in steps if _agree(old, new, k)), 0)


def _agree(old: dict[int, bytes], new: dict[int, bytes], step: int) -> bool:
    known = [(part, old[at + step]) for at, part in new.items() if at + step in old]
    return len(known) >= LEAST and all(a == b for a, b in known)
