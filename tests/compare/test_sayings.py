"""Each sentence that a report can contain is said where it is true, and not where its neighbour
is: no sentence has no such case."""

from __future__ import annotations

import re
from typing import Any

import pytest

import queueio.compare as comparing
from queueio.compare.findings import values
from queueio.compare.look import look
from queueio.compare.match.change import Tolerance
from queueio.compare.stages import StageTrees
from tests.compare.memory import Memory
from tests.compare.saying_cases import CASES, DATA, ID, rows
from tests.compare.sentences import sentences
from tests.turns import by_turns

pytest.importorskip("scipy", reason="judging the order needs scipy")


def report(pair: Any) -> str:
    """All that is said, from the beginning of a line."""
    old, new, options = pair
    return "\n" + str(comparing(old, new, cost=False, stages=False, **options))


def as_pattern(said: str) -> str:
    return "(?s:.*?)".join(map(re.escape, said.split("…")))


@pytest.mark.parametrize("name", by_turns(CASES))
def test_it_is_said_where_it_is_true_and_not_where_its_neighbour_is(name: str) -> None:
    one, of_one, other, of_other = CASES[name]
    reports = report(one), report(other)
    for mine, others, said in ((0, 1, of_one), (1, 0, of_other)):
        assert re.search(as_pattern(said), reports[mine]), f"{said!r} is not said: {reports[mine]}"
        assert not re.search(as_pattern(said), reports[others]), f"{said!r}: {reports[others]}"


def unexplained(explained: set[str]) -> str:
    """What is said of a difference that no rule has named."""
    sides = Memory(DATA), Memory(rows(ID != 17))
    case = look(sides, None, None, Tolerance(), None, False)
    case.explained.update(explained)
    return " ".join(f.sentence for f in values.unexplained(case))


def test_a_difference_that_no_rule_has_named_is_said_all_the_same() -> None:
    assert unexplained(set()) == UNEXPLAINED
    assert unexplained({"missing"}) == ""


def test_the_first_stage_is_named_where_one_differs() -> None:
    result = comparing(Memory(DATA), Memory(DATA), cost=False)
    for first in ("Transform()", ""):
        result.stages = StageTrees([], [], first)
        assert (STAGE in str(result)) == bool(first)


UNEXPLAINED = (
    "1 of 40 examples of the old side are not in the new one, and 0 of the new one's 39 not in the "
    "old."
)
STAGE = "The first stage that differs: Transform()"
SAID = [said for case in CASES.values() for said in (case[1], case[3])] + [UNEXPLAINED, STAGE]


def test_no_sentence_is_without_a_case() -> None:
    known = sentences()
    alone = [s for s, pattern in known.items() if not any(map(pattern.search, SAID))]
    assert len(known) > 100 and not alone
