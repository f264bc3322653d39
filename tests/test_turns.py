"""Cases that take turns."""

from __future__ import annotations

import datetime

import pytest

from tests import turns


def of(part: str, monkeypatch: pytest.MonkeyPatch, **how: int) -> list[int]:
    monkeypatch.setenv(turns.TESTS, part)
    return turns.by_turns(range(100), **how)


def test_every_case_has_its_turn_once_in_three_days(monkeypatch: pytest.MonkeyPatch) -> None:
    days = [of(part, monkeypatch) for part in "012"]
    assert sorted(case for day in days for case in day) == [*range(100)]
    assert max(map(len, days)) <= 34


def test_three_ways_try_every_case_in_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = [of("1", monkeypatch, ahead=ahead) for ahead in range(3)]
    assert sorted(case for way in ways for case in way) == [*range(100)]


def test_all_of_them_are_tried_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert of("all", monkeypatch) == [*range(100)]


def test_each_long_test_has_its_turn_and_in_nine_days_with_each_third_of_the_cases(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(turns.LONG, turns.SOME)
    pairs, tried = [], []
    for turn in map(str, range(9)):
        cases = set(of(turn, monkeypatch))
        long = {number for number in range(30) if turns.takes_its_turn(number)}
        assert len(long) == 10
        pairs += [(number, case) for number in long for case in cases]
        tried.append(long)
    assert len(pairs) == len({*pairs}) == 30 * 100
    assert all({*range(30)} <= set().union(*(tried * 2)[at : at + 5]) for at in range(9))


def test_a_long_test_that_is_named_is_tried_on_any_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(turns.TESTS, "1")
    monkeypatch.setenv(turns.LONG, turns.ALL)
    assert all(map(turns.takes_its_turn, range(30)))


def test_the_next_day_has_the_next_third(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tomorrow(datetime.date):
        @classmethod
        def today(cls) -> datetime.date:
            return datetime.date(2026, 1, 1) + datetime.timedelta(days=cls.later)

        later = 0

    monkeypatch.setattr(datetime, "date", Tomorrow)
    told = []
    for Tomorrow.later in range(10):
        monkeypatch.delenv(turns.TESTS, raising=False)
        told.append(turns.settle())
    assert sorted(told[:9]) == [*map(str, range(9))] and told[9] == told[0]
