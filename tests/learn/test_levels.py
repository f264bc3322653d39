"""`queueio learn`: its solution solves a level; doing nothing, or a near miss, does not."""

from __future__ import annotations

import io
import json
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from queueio.learn.command import learn as learn_command
from queueio.learn.judge import solution_of
from queueio.learn.level import PACKAGE, LearnLevel
from queueio.learn.levels import LEVELS
from queueio.learn.playing import _text
from tests.processes import environment, python

HERE = Path(__file__).parent
NAMES = [level.name for level in LEVELS]
TODO = "# Take a batch, and print it."
TWO = "print(sess.run(batch))\nprint(sess.run(batch))\n"
RUNNERS = "    threads = tf.train.start_queue_runners(sess, coord)\n"
TF_DATA = [list(edit) for edit in LEVELS[-1].edits]
WRONG: dict[str, tuple[Any, str | None, str]] = {
    "first_batch": ([[TODO, "print(batch)"]], None, "sess.run(batch)"),
    "start_the_runners": (
        [["    coord.request_stop()\n", RUNNERS + "    coord.request_stop()\n"]], None, "before",
    ),
    "initialise_the_epochs": (
        [["    coord = tf", "    sess.run(tf.global_variables_initializer())\n    coord = tf"]],
        None, "local_variables_initializer",
    ),
    "fill_the_pool": ([], "q1::ABCDEBD7A", "7 of 8"),
    "keep_the_tail": ([["batch_size=4", "batch_size=3"]], None, "smaller"),
    "blur_two_epochs": ([["shuffle=False", "shuffle=True"]], None, "shuffle_batch"),
    "starve_the_trainer": ([], "q1::A2BCDEFC3E10BA", "trainer got"),
    "the_seeds_limits": ([], "q1::A2BCDEBDBDBCD2A", "same seed drew the same"),
    "cause_the_deadlock": ([], "q1::A2B3", "both tokens before"),
    "end_it": ([["coord.join(threads)\n", ""]], None, "coord.join(threads)"),
    "find_the_error": (
        [["    coord.request_stop()\n", "    coord.request_stop()\n    sess.close()\n"]],
        None, "not a valid int32: x",
    ),
    "tear_a_pair": ([], "q1::ABCBCBC", "Picture 1 with label 1"),
    "share_a_queue": (
        [["    for worker in workers:", "    for worker in workers[:1]:"]],
        None, "worker-2 got nothing",
    ),
    "how_many_threads": ([["LOADERS = 1", "LOADERS = 8"]], None, "smallest number"),
    "into_tf_data": ([[RUNNERS, ""]], None, "smaller last one"),
}  # fmt: skip
"""An answer that a learner might give, and words of what is said to it."""
MORE = [
    ("first_batch", [[TODO, "print(sess.run(bach))"]], "NameError"),
    ("first_batch", [[TODO, "print(batch); print('that was it')"]], "printed Tensor(\"batch:0\""),
    ("initialise_the_epochs",
     [["number = ", "early = tf.local_variables_initializer()\nnumber = "],
      ["    coord = tf", "    sess.run(early)\n    coord = tf"]], "does not know the counter"),
    ("share_a_queue",
     [["[pipeline(), pipeline()]", "[pipeline()] * 2"], ["num_epochs=1, ", ""]],
     "orker-1 got 0 2 4 6 0 2 4 6 0 2 4 6 0 2 4 6 and "),
    ("how_many_threads", [["LOADERS = 1", "LOADERS = 3"]], "Try more"),
    ("how_many_threads", [["sleep(1)", "sleep(0)"]], "rules"),
    ("find_the_error", [['["1,2", "3,4", "5,x", "7,8"]', '["1,2"]']], "No runner had an error"),
    ("first_batch", [[TODO, "sess.run(batch)"]], "were not printed"),
    ("first_batch", [[TODO, "print(sess.run(batch, {batch: [0, 1, 2]}))"]],
     "took no batch"),
    ("initialise_the_epochs", [["num_epochs=1, ", ""]], "[3 4 5] and "),
    ("keep_the_tail", [["batch_size=4", "batch_size=5"]], "Leave the ten numbers"),
    ("end_it", [["coord.join(threads)", "coord.request_stop(), __import__('time').sleep(3)"]],
     "was luck"),
    ("find_the_error", [["coord.request_stop()", "sess.run(tf.decode_csv('x', [[0]]))"]],
     "but the script ended with InvalidArgumentError: Field 0"),
    ("first_batch", [[TODO, "while True: print(sess.run(batch))"]], "did not end well"),
    ("first_batch", [[TODO, "print(sess.run(batch))"],
                     ["tf.train.start_queue_runners(sess, coord)", "[]"]],
     "Keep the line with start_queue_runners"),
    ("first_batch", [[TODO, "print(sess.run(batch)[0])"]], "its numbers were not printed"),
    ("start_the_runners",
     [["threads = []", "threads = tf.train.start_queue_runners(tf.Session(), coord)"]],
     "in this session"),
    ("initialise_the_epochs",
     [["    try:", "    sess.run(tf.local_variables_initializer())\n    try:"]], "was luck"),
    ("initialise_the_epochs",
     [["num_epochs=1", "num_epochs=2"],
      ["    coord = tf", "    sess.run(tf.local_variables_initializer())\n    coord = tf"]],
     "without num_epochs=1 each number comes more than once"),
    ("keep_the_tail", [["num_epochs=1, ", ""]], "[2 3 4 5] and "),
    ("blur_two_epochs", [[", num_epochs=2", ""]], "[4 5 6 7] and "),
    ("find_the_error", [["    sess.run(tf.local_variables_initializer())\n", ""]],
     "a variable that had no value"),
    ("share_a_queue",
     [["[pipeline(), pipeline()]", "[pipeline()] * 2"], ["num_epochs=1", "num_epochs=2"]],
     "of another epoch"),
    ("how_many_threads", [["LOADERS = 1", "LOADERS = 0"]], "0 examples came"),
    ("first_batch", [[TODO, "__import__('os')._exit(0)"]], "ended by itself"),
    ("into_tf_data", [*TF_DATA, ["number * number", "number"]], "Square the numbers"),
    ("into_tf_data", [*TF_DATA, [", allow_smaller_final_batch=True", ""]], "no drop_remainder"),
    ("into_tf_data", [*TF_DATA[:2], *TF_DATA[3:]], "Run the iterator's initializer"),
    ("into_tf_data", [*TF_DATA, [".tolist()", ""]], "Print each batch with .tolist()"),
    ("into_tf_data", [*TF_DATA, [".tolist()", ""]], "printed no batch, where [0, 1, 4], [9, 16"),
    ("initialise_the_epochs",
     [["batch_size=3", "batch_size=2"],
      ["    coord = tf", "    sess.run(tf.local_variables_initializer())\n    coord = tf"]],
     "Why: 0 to 5 once each"),
    ("blur_two_epochs",
     [["tf.train.batch([number], batch_size=4)", "tf.train.shuffle_batch([number], 4, 5, 0)"]],
     "Let more stay behind"),
    ("share_a_queue", [["producer(8", "producer(4"]], "delivers its whole epoch"),
    ("how_many_threads", [["sleep(0.25)", "sleep(1)"]],
     "16 were loaded in a second each, and 0 trained"),
    ("start_the_runners", [["threads = []", "threads = tf.train.start_queue_runners(sess)"]],
     "do not ask this coordinator"),
]  # fmt: skip
ALSO = [
    ("first_batch", [[TODO, "print(list(sess.run(batch)))"]]),
    ("end_it", [["coord.join(threads)", "coord.request_stop()\nfor t in threads: t.join()"]]),
    ("end_it", [["coord.join(threads)", "stop = coord.request_stop\nstop()\nend(threads)"],
                ["threads = tf", "end = coord.join\nthreads = tf"]]),
    ("end_it", [["coord = tf.train.Coordinator()\n", "import queueio\n"],
                ["threads = tf.train.start_queue_runners(sess, coord)\n",
                 "with queueio.running(sess): print(sess.run(batch)), print(sess.run(batch))\n"],
                [TWO + "coord.join(threads)\n", ""]]),
    ("find_the_error", [["    coord.request_stop()\n", "    coord.raise_requested_exception()\n"]]),
    ("into_tf_data", [*TF_DATA, ["print(", "print('a batch:', "]]),
    ("initialise_the_epochs", [["tf.Session()", "tf.train.MonitoredTrainingSession()"],
                               ["    threads = tf.train.start_queue_runners(sess, coord)\n",
                                "    threads = []\n"]]),
]  # fmt: skip
"""Answers that are right in another way than the solution."""


def answers() -> list[dict[str, Any]]:
    """Each level as it stands, solved, and nearly solved; then some more."""
    given = [{"level": level.name, "edits": [], "line": None} for level in LEVELS]
    solved = [{"level": v.name, "edits": v.edits, "line": v.line or None} for v in LEVELS]
    wrong = [{"level": n, "edits": WRONG[n][0], "line": WRONG[n][1]} for n in NAMES]
    more = [{"level": name, "edits": edits, "line": None} for name, edits, _ in MORE]
    hinted = [{"level": v.name, "edits": [], "line": begun(v)} for v in LEVELS if v.by_schedule]
    also = [{"level": name, "edits": edits, "line": None} for name, edits in ALSO]
    return [*given, *solved, *wrong, *more, *also, *hinted]


def begun(level: LearnLevel) -> str:
    """The schedule with which a hint begins a run, or none."""
    return "q1::" + "".join(re.findall(r"\b[A-E\d]{3,}\b", level.hint))


COURSE = pytest.mark.long("the course")  # which is played once for all of them


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], str]:
    """What was said to each answer, and the course's page."""
    folder = tmp_path_factory.mktemp("learn")
    (folder / "answers.json").write_text(json.dumps(answers()))
    done = python(HERE / "driver.py", "answers.json", "course.html", cwd=folder, timeout=280)
    assert done.returncode == 0, done.stderr[-3000:]
    told = [json.loads(line) for line in done.stdout.splitlines()]
    return told, (folder / "course.html").read_text()


@COURSE
@pytest.mark.parametrize("name", NAMES)
def test_a_level_is_not_solved_by_doing_nothing(name: str, played: Any) -> None:
    told = played[0][NAMES.index(name)]
    assert told["ran"] and told["told"], told


@COURSE
@pytest.mark.parametrize("name", NAMES)
def test_a_level_is_solved_by_its_solution(name: str, played: Any) -> None:
    assert played[0][len(NAMES) + NAMES.index(name)]["told"] is None


@COURSE
@pytest.mark.parametrize("name", NAMES)
def test_a_plausible_wrong_answer_is_told_what_to_try(name: str, played: Any) -> None:
    told = played[0][2 * len(NAMES) + NAMES.index(name)]["told"]
    assert told is not None and WRONG[name][2] in told and "Try: " in told, told


@COURSE
@pytest.mark.parametrize("place", range(len(MORE)))
def test_other_wrong_answers_are_not_let_through(place: int, played: Any) -> None:
    told = played[0][3 * len(NAMES) + place]["told"]
    assert told is not None and MORE[place][2] in told, told


@COURSE
@pytest.mark.parametrize("place", range(len(ALSO)))
def test_answers_that_are_right_in_another_way_solve_a_level(place: int, played: Any) -> None:
    assert played[0][3 * len(NAMES) + len(MORE) + place]["told"] is None


@COURSE
def test_hints_of_schedules_name_steps_that_can_be_taken(played: Any) -> None:
    hinted = played[0][-sum(level.by_schedule for level in LEVELS) :]
    assert all("does not fit" not in (one["told"] or "") for one in hinted), hinted


def test_a_hint_names_the_threads_that_the_solution_lets_go() -> None:
    for level in (level for level in LEVELS if level.by_schedule):
        named = set(re.findall(r"\b[B-Z]\b", level.hint))
        several = set(re.findall(r"([A-Z])\d|([B-Z])(?=.*\2)", level.line))
        assert named <= {one or other for one, other in several}, level.name


def test_levels_are_numbered_in_the_order_in_which_they_are_played() -> None:
    numbered = [level.file.name for level in LEVELS]
    assert numbered == [f"{number:02}_{name}.py" for number, name in enumerate(NAMES, 1)]


@pytest.mark.parametrize("level", LEVELS, ids=NAMES)
def test_a_lesson_leads_to_a_file_that_teaches(level: Any) -> None:
    assert (PACKAGE.parent / level.stage).is_file() and len(level.stage_lesson()) > 40


class Tags(HTMLParser):
    """What a page loads, and the pages within it."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.frames: list[str] = []
        self.policy = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        named = dict(attrs)
        self.loads += [named[key] for key in ("src", "href") if key in named]
        if tag == "iframe":
            self.frames.append(named["srcdoc"])
        if "http-equiv" in named:
            self.policy = named["content"]


@COURSE
def test_the_course_is_one_page_that_loads_nothing_and_replays_each_level(played: Any) -> None:
    page = Tags()
    page.feed(played[1])
    assert all(link.startswith("#") for link in page.loads), page.loads
    assert len(page.frames) == 2 * len(LEVELS) and "default-src 'none'" in page.policy
    assert all("<script" in frame for frame in page.frames)
    for level in LEVELS:
        assert f"{level.title}</h2>".replace("'", "&#39;") in played[1]


def learn(folder: Path, *arguments: str) -> Any:
    """The command, with progress in a folder."""
    env = environment(XDG_DATA_HOME=str(folder), PYTHONHASHSEED="0")
    return python("-m", "queueio", "learn", *arguments, cwd=folder, env=env)


@pytest.mark.long
def test_a_learner_begins_is_told_why_not_edits_and_goes_on(tmp_path: Path) -> None:
    begun = learn(tmp_path, "1")
    path = tmp_path / "queueio" / "learn" / "01_first_batch.py"
    assert str(path) in begun.stdout and "Take one batch" in begun.stdout
    missed = learn(tmp_path, "1", "--check")
    assert missed.returncode == 1 and "Not yet. " in missed.stdout and "0 of" not in missed.stdout
    path.write_text(LEVELS[0].solved())
    done = learn(tmp_path, "1", "--check")
    assert done.returncode == 0 and "[0 1 2]" in done.stdout and "Solved." in done.stdout
    assert "queueio learn 2" in done.stdout
    listed = learn(tmp_path).stdout
    assert "✓  1  First batch" in listed and "→  2" in listed and "1 of 15" in listed
    learn(tmp_path, "1", "--reset")
    assert path.read_text() == LEVELS[0].script() and "0 of 15" in learn(tmp_path).stdout


def test_a_schedule_that_does_not_fit_says_who_could_go_on(tmp_path: Path) -> None:
    done = learn(tmp_path, "4", "--check", "--schedule", "q1::A2")
    assert done.returncode == 1 and "B, C, D, E can" in done.stdout
    assert "cannot go on there" in done.stdout, done.stdout
    refused = learn(tmp_path, "4", "--check", "--schedule", "BD")
    assert refused.returncode == 2 and "is no schedule" in refused.stderr


@pytest.mark.long
def test_the_end_of_a_long_output_is_shown_as_its_error_stands_there(tmp_path: Path) -> None:
    learn(tmp_path, "1")
    path = tmp_path / "queueio" / "learn" / "01_first_batch.py"
    loud = "print('a\\n' * 500 + 'b' * 5000), sess.run(bach)"
    path.write_text(path.read_text().replace(TODO, loud))
    done = learn(tmp_path, "1", "--check")
    assert "name 'bach' is not defined" in done.stdout.partition("Not yet")[0]
    path.write_text(path.read_text().replace(", sess.run(bach)", ""))
    printed = learn(tmp_path, "1", "--check").stdout
    assert "lines more" in printed and len(printed) < 2000


def test_of_very_much_that_is_printed_the_first_and_the_last_is_kept() -> None:
    file = io.BytesIO(b"first" + b"x" * 5000 + b"last")
    assert _text(file, 5009) == file.getvalue().decode()
    short = _text(file, 100)
    assert short.startswith("first") and short.endswith("last") and len(short) < 110


@pytest.mark.long
def test_a_loop_without_end_is_told_with_the_last_step(tmp_path: Path) -> None:
    script = tmp_path / "queueio" / "learn" / "10_end_it.py"
    learn(tmp_path, "10")
    script.write_text(script.read_text().replace("coord.join(threads)", "while True: pass"))
    done = learn(tmp_path, "10", "--check")
    assert done.returncode == 1 and "no sign of life" in done.stdout, done
    assert "[3 4 5]" in done.stdout and "10_end_it.py:12" in done.stdout


def test_what_is_to_be_called_next_names_the_folder_that_was_given(tmp_path: Path) -> None:
    own = tmp_path / "my class"
    begun = learn(tmp_path, "--folder", str(own), "1").stdout
    (told,) = (line for line in begun.splitlines() if line.startswith("Check:"))
    _, *words = shlex.split(told)
    (own / "01_first_batch.py").write_text(LEVELS[0].solved())
    assert learn(tmp_path, *words[2:]).returncode == 0
    played = learn(tmp_path, "--folder", str(own), "4").stdout
    assert f"queueio step --strategy hand '{own}/04_fill_the_pool.py'" in played


@pytest.mark.parametrize("level", [level for level in LEVELS if not level.by_schedule])
def test_a_solution_shows_whole_lines(level: LearnLevel) -> None:
    told = solution_of(1, level).splitlines()
    assert {line[2:] for line in told if line[:1] == "+"} <= set(level.solved().splitlines())
    assert {line[2:] for line in told if line[:1] in "- "} <= set(level.script().splitlines())
    assert any(line[:1] in "-+" for line in told)


def test_a_course_that_cannot_be_written_is_refused_before_its_levels_run(tmp_path: Path) -> None:
    page = tmp_path / "no" / "course.html"
    done = CliRunner().invoke(learn_command, ["--html", str(page)])
    assert done.exit_code == 2
    assert f"{str(page)!r} cannot be written" in done.output.replace("\n", " ")
