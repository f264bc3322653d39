"""A script that is not there, or ends before anything could be chosen: said so, and no success."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from queueio.schedule.child import Order
from queueio.schedule.events import Level
from queueio.schedule.explore import _nothing
from queueio.schedule.findings import RunEnd
from queueio.schedule.search import Search
from queueio.schedule.tape import Tape
from queueio.schedule.whatif.changes import WhatIfError
from queueio.schedule.whatif.seen import check
from tests.processes import environment, python

SCRIPTS = {
    "fails.py": "import tensorflow as tf\nx = tf.constant(1)\nraise SystemExit('usage: DATA')\n",
    "ends.py": "import tensorflow as tf\nx = tf.constant(1)\n",
    "asks.py": "import tensorflow as tf\ncount = int(input())\n",
    "dies.py": """
import threading
import tensorflow as tf
q = tf.FIFOQueue(2, tf.int32)
put, take = q.enqueue(1), q.dequeue()
with tf.Session() as sess:
    threads = [threading.Thread(target=sess.run, args=(put,)) for _ in range(2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    print([][sess.run(take)])
""",
    "alone.py": """
import tensorflow as tf
q = tf.FIFOQueue(2, tf.int32)
put, take = q.enqueue(1), q.dequeue()
with tf.Session() as sess:
    sess.run(put)
    sess.run(take)
""",
}
DRIVER = """
import contextlib, io, json, os, sys
from queueio.schedule.child import Child, Lost, Order, warm
from queueio.schedule.explore import _nothing
from queueio.schedule.search import Sampled, Search

warm()
read, write = os.pipe()
os.write(write, b"3\\n4\\n5\\n")  # the first run would take all of it
os.dup2(read, 0)
told = {}
for name, order in {
    "file": Order("nosuch.py"), "file, free": Order("nosuch.py", free=True),
    "module": Order("nosuch", as_module=True),
    "module, free": Order("nosuch", as_module=True, free=True), "folder": Order("."),
}.items():
    try:
        told[name] = [str(each) for each in Child(order).messages()]
    except Lost as lost:
        told[name] = [str(lost), lost.status]
for script in sys.argv[1:]:
    search = Search(Order(script))
    search.first(3, Sampled(0))
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        told[script] = [search.runs, _nothing(search), out.getvalue()]
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    folder = tmp_path_factory.mktemp("nothing")
    for name, text in SCRIPTS.items():
        (folder / name).write_text(text)
    done = python("-c", DRIVER, *SCRIPTS, cwd=folder, timeout=200)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, list[Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.long
@pytest.mark.parametrize("ends", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_tells_nothing_ends_with_its_command(ends: int, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('begun', flush=True)\nwhile True: pass\n")
    command = [sys.executable, "-m", "queueio", "step", "train.py"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True,
        stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        while process.stdout.readline() != "begun\n":
            assert process.poll() is None
        os.kill(process.pid, ends)
        process.communicate(timeout=20)  # to the end of all that hold its output
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("how", ["", ", free"])
def test_a_script_that_is_not_there_ends_with_pythons_status(
    how: str, told: dict[str, list[Any]]
) -> None:
    text, status = told[f"file{how}"]
    assert text.startswith("can't open file")
    assert status == 2
    assert told[f"module{how}"] == ["No module named nosuch", 1]


def test_a_folder_is_called_one(told: dict[str, list[Any]]) -> None:
    assert told["folder"][0].endswith("it is a folder")


@pytest.mark.parametrize(
    ("script", "end"),
    [
        ("fails.py", "exit status 1 (usage: DATA)"),
        ("ends.py", "came to its end"),
        ("asks.py", "EOFError"),
    ],
)
def test_a_script_that_ends_before_its_first_call_is_not_explored(
    script: str, end: str, told: dict[str, list[Any]]
) -> None:
    runs, status, text = told[script]
    assert (runs, status) == (1, 2)
    assert end in text
    assert "there was nothing to explore" in text


def test_an_end_that_every_schedule_has_is_told_with_nothing_found(
    told: dict[str, list[Any]],
) -> None:
    runs, status, text = told["dies.py"]
    assert (runs, status) == (3, 0)
    assert "Each run ended with IndexError" in text


def test_one_thread_has_one_schedule(told: dict[str, list[Any]]) -> None:
    runs, status, text = told["alone.py"]
    assert (runs, status) == (1, 0)
    assert text.startswith("Nothing was found in one schedule, and there is no other")


@pytest.mark.parametrize(
    ("end", "said"), [("finished", "have no queue"), ("exit status 1", "anything: exit status 1")]
)
def test_what_if_is_not_told_to_record_longer_where_there_is_nothing(end: str, said: str) -> None:
    with pytest.raises(WhatIfError, match=said) as refused:
        check(Tape("train.py", complete=False, end=end))
    assert "--seconds" not in str(refused.value)


def test_what_if_does_not_guess_between_queues_of_one_name() -> None:
    tape = Tape("train.py", complete=False, end="finished")
    for name, apart in (("batch", False), ("batch (session 2)", True)):
        tape.levels[name] = Level(name, 1, 32, apart=apart)
    with pytest.raises(WhatIfError, match=r"a queue of the same name: batch \(session 2\)"):
        check(tape)


def test_what_no_schedule_can_hold_is_told_where_nothing_was_found(capsys: Any) -> None:
    search = Search(Order("train.py"))
    search.runs, search.ends = 20, Counter({"success": 20})
    search.last = RunEnd("finished", "q1::A", ["main"], 9, crews={"batch/fifo_queue": 2})
    assert _nothing(search) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "Nothing was found in 20 schedules."
    assert told[1].startswith("not tried: that the 2 threads of 'batch' overtake one another")
    search.last = RunEnd("finished", "q1::A", ["main"], 9, crews={"batch/fifo_queue": 1})
    assert _nothing(search) == 0
    assert "not tried" not in capsys.readouterr().out
