"""Components that are out of step with the others: each example has that of another one, which is
some places further on."""

from __future__ import annotations

from queueio.compare.findings.case import Case
from queueio.compare.match.match import Pair

FARTHEST = 64  # places by which a component may be out of step
LEAST = 16  # values that must agree, more than chance makes of a few classes
Places = dict[bytes, int]


def places(case: Case, pairs: list[Pair]) -> Places:
    """Where the examples stand in the data, by the digests of the old side's.

    A side that keeps its order tells it, of two that shuffle the records that a reader has read;
    nothing else does.
    """
    if case.kept[0] or all(pair.old.position == pair.new.position for pair in pairs):
        return {pair.old.digest: pair.old.position for pair in pairs}
    if case.kept[1]:
        return {pair.old.digest: pair.new.position for pair in pairs}
    return {digest: place for place, digest in enumerate(case.origins)}


def out_of_step(pairs: list[Pair], index: int, at: Places) -> int:
    """By how many places in the data the new values are ahead; 0 where they are not.

    Only examples that differ are known. Those between may have the same value by chance.
    """
    known = [(at[pair.old.digest], pair) for pair in pairs if pair.old.digest in at]
    old = {place: pair.old.parts[index] for place, pair in known}
    new = {place: pair.new.parts[index] for place, pair in known}
    steps = (k for n in range(1, FARTHEST) for k in (n, -n))
    return next((k for k in steps if _agree(old, new, k)), 0)


def _agree(old: dict[int, bytes], new: dict[int, bytes], step: int) -> bool:
    known = [(part, old[at + step]) for at, part in new.items() if at + step in old]
    return len(known) >= LEAST and all(a == b for a, b in known)
