"""`queueio watch`: what its screen shows of a run, and that its keys do what they say."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from queueio.schedule.events import Event, Level, Standing
from queueio.schedule.scene import Scene, plain_lines, queue_line, thread_line
from queueio.schedule.watch import _is_screen
from tests.processes import python

FOLLOWED = Path(__file__).with_name("followed.py")
SCREEN = """
import asyncio, json, os, sys, time
from queueio.schedule.child import Order, warm
warm()
from queueio.schedule.nursery import Nursery
output, theirs = os.pipe()
nursery = Nursery(theirs)
os.close(theirs)
from queueio.schedule.screen import WatchScreen, elements_of

async def until(pilot, true):
    end = time.monotonic() + 120
    while not true():
        if time.monotonic() > end:
            driver = pilot.app.driver
            now = driver.scene.step, driver.ready, driver.ended
            raise SystemExit(f"it did not come to it: line {true.__code__.co_firstlineno}, {now}")
        await pilot.pause(0.05)

def screen(free):
    order = Order(sys.argv[1], ("go",) if free else (), strategy="q1::", budget=1 << 30,
                  by_hand=not free, events=True, free=free)
    return WatchScreen(order, nursery.fork, "round-robin", "followed.py", output)

async def controlled():
    app, told = screen(False), {}
    async with app.run_test(size=(80, 24)) as pilot:
        driver = app.driver
        await pilot.press("j", "5", "enter")  # forth, or back where it has gone on meanwhile
        await until(pilot, lambda: driver.scene.step == 5 and driver.ready)
        at = driver.scene.step
        await pilot.press("n")
        await until(pilot, lambda: driver.scene.step == at + 1 and driver.ready)
        await pilot.press("j", "4", "0", "enter")
        await until(pilot, lambda: driver.scene.step == 40 and driver.ready)
        line, levels = driver.line, dict(driver.scene.levels)
        actor = driver.ready[-1]
        await pilot.press(actor)
        await until(pilot, lambda: driver.scene.step == 41 and driver.ready)
        told["picked"] = driver.line != line and driver.scene.last.actor == actor
        await pilot.press("u")
        await until(pilot, lambda: driver.scene.step == 40 and driver.ready)
        told["undone"] = driver.line == line and driver.scene.levels == levels
        before = len(driver.tape.events)
        await pilot.press("u")  # at once: what is shown is known, the run comes after
        told["at once"] = driver.scene.step == 39
        await until(pilot, lambda: driver.scene.step == 39 and driver.ready)
        await pilot.press(line[-1] if line[-1].isupper() else driver.ready[0])
        await until(pilot, lambda: driver.scene.step == 40 and driver.ready)
        told["again"] = len(driver.tape.events) == before
        told["elements"] = len(elements_of(driver, "shuffle_batch"))
        told["size"] = driver.scene.levels["shuffle_batch"].size
        await pilot.press("Z")
        app.refresh_all()
        await pilot.pause(0.2)
        told["nobody"] = str(app.query_one("#now").render())
        told["queues"] = str(app.query_one("#queue-lines").render())
        told["threads"] = str(app.query_one("#thread-lines").render())
        await pilot.press("space")
        await until(pilot, lambda: driver.ended)
        app.refresh_all()
        await until(pilot, lambda: app.said())
        told["said"], told["end"] = app.said(), driver.tape.end
        await pilot.press("q")
    return told

async def free():
    app, told = screen(True), {}
    async with app.run_test(size=(80, 24)) as pilot:
        driver = app.driver
        driver.faster(-5)  # 2 calls a second of each thread, so that there is something to pause
        open("go", "w").close()
        await until(pilot, lambda: len(driver.scene.levels) == 2)
        await pilot.press("space")
        await pilot.pause(0.5)
        at = driver.scene.step
        await pilot.pause(0.5)
        told["paused"] = driver.scene.step - at
        await until(pilot, lambda: any(a.state == "ready" for a in driver.scene.actors()))
        await pilot.press("n")
        await until(pilot, lambda: driver.scene.step > at)
        await pilot.press("u")
        told["back"] = app._note
        driver.faster(9)
        await pilot.press("space")
        await until(pilot, lambda: driver.ended)
        told["status"], told["end"] = driver.ended["status"], driver.tape.end
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app._exit)
    return told

print(json.dumps([asyncio.run(controlled()), asyncio.run(free())]))
nursery.close()
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What was seen on the screen of a controlled run, and of a free one."""
    pytest.importorskip("textual", reason="textual is not installed")
    done = python("-c", SCREEN, str(FOLLOWED), cwd=tmp_path_factory.mktemp("watch"), timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.long
def test_under_control_one_picks_who_is_next_and_takes_it_back(told: list[dict[str, Any]]) -> None:
    assert told[0]["picked"] and told[0]["undone"]
    assert told[0]["at once"] and told[0]["again"]
    assert told[0]["nobody"].startswith("Z cannot go on now")


@pytest.mark.long
def test_a_queue_is_looked_into(told: list[dict[str, Any]]) -> None:
    assert told[0]["elements"] == told[0]["size"] > 0


def test_the_screen_shows_queues_and_threads(told: list[dict[str, Any]]) -> None:
    assert f"{told[0]['size']}/16" in told[0]["queues"] and "min 6" in told[0]["queues"]
    assert "b.csv:" in told[0]["queues"] or "a.csv:" in told[0]["queues"]
    assert told[0]["threads"].count("runner shuffle_batch") == 2


def test_the_run_goes_to_its_end_and_what_it_prints_is_kept(told: list[dict[str, Any]]) -> None:
    assert told[0]["end"] == "finished" and told[0]["said"][-1] == "done"
    assert told[1]["end"] == "finished" and told[1]["status"] == 0


def test_a_free_run_is_paused_and_stepped_but_does_not_go_back(told: list[dict[str, Any]]) -> None:
    assert told[1]["paused"] == 0
    assert "--controlled" in told[1]["back"]


def test_what_a_script_tells_the_terminal_does_not_draw_over_the_screen() -> None:
    pytest.importorskip("textual", reason="textual is not installed")
    from queueio.schedule.screen import shown, without_codes

    printed = "\x1b[31mred\x1b[0m\x1b[2J\x1b[H \x1b]0;title\x07\x1b[?25l\x9b31m\ta\nb\x1bMc"
    assert without_codes(printed) == "red 31m\ta\nbc"
    assert shown([("a\x1b[2J", "red"), ("b", "")]).plain == "ab"


class Terminal(io.TextIOWrapper):
    """Says that it is a terminal."""

    def isatty(self) -> bool:
        """It does."""
        return True


@pytest.mark.parametrize(
    ("term", "encoding", "screen"),
    [("xterm", "utf-8", True), ("dumb", "utf-8", False), ("xterm", "latin-1", False)],
)
def test_a_terminal_that_cannot_show_the_screen_gets_lines(
    monkeypatch: pytest.MonkeyPatch, term: str, encoding: str, screen: bool
) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr("sys.stdout", Terminal(io.BytesIO(), encoding=encoding))
    assert _is_screen() is screen


PIPES = """
import sys
from queueio.schedule import child, watch
watch.begin = child.warm
for arguments in (["--html", "free.html"], ["--controlled", "--trace", "controlled.json"]):
    try:
        watch.watch.main([*arguments, *sys.argv[1:]], standalone_mode=False)
    except SystemExit as end:
        print("status", end.code, flush=True)
"""
FAILS = """
import sys, time
import tensorflow as tf
print("arguments", sys.argv[1:])
batch = tf.train.batch([tf.train.range_input_producer(7).dequeue()], 3)
with tf.Session() as sess:
    tf.train.start_queue_runners(sess)
    for _ in range(4):
        sess.run(batch)
        time.sleep(0.15)
    raise ValueError("of the script")
"""


@pytest.mark.long
def test_in_a_pipe_there_are_plain_lines_and_the_script_s_own_status(tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text(FAILS)
    done = python("-c", PIPES, "fails.py", "--", "--strict", cwd=tmp_path, timeout=280)
    free, controlled, *_ = done.stdout.split("status 1")
    assert "arguments ['--strict']" in free and "\x1b" not in free
    assert "batch 32/32" in free and "ended by ValueError: of the script" in free
    assert "enqueue into batch [batch 31→32/32]" in controlled
    assert "finished" in controlled
    assert (tmp_path / "free.html").exists() and (tmp_path / "controlled.json").exists()


def text(pieces: list[tuple[str, str]]) -> str:
    return "".join(piece for piece, _ in pieces)


def scene() -> Scene:
    found = Scene(free=True)
    waits = Standing("A", "main", "blocked", "dequeue", "", "pool holds 3", "pool")
    runs = Standing("B", "QueueRunnerThread-pool/q-pool/q_enqueue", "running", "enqueue into pool")
    level = Level("pool", 3, 10, 5)
    found.see(Event(7, "", "", "look", "", after=(level,), seconds=0.5, standings=(waits, runs)))
    ready = Standing("A", "main", "running")
    found.see(Event(9, "", "", "look", "", seconds=1.0, standings=(ready, runs)))
    return found


def test_a_queue_shows_its_level_beside_what_it_keeps_back() -> None:
    line = text(queue_line(scene().levels["pool"], scene(), 80))
    assert line.count("█") / (line.count("█") + line.count("░") + 1) == pytest.approx(0.3, abs=0.06)
    assert "3/10" in line and "min 5" in line
    assert line.index("┃") > line.rindex("█")


@pytest.mark.parametrize("level", [Level("q", 0, 1), Level("q", 5), Level("q", 9, 9, 8, True)])
def test_no_queue_is_wider_than_a_terminal_of_80(level: Level) -> None:
    assert len(text(queue_line(level, scene(), 76))) <= 76


def test_the_share_of_waiting_is_that_of_the_looks() -> None:
    assert scene().wait_share() == 0.5
    assert "50%" in text(thread_line(scene().actors()[0], scene()))
    assert "runner pool" in text(thread_line(scene().actors()[1], scene()))
    assert "main waits 50%" in plain_lines(scene())[1]


def test_a_line_draws_no_arrow_between_queues_that_feed_nobody_alike() -> None:
    now = Scene(free=True)
    now.see(Event(1, "", "", "look", "", after=(Level("train", 1, 4), Level("eval", 2, 4))))
    assert plain_lines(now)[0].endswith("│ train 1/4, eval 2/4")
