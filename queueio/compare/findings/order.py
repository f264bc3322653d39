"""Shuffling: as good as before?"""

from __future__ import annotations

from queueio.compare.findings.case import NOTE, WORSE, Case, Finding
from queueio.compare.order import NEIGHBOURS, TOO_SMALL, Mixing


def shuffling(case: Case) -> list[Finding]:
    """No shuffling, too small a buffer, or only the files shuffled."""
    if case.mixing is None:
        return []
    old, new = case.mixing
    if _unshuffled(new) and not _unshuffled(old) and old.pool is not None:
        pool = f"{old.pool.value:,.0f}"
        text = f"The new side does not shuffle; the old one mixes like a pool of about {pool}."
        return [Finding("no-shuffle", WORSE, text)]
    if _unshuffled(old) and not _unshuffled(new) and new.pool is not None:
        text = "The new side shuffles, the old one does not."
        return [Finding("shuffle-added", NOTE, text)]
    if _files_only(old, new):
        text = (
            f"The new side shuffles files but not records: {new.successors:.0%} of neighbours "
            f"are neighbours again, {old.successors:.0%} in the old side."
        )
        return [Finding("files-only-shuffled", WORSE, text)]
    return _pools(case, old, new)


def _files_only(old: Mixing, new: Mixing) -> bool:
    """Whether neighbours stay neighbours on the new side, though its order changes."""
    if new.successors is None or old.successors is None or new.fixed:
        return False
    return new.successors > NEIGHBOURS > 2 * old.successors


def _unshuffled(mixing: Mixing) -> bool:
    return bool(mixing.fixed) and (mixing.pool is None or mixing.pool.value <= 3)


def _pools(case: Case, old: Mixing, new: Mixing) -> list[Finding]:
    if old.pool is None or new.pool is None:
        return []
    said = (
        f"the new side mixes like a pool of about {new.pool.value:,.0f}, "
        f"the old one like {old.pool.value:,.0f}"
    )
    promised = case.old.promised_pool
    if (
        promised is not None
        and new.pool.below(old.pool, TOO_SMALL)
        and new.pool.high > TOO_SMALL * promised
    ):
        text = f"Seen here, {said}; the old queue's min_after_dequeue promises {promised:,} only."
        return [Finding("pool", NOTE, text)]
    if new.pool.below(old.pool, TOO_SMALL):
        text = (
            f"The shuffle buffer is too small: {said}. shuffle({old.pool.value:.0f}) would match."
        )
        return [Finding("weak-shuffle", WORSE, text)]
    return []


def epoch_borders(case: Case) -> list[Finding]:
    """Epochs kept apart by one side, mixed by the other."""
    if case.mixing is None or not case.difference.empty or _unshuffled(case.mixing[1]):
        return []
    old, new = case.mixing
    if old.borders is None or new.borders is None or old.borders == new.borders:
        return []
    if new.borders == "sharp":
        why = "it repeats after it shuffles, the old one before"
    else:
        why = "it repeats before it shuffles, the old one after"
    text = (
        f"Epoch borders are {old.borders} in the old side and {new.borders} in the new one: {why}."
    )
    return [Finding("epoch-borders", NOTE, text)]


def fixed_orders(case: Case) -> list[Finding]:
    """Both keep an order, not the same one."""
    if case.mixing is None or not case.difference.empty:
        return []
    old, new = case.mixing
    if old.fixed and new.fixed and not case.both.same_order and not (old.pool or new.pool):
        return [Finding("order", NOTE, "Both sides keep a fixed order, but not the same one.")]
    return []


RULES = [shuffling, epoch_borders, fixed_orders]
