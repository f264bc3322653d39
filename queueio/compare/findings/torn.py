"""One component belongs to other examples: labels swapped, or out of step with their images."""

from __future__ import annotations

from collections import defaultdict

from queueio.compare.findings.case import DIFFERENT, SHOWN, Case, Finding
from queueio.compare.findings.renamed import renamed
from queueio.compare.findings.steps import Places, out_of_step, places
from queueio.compare.findings.values import capitalised, evidence
from queueio.compare.match.change import SAME
from queueio.compare.match.match import Pair
from queueio.compare.mixing.order import infer_epochs
from queueio.words import times


def swapped(case: Case) -> list[Finding]:
    """Pairs of which one component alone is another one, that others have on the old side."""
    by_component: dict[int, list[Pair]] = defaultdict(list)
    for pair in case.open_pairs():
        changed = [i for i, c in enumerate(pair.changes) if c is not SAME]
        if len(changed) == 1 and len(pair.changes) > 1:
            by_component[changed[0]].append(pair)
    found = (_finding(case, pairs, index) for index, pairs in by_component.items())
    return [finding for finding in found if finding is not None]


def several(case: Case) -> list[Finding]:
    """Pairs of which several components together, but not all, belong to other examples."""
    pairs = case.open_pairs()
    changed = [{i for i, c in enumerate(p.changes) if c is not SAME} for p in pairs]
    moved = sorted(set().union(*changed))
    if not pairs or not 1 < len(moved) < len(pairs[0].changes):
        return []
    at = places(case, pairs)
    for index in moved:
        mine = [p for p, found in zip(pairs, changed, strict=True) if index in found]
        if _in_one_way(mine, index) or renamed(case, mine, index, at):
            return []
    steps = {out_of_step(pairs, index, at) for index in moved}
    step = steps.pop() if len(steps) == 1 else 0
    old, new = (sorted([e.parts[i] for i in moved] for e in side)
                for side in zip(*((p.old, p.new) for p in pairs), strict=True))  # fmt: skip
    if not step and (old != new or not _most(case, pairs)):
        return []
    case.claim(pairs)
    *others, last = (case.old.schema.titles[index] for index in moved)
    names = f"{', '.join(others)} and {last}"
    shown = tuple(e for p in pairs[:SHOWN] for e in evidence(case, p))
    text = (
        f"The pairs are torn: {names} are other ones in {times(len(pairs), 'example')}; the values "
        f"are the same, at other examples.{_stepped(step)}"
    )
    return [Finding("torn", DIFFERENT, text, len(pairs), shown)]


def _finding(case: Case, pairs: list[Pair], index: int) -> Finding | None:
    at: Places = {} if _in_one_way(pairs, index) else places(case, pairs)
    step = out_of_step(pairs, index, at)
    same = len(pairs) > 1 and _parts(pairs, index, 0) == _parts(pairs, index, 1)
    if not step and not (same and not renamed(case, pairs, index, at)):
        return None
    name, many = case.old.schema.titles[index], times(len(pairs), "example")
    shown = tuple(e for p in pairs[:SHOWN] for e in evidence(case, p))
    case.claim(pairs)
    at_others = f"the values are the same, at other examples.{_stepped(step)}"
    if step or _most(case, pairs):
        text = f"The pairs are torn: {name} is another one in {many}; {at_others}"
        return Finding("torn", DIFFERENT, text, len(pairs), shown)
    text = f"{name} is swapped between {many}: {at_others}"
    return Finding("labels-swapped", DIFFERENT, capitalised(text), len(pairs), shown)


def _parts(pairs: list[Pair], index: int, side: int) -> list[bytes]:
    return sorted((pair.new if side else pair.old).parts[index] for pair in pairs)


def _most(case: Case, pairs: list[Pair]) -> bool:
    """Whether they are most of the examples, of which each comes once in an epoch."""
    many = case.difference.lacking if case.sampled else len(pairs) * infer_epochs(case.new)
    return 2 * many > case.new.examples


def _in_one_way(pairs: list[Pair], index: int) -> bool:
    """Whether the values are changed alike, as rising ones by a constant are, which look as if out
    of step."""
    ways = {(pair.changes[index].kind, pair.changes[index].amount) for pair in pairs}
    return len(ways) == 1 and pairs[0].changes[index].named


def _stepped(step: int) -> str:
    if not step:
        return ""
    place = f"{times(abs(step), 'place')} {'further on' if step > 0 else 'before'}"
    return f" Each has that of the one {place}, as with skip({abs(step)}) of a part of a zip."


RULES = [several, swapped]
