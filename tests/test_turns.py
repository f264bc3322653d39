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


def test_the_next_day_has_the_next_third(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tomorrow(datetime.date):
        @classmethod
        def today(cls) -> datetime.date:
            return datetime.date(2026, 1, 1) + datetime.timedelta(days=cls.later)

        later = 0

    monkeypatch.setattr(datetime, "date", Tomorrow)
    told = []
    for Tomorrow.later in range(4):
        monkeypatch.delenv(turns.TESTS, raising=False)
        told.append(turns.settle())
    assert sorted(told[:3]) == ["0", "1", "2"] and told[3] == told[0]
