"""Advice gives the numbers that the old name gave, or its row says how they differ."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from queueio.compat import contrib, missing
from queueio.compat.rows import InWords
from queueio.script import removals
from tests.processes import python

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from advice_cases import TABLES, Case  # noqa: E402 - shared with the recorder, which is a program

ROWS: dict[str, dict[str, str]] = {
    "NAMES": missing.NAMES,
    "CONTRIB": {**contrib.WAYS_OUT, **contrib.SINGLE},
    "NEEDS_ESTIMATOR": missing.NEEDS_ESTIMATOR,
    "NEEDS_TF_KERAS": missing.NEEDS_TF_KERAS,
    "RENAMED": missing.RENAMED,
    "NUMPY": removals.ROWS,
}
CASES = [
    pytest.param(table, row, number, id=f"{row}-{number}")
    for table, rows in TABLES.items()
    for row, cases in rows.items()
    for number in range(len(cases))
]
RECORDED = json.loads((HERE / "advice_1_15_5.json").read_text())

SPELLED = re.compile(r"\b(?:tf|np|tf_slim|ast|inspect|h5py)\.\w[\w.]*\w")


@pytest.fixture(scope="module")
def today() -> dict[str, Any]:
    """What the new spellings give, all from one process."""
    done = python(HERE / "record_advice.py", "queueio.v1", "new", cwd=HERE, timeout=280)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{") :])
    return found


def leaves(value: Any) -> Iterator[Any]:
    """The numbers and words of a result in order, with the keys that hold them."""
    if isinstance(value, dict):
        for key, each in sorted(value.items()):
            yield key
            yield from leaves(each)
    elif isinstance(value, list):
        yield len(value)
        for each in value:
            yield from leaves(each)
    else:
        yield value


def alike(old: Any, new: Any) -> bool:
    """Whether two results are the same, floats to single precision."""

    def close(a: Any, b: Any) -> bool:
        if isinstance(a, float) and isinstance(b, float):
            both_nan = math.isnan(a) and math.isnan(b)
            return both_nan or math.isclose(a, b, rel_tol=5e-6, abs_tol=1e-6)
        return bool(a == b)

    one, other = list(leaves(old)), list(leaves(new))
    return len(one) == len(other) and all(map(close, one, other))


@pytest.mark.parametrize("table", ROWS)
def test_every_row_is_executed_or_says_that_it_is_only_words(table: str) -> None:
    in_words = {row for row, text in ROWS[table].items() if isinstance(text, InWords)}
    executed = set(TABLES[table])
    assert set(ROWS[table]) - in_words - executed == set(), "neither a case nor InWords"
    assert executed - set(ROWS[table]) == set(), "a case of no row"
    assert executed & in_words == set(), "what has a case is more than words"


@pytest.mark.parametrize("table", ROWS)
def test_every_spelling_in_a_row_is_executed(table: str) -> None:
    for row, cases in TABLES[table].items():
        code = " ".join(case.new for case in cases)
        for spelling in SPELLED.findall(ROWS[table][row]):
            assert spelling in code, f"{row}: {spelling} stands in the row and in no case"


@pytest.mark.parametrize(("table", "row", "number"), CASES)
def test_advice_gives_what_1_15_5_gave_or_says_how_it_differs(
    table: str, row: str, number: int, today: dict[str, Any]
) -> None:
    case: Case = TABLES[table][row][number]
    old, new = RECORDED[table][row][number], today[table][row][number]
    if isinstance(new, dict) and "lacks" in new:
        pytest.skip(f"the package {new['lacks']} is not installed")
    assert not (isinstance(old, dict) and "raises" in old), old
    assert not (isinstance(new, dict) and "raises" in new), new
    if case.differs:
        assert case.differs in ROWS[table][row], "the row does not say how they differ"
        assert not alike(old, new), "they are the same, whatever the row says"
    else:
        assert alike(old, new), f"\n{case.old}\n  gave {old}\n{case.new}\n  gives {new}"


def test_the_recording_is_of_these_cases() -> None:
    # The codes are recorded too: whoever changes an old spelling has to ask 1.15.5 again.
    assert RECORDED["codes"] == {
        table: {row: [case.old for case in cases] for row, cases in rows.items()}
        for table, rows in TABLES.items()
    }


def test_l2_decay_is_halved() -> None:
    told = missing.attribute_error("contrib.layers.l2_regularizer")
    assert "tf.nn.l2_loss(w)" in told and "tf.keras.regularizers.l2(scale / 2)" in told
