"""`queueio explore` finds what goes wrong in scripts that look sound, and nothing in sound ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from queueio.schedule.facts import unpadded
from queueio.schedule.findings import LESSONS, RunEnd, alone, between
from queueio.schedule.line import from_line
from queueio.schedule.search import Exhaustive
from tests.processes import ROOT, python

HERE = Path(__file__).parent
RACES = {
    "dying_runner": "hidden cause",
    "early_logger": "use before initialisation",
    "epochs_anew": "example twice",
    "evaluation_takes": "starved step, ends that differ",
    "example_twice": "example twice",
    "first_done_closes": "hidden cause",
    "join_before_stop": "deadlock",
    "join_before_stop_loopers": "livelock",
    "late_epochs": "use before initialisation",
    "lock_around_a_call": "deadlock",
    "lost_tail": "lost tail",
    "opposite_order": "deadlock",
    "swallowed_error": "deadlock",
    "torn_pair": "torn pair",
    "two_consumers": "starved step, ends that differ",
}
SHORTENED = "early_logger"


def searched(tmp_path: Path, schedules: int, scripts: list[Path]) -> dict[str, Any]:
    """What the driver tells of each script."""
    arguments = [a for s in scripts for a in (["shortest"] * (s.stem == SHORTENED) + [str(s)])]
    done = python(HERE / "driver.py", str(schedules), *arguments, cwd=tmp_path, timeout=400)
    assert done.returncode == 0, done.stderr[-2000:]
    return {told["script"]: told for told in map(json.loads, done.stdout.splitlines())}


@pytest.fixture(scope="module")
def races(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is found in each of the scripts that have a race."""
    return searched(tmp_path_factory.mktemp("races"), 60, sorted(HERE.glob("races/*.py")))


def test_each_script_with_a_race_is_known_here() -> None:
    assert {path.stem for path in HERE.glob("races/*.py")} == RACES.keys()


@pytest.mark.parametrize("script", RACES)
def test_a_race_is_found(script: str, races: dict[str, Any]) -> None:
    assert races[script]["found"] in RACES[script].split(", "), races[script]


@pytest.mark.parametrize("script", RACES)
def test_the_schedule_that_is_told_shows_the_race_again(script: str, races: dict[str, Any]) -> None:
    assert races[script]["again"] == races[script]["found"]


def test_the_schedule_is_made_short(races: dict[str, Any]) -> None:
    turns, _ = from_line(races[SHORTENED]["line"])
    assert len(turns) < 6 < races[SHORTENED]["long"]


@pytest.mark.long
def test_nothing_is_found_in_sound_scripts_and_all_of_them_is_controlled(tmp_path: Path) -> None:
    told = searched(tmp_path, 6, sorted(HERE.glob("sound/*.py")))
    assert len(told) == 6
    for each in told.values():
        assert each["found"] is None, each
        assert not each["cut_off"]
        assert not each["uncontrolled"]


def test_each_lesson_is_a_file_of_the_package() -> None:
    assert all((ROOT / file).is_file() for file, _ in LESSONS.values())


def run(**facts: Any) -> RunEnd:
    """The end of a run of one thread."""
    return RunEnd(**{"end": "finished", "line": "q1::", "names": ["main"], "steps": 9, **facts})


def rows(*elements: str) -> dict[str, Any]:
    return {"main": [["queue", list(elements)]]}


def test_runs_that_deliver_the_same_in_another_order_are_sound() -> None:
    assert between(run(taken=rows("a", "b", "c")), run(taken=rows("c", "a", "b"))) is None


def test_a_dropped_tail_of_other_elements_is_sound() -> None:
    one = run(taken=rows("a", "b", "a", "c"), left={"queue": 2})
    other = run(taken=rows("a", "b", "c", "c"), left={"queue": 2})
    assert between(one, other) is None


def test_elements_of_chance_are_counted_and_not_compared() -> None:
    assert between(run(taken=rows("", "")), run(taken=rows("", ""))) is None
    found = between(run(taken=rows("", "")), run(taken=rows("", "", "")))
    assert found is not None
    assert found.kind == "lost tail"


def test_a_second_epoch_that_only_one_run_has_is_no_lost_tail() -> None:
    found = between(run(taken=rows("a", "b", "a", "b")), run(taken=rows("a", "b")))
    assert found is not None
    assert found.kind == "example twice"


def test_a_run_that_has_an_element_more_often_though_it_got_fewer_lost_no_tail() -> None:
    found = between(run(taken=rows("a", "a", "b", "b")), run(taken=rows("a", "b", "c", "d", "d")))
    assert found is not None
    assert found.kind == "example twice"


def test_parts_that_repeat_tell_of_no_torn_pair_where_elements_are_left() -> None:
    one = run(taken=rows("0|a", "1|b"), left={"queue": 9})
    other = run(taken=rows("0|c", "1|d"), left={"queue": 9})
    assert between(one, other) is None
    crossed = run(taken=rows("0|b", "1|a"), left={"queue": 9})
    assert between(one, crossed) is None


def test_a_torn_pair_is_told_where_all_is_taken_or_each_part_is_one_of_its_kind() -> None:
    some, crossed = rows("0|a", "0|b", "1|c"), rows("0|a", "0|c", "1|b")
    found = between(run(taken=some), run(taken=crossed))
    assert found is not None
    assert found.kind == "torn pair"
    many, turned = (rows(*(f"{n}|{(n + by) % 8}" for n in range(8))) for by in (0, 1))
    found = between(run(taken=many, left={"queue": 9}), run(taken=turned, left={"queue": 9}))
    assert found is not None
    assert found.kind == "torn pair"


def test_padding_does_not_make_an_element_another_one() -> None:
    alone, among = np.array([[1, 0, 2]]), np.array([[1, 0, 2, 0], [0, 0, 0, 0]])
    assert unpadded(among).tolist() == unpadded(alone).tolist() == [[1, 0, 2]]
    assert unpadded(np.array([b"a", b"", b"b", b""], object)).tolist() == [b"a", b"", b"b"]
    assert unpadded(np.zeros([2, 3])).size == 0
    assert unpadded(np.array(7)).tolist() == 7


def test_a_run_that_was_cut_off_is_not_compared() -> None:
    assert between(run(taken=rows("a")), run(end="cut off", taken=rows())) is None


def test_what_is_not_controlled_is_no_deadlock() -> None:
    assert alone(run(end="deadlock", uncontrolled=["a thread of C++"])) is None
    found = alone(run(end="deadlock"))
    assert found is not None
    assert found.kind == "deadlock"


def test_an_error_that_the_program_ends_by_has_no_hidden_cause() -> None:
    failed = {"runner": "DataLossError: corrupted record"}
    assert alone(run(failed=failed, status=1, error="DataLossError: corrupted record")) is None
    found = alone(run(failed=failed, status=0))
    assert found is not None
    assert found.kind == "hidden cause"


def test_all_schedules_with_one_deviation_are_tried_each_once() -> None:
    def line(turns: str) -> RunEnd:
        return run(line=f"q1::{turns}", choices=["A B", "A", "A B"][: len(turns)])

    tried, every = [], Exhaustive(1)
    while (schedule := every.following()) is not None:
        prefix = schedule.removeprefix("q1::")
        tried.append(prefix)
        every.learn(line(prefix + "AAA"[len(prefix) :]))
    assert tried == ["", "B", "AAB"]
