"""A schedule is a line of text, and strategies choose by it or by a seed."""

from __future__ import annotations

import itertools

import pytest

from queueio.schedule.line import from_line, letter, to_line
from queueio.schedule.strategies import AsWritten, Misfit, RoundRobin, strategy

NAMES = ["main", "feeder", "logger"]


def chosen(by: str, readies: list[str]) -> str:
    """Who is chosen, of those that are ready in each step."""
    with_it = strategy(by)
    return "".join(with_it.choose(list(ready), NAMES) for ready in readies)


def test_actors_beyond_the_alphabet_have_letters_of_their_own() -> None:
    letters = [letter(number) for number in range(26 * 28)]
    assert letters[0] == "A"
    assert letters[26] == "Aa"
    assert len(set(letters)) == len(letters)


def test_a_line_reads_back_as_the_turns_that_it_was_written_of() -> None:
    turns = ["A"] * 12 + ["B", "C", "C", "A", letter(26), letter(27)]
    names = [str(number) for number in range(30)]
    read, _ = from_line(to_line(turns, names))
    assert read == turns


def test_a_line_is_told_from_other_text() -> None:
    with pytest.raises(ValueError, match="is no schedule"):
        from_line("round robin")
    with pytest.raises(ValueError, match="of version q9"):
        from_line("q9:0000:A")


@pytest.mark.parametrize("count", ["99999999999", "9" * 5000])
def test_more_turns_than_a_run_can_have_are_refused_at_once(count: str) -> None:
    with pytest.raises(ValueError, match="more than 1,000,000 turns"):
        from_line(f"q1::AB{count}C")


def test_all_take_turns_and_who_cannot_is_left_out() -> None:
    assert chosen("round-robin", ["ABC", "ABC", "ABC", "ABC", "AC"]) == "ABCAC"


@pytest.mark.parametrize("by", ["random", "pct"])
def test_the_same_seed_chooses_the_same_and_another_one_does_not(by: str) -> None:
    ready = ["ABC"] * 200
    first = chosen(f"{by}:1", ready)
    assert chosen(f"{by}:1", ready) == first
    assert any(chosen(f"{by}:{seed}", ready) != first for seed in (2, 3, 4))


def test_priorities_change_a_few_times_only_and_give_way_to_chance_in_the_end() -> None:
    steps = chosen("pct:5:3", ["ABC"] * 3000)
    assert sum(a != b for a, b in itertools.pairwise(steps[:2000])) <= 3
    assert set(steps[2000:]) == set("ABC")


def test_a_line_that_asks_for_somebody_who_cannot_go_on_is_refused() -> None:
    written = AsWritten(to_line("AB", NAMES))
    assert written.choose(["A", "B"], NAMES) == "A"
    with pytest.raises(Misfit, match=r"step 2 is B's, which cannot go on there \(A, C can\)"):
        written.choose(["A", "C"], NAMES)


def test_a_line_of_another_program_is_refused() -> None:
    written = AsWritten(to_line("AB", NAMES))
    written.choose(["A", "B"], NAMES)
    with pytest.raises(Misfit, match="another program's"):
        written.choose(["A", "B"], ["main", "somebody else"])


def test_after_a_line_each_has_a_turn() -> None:
    written = AsWritten(to_line("C", NAMES), RoundRobin())
    assert "".join(written.choose(list("ABC"), NAMES) for _ in range(4)) == "CABC"
