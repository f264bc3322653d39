"""What is written of a run: a trace that Perfetto reads, and a page that plays it again."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import click
import pytest
import tensorflow as tf

from queueio.schedule import views
from queueio.schedule.events import Element, Event, Level, Move
from queueio.schedule.observe import FreeRun
from queueio.schedule.replay.page import to_html
from queueio.schedule.tape import Tape
from queueio.schedule.trace import to_json
from queueio.schedule.ways import Ways
from tests.browser import browser, browser_path
from tests.processes import python
from tests.schedule.tapes import EVIL, evil_tape, long_tape

FOLLOWED = Path(__file__).with_name("followed.py")
STEPPED = """
import sys
from pathlib import Path
from queueio.schedule import views
from queueio.schedule.child import Order, warm
from queueio.schedule.step import run_in_lines
from queueio.schedule.tape import Tape
warm()
tape = Tape("followed.py")
order = Order(sys.argv[1], strategy="random:3", shows=True, events=True)
status = run_in_lines(order, tape)
views.write(tape, Path("step.json"), Path("step.html"))
import json
Path("events.json").write_text(json.dumps([event.to_json() for event in tape.events]))
"""
DIES = """
import tensorflow as tf
queue = tf.train.input_producer(["</script>", "\\u2028", 'a"b'], shuffle=False)
batch = tf.train.batch([queue.dequeue()], 3, name="b'\\u00e9".encode("ascii", "ignore").decode()[0])
with tf.Session() as sess:
    threads = tf.train.start_queue_runners(sess)
    sess.run(batch)
    raise ValueError("</script> \\u00e9")
"""
PLAIN = "import tensorflow as tf\nprint(tf.Session().run(tf.constant(3)))\n"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which a stepped run of `followed.py` was kept."""
    folder = tmp_path_factory.mktemp("kept")
    done = python("-c", STEPPED, str(FOLLOWED), cwd=folder, timeout=200)
    assert done.returncode == 0 and "finished" in done.stdout, done.stdout + done.stderr[-2000:]
    return folder


@pytest.fixture(scope="module")
def tape(kept: Path) -> Tape:
    """The tape of that run."""
    found = Tape("followed.py", end="finished")
    for event in json.loads((kept / "events.json").read_text()):
        found.add(Event.from_json(event))
    return found


def assert_valid(text: str) -> list[dict[str, Any]]:
    """Holds a trace against the format: what each record must have, and that slices nest."""
    records: list[dict[str, Any]] = json.loads(text)["traceEvents"]
    for record in records:
        assert record["ph"] in "XCMi", record
        assert {"name", "ts", "pid", "tid"} <= record.keys(), record
        assert record["ts"] >= 0, record
        assert record["ph"] != "X" or record["dur"] >= 0, record
    for track in {record["tid"] for record in records}:
        around: list[float] = []
        slices = [r for r in records if r["ph"] == "X" and r["tid"] == track]
        for each in sorted(slices, key=lambda r: (r["ts"], -r["dur"])):
            while around and around[-1] <= each["ts"] + 1e-3:
                around.pop()
            assert not around or each["ts"] + each["dur"] <= around[-1] + 1e-3, each
            around.append(each["ts"] + each["dur"])
    named = {r["tid"] for r in records if r["name"] == "thread_name"}
    assert named == {record["tid"] for record in records}
    return records


def counters(records: list[dict[str, Any]]) -> dict[str, list[int]]:
    found = defaultdict(list)
    for record in records:
        if record["ph"] == "C":
            found[record["name"]].append(record["args"]["elements"])
    return dict(found)


def test_the_trace_of_a_stepped_run_is_valid_and_tells_the_reason_of_waits(kept: Path) -> None:
    records = assert_valid((kept / "step.json").read_text())
    names = {record["name"] for record in records}
    assert "waits: shuffle_batch is empty" in names
    assert "shuffle_batch closes" in names
    assert any(name.startswith("OutOfRangeError") for name in names)


def test_the_counters_of_a_trace_are_the_levels_of_the_queues(kept: Path, tape: Tape) -> None:
    levels = counters(assert_valid((kept / "step.json").read_text()))
    assert levels.keys() == {"input_producer", "shuffle_batch"}
    assert max(levels["shuffle_batch"]) <= 16 and levels["shuffle_batch"][-1] == 0
    for name, sizes in levels.items():
        told = [each.size for event in tape.events for each in event.after if each.name == name]
        assert sizes == told
        # What is put in and what is taken out make the level, whoever says so.
        put = sum(stay.queue == name for stay in Ways(tape).stays)
        assert put == {"input_producer": 6, "shuffle_batch": 42}[name]


def test_each_element_is_followed_from_its_file_to_its_batch(tape: Tape) -> None:
    stays = Ways(tape).stays
    examples = [stay for stay in stays if stay.queue == "shuffle_batch"]
    lines = {f"{name}.csv:{line}" for name in "abc" for line in range(1, 8)}
    for epoch in (1, 2):
        assert Counter(s.element.key for s in examples if s.epoch == epoch) == Counter(lines)
    for stay in examples:
        file, _, line = stay.element.key.rpartition(":")
        assert stay.element.shown == f"{int(line) - 1}, {(int(line) - 1) ** 2}"
        (parent,) = (stays[place] for place in stay.parents)
        assert parent.element.shown == f"'{file}'" and parent.epoch == stay.epoch
        assert tape.events[stay.put].name != "main" and tape.events[stay.taken].name == "main"


def test_a_free_run_tells_calls_elements_and_the_levels_it_saw() -> None:
    with tf.Graph().as_default():
        queue = tf.queue.FIFOQueue(5, [tf.int32], shapes=[[]], name="numbers")
        value = tf.compat.v1.placeholder(tf.int32, [])
        put, take = queue.enqueue(value), queue.dequeue_many(2)
        with FreeRun(every=99.0, glances=0.0).watching() as run, tf.compat.v1.Session() as sess:
            for number in (7, 8, 9):
                sess.run(put, {value: number})
            run.look()
            assert sess.run(take).tolist() == [7, 8]
            run.look()
    tape = run.tape("hand.py")
    assert counters(assert_valid(to_json(tape)))["numbers"] == [3, 1]
    calls = [event for event in tape.events if event.kind == "run"]
    assert [event.what for event in calls[:3]] == ["enqueue into numbers"] * 3
    assert "test_views.py" in calls[0].line
    assert [e.shown for event in calls for m in event.moves if not m.takes for e in m.elements] == [
        "7", "8", "9"
    ]  # fmt: skip
    assert [e.shown for m in calls[-1].moves for e in m.elements] == ["7", "8"]


def test_the_main_thread_of_a_script_that_has_ended_is_done() -> None:
    with tf.Graph().as_default():
        one = tf.constant(1)
        run = FreeRun(every=99.0)
        with tf.compat.v1.Session() as sess:
            sess.run(one)
        run.look()
        run.stop(over=True)
    looks = [event for event in run.tape("hand.py").events if event.kind == "look"]
    states = [[s.state for s in look.standings if s.name == "main"] for look in looks]
    assert states[-2:] == [["running"], ["done"]]


def test_a_run_of_many_events_has_a_valid_trace() -> None:
    assert_valid(to_json(long_tape(3000)))


RUN_COMMAND = ["-m", "queueio", "run", "--trace", "t.json", "--html", "r.html"]


def test_a_script_that_dies_leaves_its_trace_and_its_page(tmp_path: Path) -> None:
    (tmp_path / "dies.py").write_text(DIES, encoding="utf-8")
    done = python(*RUN_COMMAND, "dies.py", cwd=tmp_path, timeout=120)
    assert done.returncode == 1 and "ValueError" in done.stderr
    assert f"trace: {tmp_path / 't.json'}" in done.stderr
    records = assert_valid((tmp_path / "t.json").read_text())
    assert any(record["name"].endswith("enqueue into b") for record in records)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert Scripts.of(page) == 2 and "ended by ValueError: " in page


def test_a_script_without_a_queue_has_a_page_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(PLAIN)
    done = python(*RUN_COMMAND, "plain.py", cwd=tmp_path, timeout=120)
    assert done.returncode == 0 and done.stdout == "3\n"
    records = assert_valid((tmp_path / "t.json").read_text())
    assert [r["name"] for r in records if r["ph"] == "X"] == ["run Const"]
    assert "No queue was seen" in (tmp_path / "r.html").read_text()


def test_a_file_that_cannot_be_written_is_told_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(PLAIN)
    done = python("-m", "queueio", "run", "--html", "no/r.html", "plain.py", cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert "'no/r.html' cannot be written" in done.stderr


def test_an_empty_name_of_a_file_is_told_before_the_run() -> None:
    with pytest.raises(click.BadParameter, match="the name of the file is empty"):
        views.writable(Path(), "--html")


class Scripts(HTMLParser):
    """Counts the script elements of a page, as a browser would find them."""

    count = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.count += tag == "script"
        assert tag != "img"

    @staticmethod
    def of(text: str) -> int:
        parser = Scripts()
        parser.feed(text)
        return parser.count


def test_no_name_of_the_program_s_ends_the_page_s_script() -> None:
    text = to_html(evil_tape())
    assert Scripts.of(text) == 2
    assert "<img" not in text and "default-src 'none'" in text


needs_browser = pytest.mark.skipif(browser_path() is None, reason="no chromium on this machine")


def opened(driver: Any, path: Path, said: list[str], **how: Any) -> Any:
    page = driver.new_page(**how)
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append("a dialog: " + dialog.message))
    page.on("request", lambda request: said.append(request.url))
    page.goto(path.as_uri())
    assert said.pop(0) == path.as_uri()
    return page


@pytest.mark.long
@needs_browser
def test_the_page_plays_steps_scrubs_and_follows(kept: Path, tape: Tape) -> None:
    said: list[str] = []
    with browser() as driver:
        page = opened(driver, kept / "step.html", said, viewport={"width": 1200, "height": 900})
        steps = len(tape.events)
        assert page.inner_text("#place") == f"beginning, {steps} events"
        page.click("#forth")
        assert "main begins" in page.inner_text("#now")
        page.keyboard.press("End")
        assert page.inner_text("#place").startswith(f"{steps} of {steps}")
        page.keyboard.press("ArrowLeft")
        assert page.inner_text("#place").startswith(f"{steps - 1} of")
        # In the middle: as many elements are listed as the queue then holds.
        half = next(n for n, e in enumerate(tape.events) if e.after and e.after[0].size == 9)
        page.evaluate("""at => { const scrub = document.getElementById("scrub");
            scrub.value = at; scrub.dispatchEvent(new Event("input")); }""", half + 1)  # fmt: skip
        assert page.inner_text("#held") == "9 in it"
        assert page.locator("#elements button").count() == 9
        key = page.locator("#elements button").first.inner_text().split(" · ")[0]
        page.locator("#elements button").first.click()
        way = page.inner_text("#way")
        assert key in way and f"'{key.split(':')[0]}'" in way and "delivered in a batch of" in way
        assert page.locator("#stage .followed").count() == 1
        page.locator("#way button").last.click()
        assert "main" in page.inner_text("#now") and "dequeue" in page.inner_text("#now")
        page.keyboard.press("Home")
        page.select_option("#speed", "1000")
        page.keyboard.press("Escape")
        page.click("#play")
        for _ in range(100):  # the page's policy forbids what would wait in it
            page.wait_for_timeout(50)
            if page.inner_text("#play") == "Play":
                break
        assert page.inner_text("#place").startswith(f"{steps} of {steps}")
    assert said == []


@pytest.mark.long
@needs_browser
def test_the_page_fits_and_can_be_read_by_day_and_by_night(kept: Path, tmp_path: Path) -> None:
    evil = tmp_path / "evil.html"
    evil.write_text(to_html(evil_tape()), encoding="utf-8")
    said: list[str] = []
    with browser() as driver:
        for width, scheme in ((400, "light"), (1200, "dark")):
            for path in (kept / "step.html", evil):
                page = opened(driver, path, said, viewport={"width": width, "height": 800},
                              color_scheme=scheme)  # fmt: skip
                page.keyboard.press("End")
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                assert page.locator("#stage .tank").count() > 0
                dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
                assert (dark == "rgb(255, 255, 255)") is (scheme == "light")
        assert EVIL.split("<")[0] in page.inner_text("#threads")
    assert said == []


@needs_browser
@pytest.mark.parametrize("free", [False, True])
def test_the_page_says_what_the_looks_at_a_free_run_may_have_missed(
    free: bool, tmp_path: Path
) -> None:
    tape = Tape("train.py", complete=not free)
    (tmp_path / "run.html").write_text(to_html(tape), encoding="utf-8")
    with browser() as driver:
        page = opened(driver, tmp_path / "run.html", [])
        said = "A wait that came and went between two such looks is not drawn."
        assert (said in page.inner_text("main")) is free


@needs_browser
def test_without_javascript_the_page_says_so_and_shows_no_dead_buttons(tmp_path: Path) -> None:
    (tmp_path / "run.html").write_text(to_html(long_tape(30)), encoding="utf-8")
    with browser() as driver:
        page = opened(driver, tmp_path / "run.html", [], java_script_enabled=False)
        assert page.inner_text("body") == (
            "This page plays with JavaScript; there is nothing to see without."
        )
        assert not page.locator("#play").is_visible()


@pytest.mark.long
@needs_browser
def test_many_thousand_events_are_drawn_exactly_where_one_looks(tmp_path: Path) -> None:
    path, tape, said = tmp_path / "long.html", long_tape(30_000), []
    path.write_text(to_html(tape), encoding="utf-8")
    with browser() as driver:
        page = opened(driver, path, said, viewport={"width": 800, "height": 800})
        for at in (17_777, 12, 29_999):
            page.evaluate("""at => { const scrub = document.getElementById("scrub");
                scrub.value = at; scrub.dispatchEvent(new Event("input")); }""", at)  # fmt: skip
            size = next(level.size for level in tape.events[at - 1].after)
            assert page.inner_text("#held") == f"{size} in it"
            assert page.locator("#elements button").count() == min(size, 100)
        for _ in range(20):
            page.keyboard.press("+")
        page.click("#chart", position={"x": 8, "y": 20})
        first = page.locator("#scrub").input_value()
        page.click("#chart", position={"x": 750, "y": 20})
        assert 5 <= int(page.locator("#scrub").input_value()) - int(first) <= 11
    assert said == []


@pytest.mark.long
@needs_browser
def test_the_legend_tells_the_last_epoch_where_colours_come_again(tmp_path: Path) -> None:
    with browser() as driver:
        for passes, told in (
            (7, "epoch1234567"),
            (9, "epoch1234567 … 9, in these colours over again"),
        ):
            path = tmp_path / f"{passes}.html"
            path.write_text(to_html(filling_tape(passes)), encoding="utf-8")
            assert opened(driver, path, list[str]()).inner_text("#epochs") == told


def filling_tape(steps: int) -> Tape:
    """Of a thread that puts two elements into a queue in each step."""
    tape = Tape("x", end="finished")
    for n in range(steps):
        pair = tuple(Element(f"{n} {half}", digest=f"{n} {half}") for half in "ab")
        move = Move("q", False, count=2, elements=pair)
        held = (Level("q", 2 * n, 64),), (Level("q", 2 * n + 2, 64),)
        tape.add(Event(n + 1, "A", "main", "run", "enqueue", "", *held, moves=(move,)))
    return tape


@needs_browser
def test_a_keyboard_stays_at_an_element_while_it_steps(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(to_html(filling_tape(3)), encoding="utf-8")
    with browser() as driver:
        page = opened(driver, path, list[str]())
        page.keyboard.press("End")
        page.locator("#elements button").first.focus()
        page.keyboard.press("ArrowLeft")
        assert "0 a" in page.evaluate("document.activeElement.textContent")
        page.locator("#elements button").last.focus()
        page.keyboard.press("ArrowLeft")  # it is not there yet
        assert page.evaluate("document.activeElement.id") == "elements"
        page.keyboard.press("ArrowRight")
        assert page.inner_text("#place").startswith("2 of 3")


def test_levels_of_a_queue_without_limit_can_be_shown() -> None:
    tape = Tape("x", end="finished")
    event = Event(1, "A", "main", "run", "enqueue", "", (Level("q", 0),), (Level("q", 5),))
    tape.add(event)
    assert counters(json.loads(to_json(tape))["traceEvents"]) == {"q": [5]}
    assert Scripts.of(to_html(tape)) == 2
