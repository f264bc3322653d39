"""Shuffling: as good as before?"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from queueio.compare.findings.case import NOTE, WORSE, Case, Finding
from queueio.compare.findings.structure import usual_size
from queueio.compare.mixing.order import NEIGHBOURS, TOO_SMALL, Mixing, figure, pool_in_words
from queueio.compare.reading.spool import BY_CHANCE
from queueio.words import times

ALONE = (
    "Only the new side shuffles with a seed: with it that has the same order each time it runs, "
    "the old one has another each time."
)
ADDED = "The new side shuffles anew each time, the old one has the same order."


def shuffling(case: Case) -> list[Finding]:
    """No shuffling, too small a buffer, or only the files shuffled."""
    if case.mixing is None:
        return _of_few(case)
    old, new = case.mixing
    if case.old.promised_pool == 0 and not _unshuffled(old) and old.pool is not None:
        return [] if case.varies else _raced(old, new)
    if _unshuffled(new) and not _unshuffled(old) and old.pool is not None:
        if _alike_epochs(new, old):
            return []  # said by itself
        text = (
            "The new side has the same order each time, as without a shuffle or with one of a "
            f"fixed seed; the old one mixes {_like(old)}."
        )
        return [Finding("no-shuffle", WORSE, text)]
    if _unshuffled(old) and not new.fixed and new.pool is not None:
        return [Finding("shuffle-added", NOTE, ADDED)]
    if _files_only(old, new):
        text = (
            f"The new side shuffles {_blocks(case)}: {new.successors:.0%} of neighbours "
            f"are neighbours again, {old.successors:.0%} in the old side."
        )
        return [Finding("files-only-shuffled", WORSE, text)]
    return _pools(case, old, new)


def _of_few(case: Case) -> list[Finding]:
    """What is seen of sides that are too short for the pool that mixes them to be told."""
    if case.keep_order is None or all(case.keep_order):
        return []
    old_keeps, new_keeps = case.keep_order
    raced = case.old.promised_pool == 0
    new_alone, old_alone = new_keeps and old_keeps is False, old_keeps and new_keeps is False
    if new_alone and case.new.seeded and not case.old.seeded and case.old.side.repeatable:
        return [Finding("seeded", NOTE, ALONE)]
    if new_alone and not (case.new.seeded or raced) and case.old.side.repeatable:
        text = (
            "The new side has the same order each time, as without a shuffle or with one of a "
            "fixed seed; the old one has another each time."
        )
        return [Finding("no-shuffle", WORSE, text)]
    if old_alone and case.new.side.repeatable:
        return [Finding("shuffle-added", NOTE, ADDED)]
    if not case.difference.empty:
        return []
    count = times(min(case.old.examples, case.new.examples), "example")
    text = f"How well the sides mix was not judged: {count} cannot tell that."
    return [Finding("order-unknown", NOTE, text)]


def unjudged(case: Case) -> list[Finding]:
    """Examples so many of which are equal that their order does not show."""
    if not case.alike:
        return []
    several = "Give epochs=…, where each comes in several. " if case.whole is not None else ""
    text = (
        f"How well the sides mix was not judged: {times(case.alike, 'different example')} among "
        f"{case.old.examples:,} cannot be followed. {several}Add a component that tells them "
        "apart, such as the readers' keys, to both sides."
    )
    return [Finding("order-unknown", NOTE, text)]


def seeded(case: Case) -> list[Finding]:
    """A seed by which the new side, and not the old one, repeats its order in each run."""
    if not case.repeats or case.mixing is None or _unshuffled(case.mixing[1]):
        return []
    if not case.reseeded:
        return [] if case.mixing[1].same_epochs else [Finding("seeded", NOTE, ALONE)]
    text = (
        "Both sides shuffle with a seed: with it the new side has the same order each time, the "
        "old one has another each time even so. How well they mix was judged under other seeds."
    )
    return [Finding("seeded", NOTE, text)]


def _raced(old: Mixing, new: Mixing) -> list[Finding]:
    """The old side shuffles no records: what order its threads make, nobody was promised."""
    assert old.pool is not None
    if not _unshuffled(new) and (new.pool is None or not new.pool.below(old.pool, TOO_SMALL)):
        return []
    text = (
        f"The old side mixes {_like(old)}, the new one less; but no queue of the old side "
        "shuffles: its threads come as they happen to."
    )
    return [Finding("pool", NOTE, text)]


def _blocks(case: Case) -> str:
    """What is shuffled: files, where the readers' keys show each in one piece; else not known."""
    files = [key.rpartition(b":")[0] for key in case.new.keys]
    pieces = 1 + sum(a != b for a, b in pairwise(files))
    if len(set(files)) > 1 and pieces == len(set(files)):
        return "files but not records"
    if _parts_at_batches(case):
        return "whole batches but not the records, as when it shuffles after batch()"
    return "whole runs of records but not the records, as when only files are shuffled"


def _parts_at_batches(case: Case) -> bool:
    """Whether neighbours part where batches end, at most of these places and nowhere else. A
    smaller batch, of the end of the data, may come anywhere."""
    assert case.mixing is not None
    size, places = usual_size(case.new), case.mixing[1].parted
    if not len(places) or size < 2:
        return False
    ends = np.isin(places % size, [0, case.new.examples % size])
    return bool(ends.all() and 2 * len(places) * size > places[-1])


def _files_only(old: Mixing, new: Mixing) -> bool:
    """Whether neighbours stay neighbours on the new side, though its order changes."""
    if new.successors is None or old.successors is None or new.fixed:
        return False
    return new.successors > NEIGHBOURS > 2 * old.successors


def _unshuffled(mixing: Mixing) -> bool:
    return bool(mixing.fixed) and mixing.pool is None


def _like(mixing: Mixing) -> str:
    return f"like a pool {'of' if figure(mixing) else 'that holds'} {pool_in_words(mixing)}"


def _pools(case: Case, old: Mixing, new: Mixing) -> list[Finding]:
    if old.pool is None or new.pool is None:
        return []
    said = f"the new side mixes {_like(new)}, the old one {_like(old)}"
    promised = case.old.promised_pool
    if (
        promised is not None
        and new.pool.below(old.pool, TOO_SMALL)
        and new.pool.high > TOO_SMALL * promised
    ):
        text = f"Seen here, {said}; the old queue's min_after_dequeue promises {promised:,} only."
        return [Finding("pool", NOTE, text)]
    if new.pool.below(old.pool, TOO_SMALL):
        text = f"The shuffle buffer is too small: {said}."
        return [Finding("weak-shuffle", WORSE, text)]
    if promised and _less_than_promised(old, new, promised):
        text = (
            f"The shuffle buffer is too small: the new side mixes {_like(new)}; the old queue's "
            f"min_after_dequeue promises {promised:,} at least."
        )
        return [Finding("weak-shuffle", WORSE, text)]
    return []


def _less_than_promised(old: Mixing, new: Mixing, promised: int) -> bool:
    """Whether the new side surely mixes less than the old queue must, where too few examples come
    to measure how much that does; one whose order says otherwise keeps something else back."""
    assert old.pool is not None
    known = figure(new)
    least = min(promised, old.total)
    return known is not None and known.high < TOO_SMALL * least and least <= old.pool.high


def epoch_borders(case: Case) -> list[Finding]:
    """Epochs kept apart by one side, mixed by the other."""
    if case.mixing is None or not case.difference.empty or _unshuffled(case.mixing[1]):
        return []
    old, new = case.mixing
    if old.borders is None or new.borders is None or old.borders == new.borders:
        return []
    if _sharp_by_chance(old if old.borders == "sharp" else new):
        return []
    why = f"as when it repeats {'after' if new.borders == 'sharp' else 'before'} it shuffles"
    text = (
        f"Epoch borders are {old.borders} in the old side and {new.borders} in the new one, {why}."
    )
    return [Finding("epoch-borders", NOTE, text)]


def _sharp_by_chance(mixing: Mixing) -> bool:
    """Whether a pool as small as the side's, across the borders, would easily leave all of them
    sharp: each time what is left of an epoch is drawn before anything of the next."""
    if mixing.pool is None:
        return False
    pool = max(1, round(mixing.pool.low))
    once = math.lgamma(pool + 1) - pool * math.log(pool)
    return (mixing.epochs - 1) * once > math.log(BY_CHANCE)


def same_epochs(case: Case) -> list[Finding]:
    """Each epoch of one side is shuffled in the same way."""
    if case.mixing is None:
        return []
    found = []
    raced = case.old.promised_pool == 0  # what differs then is how the old side's threads came
    for name, mine, other, severity in (
        ("new", case.mixing[1], case.mixing[0], NOTE if raced else WORSE),
        ("old", case.mixing[0], case.mixing[1], NOTE),
    ):
        if _alike_epochs(mine, other):
            text = (
                f"Each of the {mine.epochs} epochs of the {name} side has the same order, as with "
                "reshuffle_each_iteration=False or without a shuffle; the other side's differ."
            )
            found.append(Finding("same-epochs", severity, text))
    return found


def _alike_epochs(mine: Mixing, other: Mixing) -> bool:
    """Whether all epochs are in one order, that is not surely the source's, nor one that chance
    makes again: of two files every second epoch has it; and the other side's are in several."""
    alike = mine.same_epochs and not mine.source and other.epochs > 1 and not other.same_epochs
    return alike and not (mine.draws and _few_orders(other, mine.epochs))


def _few_orders(mixing: Mixing, epochs: int) -> bool:
    """Whether whole blocks are what moves, and so few that all epochs easily have one order."""
    blocks = len(mixing.parted) + 1
    return len(mixing.parted) > 0 and (epochs - 1) * math.lgamma(blocks + 1) < -math.log(BY_CHANCE)


def fixed_orders(case: Case) -> list[Finding]:
    """Both keep an order, not the same one; the new side's may be like one that a pool has made of
    the old one's, as buckets do."""
    if case.mixing is None or not case.difference.empty or case.varies:
        return []
    old, new = case.mixing
    if old.fixed and new.fixed and not case.both.same_order and not old.pool:
        return [Finding("order", NOTE, "Both sides keep a fixed order, but not the same one.")]
    return []


RULES = [shuffling, unjudged, seeded, same_epochs, epoch_borders, fixed_orders]
