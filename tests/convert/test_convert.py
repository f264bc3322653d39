"""queueio convert and queueio upgrade, on the scripts of 2016 that the corpus has."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from queueio.compat.caller import MARK, opening, script_of
from queueio.convert.leftovers import without_leftovers
from queueio.convert.new_imports import with_imports
from queueio.convert.other_queues import more_queues
from queueio.convert.scaffold import without_scaffold
from queueio.convert.upgrade import Rewrite, upgraded
from tests.processes import python

SCRIPTS = Path(__file__).resolve().parent.parent / "script" / "scripts"
ROOT = SCRIPTS.parent.parent.parent
Run = Callable[..., subprocess.CompletedProcess[str]]


def queueio(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return python("-m", "queueio", *arguments, cwd=folder, timeout=200, starts=True)


@pytest.mark.long
def test_a_script_is_converted_and_the_changed_script_trains(
    tmp_path: Path, run_python: Run
) -> None:
    script = Path(shutil.copy(SCRIPTS / "train_softmax.py", tmp_path))
    done = queueio(tmp_path, "convert", "train_softmax.py", "--write", "--diff")
    assert done.returncode == 0, done.stderr[-2000:]
    module = (tmp_path / "input_fn.py").read_text()
    assert "tf.data.FixedLengthRecordDataset" in module and "queueio.v1" not in module
    assert "train_softmax.py:4" in done.stdout, "the summary names the old lines"
    assert "compared with shuffle_batch: Identical examples: the same 600" in done.stdout
    assert "+import queueio.v1 as tf" in done.stdout
    assert "Both scripts run: pipeline 1:" in done.stdout
    text = script.read_text()
    assert "start_queue_runners" not in text and "Coordinator" not in text
    assert "while True:" in text and "shuffle_batch(" not in text
    assert '"""A small training job' in text, "comments and docstrings stay"
    ran = run_python(script, cwd=tmp_path, timeout=100)
    assert "Done training, 50 steps" in ran.stdout and "learned: True" in ran.stdout


PLANTED = """
import dataclasses, sys
from queueio.cli import main
from queueio.emit.module import Module

write = Module.write
def planted(self, path):
    assert "/ 255.0" in self.text
    return write(dataclasses.replace(self, text=self.text.replace("/ 255.0", "/ 250.0")), path)
Module.write = planted
main(["convert", "train_softmax.py", "--write"])
"""


@pytest.mark.long
def test_a_script_whose_module_delivers_something_else_is_not_written(
    tmp_path: Path, run_python: Run
) -> None:
    script = Path(shutil.copy(SCRIPTS / "train_softmax.py", tmp_path))
    before = script.read_text()
    done = run_python(PLANTED, cwd=tmp_path, timeout=100)
    assert done.returncode == 1
    assert "input_fn.py compared with shuffle_batch: Different" in done.stderr
    assert "is multiplied by a constant factor" in done.stderr
    assert "train_softmax.py was NOT changed" in done.stderr
    assert script.read_text() == before


@pytest.mark.long
@pytest.mark.parametrize("seed", [None, 3], ids=["unseeded", "seeded"])
def test_random_values_are_said_to_be_drawn_anew_and_compared_by_distribution(
    seed: int | None, tmp_path: Path
) -> None:
    script = Path(shutil.copy(SCRIPTS / "train_softmax.py", tmp_path))
    drawn = f"/ 255.0 + tf.random_uniform([8], 0, 0.1, seed={seed})\n"
    text = script.read_text().replace("/ 255.0\n", drawn)
    assert "random_uniform" in text
    script.write_text(text)
    done = queueio(tmp_path, "convert", "train_softmax.py", "--write")
    assert done.returncode == 0, done.stderr[-2000:]
    # One thread's draws, if seeded, may come again in the old script's second run.
    said = r"component 0: drawn anew in each run( of the new side)?, each from distributions that"
    assert re.search(f"but for {said} agree", done.stdout)
    assert "start_queue_runners" not in script.read_text()


RACING = """
import tensorflow as tf

number = tf.train.range_input_producer(40, num_epochs=1).dequeue()
batch = tf.train.batch_join([[number, tf.square(number)], [number, tf.negative(number)]], 8)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while not coord.should_stop():
            print(sess.run(batch)[0])
    except tf.errors.OutOfRangeError:
        coord.request_stop()
    coord.join(threads)
"""


@pytest.mark.long
def test_producers_that_race_are_said_to_be_beyond_comparison(tmp_path: Path) -> None:
    (tmp_path / "racing.py").write_text(RACING)
    done = queueio(tmp_path, "convert", "racing.py", "--write")
    assert done.returncode == 0, done.stderr[-2000:]
    said = "Their values could NOT be compared, because the pipeline has producers that race"
    assert said in done.stdout


@pytest.mark.long
def test_an_epoch_too_large_to_compare_is_said_not_to_be_compared(tmp_path: Path) -> None:
    shutil.copy(SCRIPTS / "train_softmax.py", tmp_path)
    done = queueio(tmp_path, "convert", "train_softmax.py", "--write", "--examples", "50")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "was NOT compared" in done.stdout and "more than 50 examples" in done.stdout


@pytest.mark.long
def test_without_write_the_script_is_left_as_it_is(tmp_path: Path) -> None:
    script = Path(shutil.copy(SCRIPTS / "no_coordinator.py", tmp_path))
    before = script.read_text()
    done = queueio(tmp_path, "convert", "no_coordinator.py", "--out", "pipe.py", "--diff")
    assert done.returncode == 0, done.stderr[-2000:]
    assert script.read_text() == before and (tmp_path / "pipe.py").exists()
    assert "left line" in done.stdout and "`key.eval()` may still read of it" in done.stdout
    new = done.stdout.partition("--- /dev/null\n+++ pipe.py\n@@")[2].splitlines()[1:]
    written = (tmp_path / "pipe.py").read_text().splitlines()
    assert new[: len(written)] == [f"+{line}" for line in written], "the whole module is shown"
    again = queueio(tmp_path, "convert", "no_coordinator.py", "--out", "pipe.py", "--diff")
    assert again.returncode == 0 and "pipe.py\n@@" not in again.stdout, "it is what is there"


@pytest.mark.parametrize(
    ("options", "written"),
    [(["--diff"], []), (["--diff", "--out", "pipe.py"], ["pipe.py"]), ([], ["input_fn.py"])],
)
def test_changes_that_are_shown_are_left_to_patch_unless_a_file_is_asked_for(
    options: list[str], written: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from types import SimpleNamespace
    from typing import Any

    from click.testing import CliRunner

    from queueio.cli import main
    from queueio.emit.module import Module

    elsewhere = SimpleNamespace(filename=str(tmp_path / "other.py"), lineno=3)
    module = Module("def input_fn(): pass\n", {})
    found: Any = SimpleNamespace(
        name="batch", origin=elsewhere, given=None, plan=None, module=module, refusal=""
    )
    monkeypatch.setattr("queueio.convert.command._found", lambda *args, **how: [found])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "script.py").write_text("import other\n")
    done = CliRunner().invoke(main, ["convert", "script.py", *options])
    shown = f"--- /dev/null\n+++ {(written or ['input_fn.py'])[0]}\n@@ -0,0 +1 @@\n+def input_fn"
    assert (shown in done.output) == ("--diff" in options), done.output
    assert sorted(p.name for p in tmp_path.iterdir()) == [*written, "script.py"]


def test_what_cannot_be_written_is_told_with_op_and_line(tmp_path: Path) -> None:
    shutil.copy(SCRIPTS / "feeder_threads.py", tmp_path)
    done = queueio(tmp_path, "convert", "feeder_threads.py")
    assert done.returncode == 1
    assert "not written" in done.stdout and "feeder_threads.py:" in done.stdout
    assert not (tmp_path / "input_fn.py").exists()


def test_a_script_that_fails_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import tensorflow as tf\nraise ValueError('no data')\n")
    done = queueio(tmp_path, "convert", "bad.py")
    assert done.returncode == 2 and "no data" in done.stderr


def test_upgrade_changes_the_import_and_old_names_only() -> None:
    old = "# keep me\nimport tensorflow as tf  # TF 1\n\nx = tf.mul(a, tf.pack([1]))  # ok\n"
    new = upgraded(old)
    assert new.text == (
        "# keep me\nimport queueio.v1 as tf  # TF 1\n\nx = tf.multiply(a, tf.stack([1]))  # ok\n"
    )
    assert [change.split(":")[0] for change in new.changes] == ["line 2", "line 4", "line 4"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tf.concat(0, [a, b])", "tf.concat([a, b], 0)"),
        ("tf.concat(-1, [a, b], name='c')", "tf.concat([a, b], -1, name='c')"),
        ("tf.concat(concat_dim=1, values=v)", "tf.concat(axis=1, values=v)"),
        ("tf.split(1, 3, tf.concat(0, v))", "tf.split(tf.concat(v, 0), 3, 1)"),
        ("tf.split(value=x, num_split=2, split_dim=0)",
         "tf.split(value=x, num_or_size_splits=2, axis=0)"),
        ("tf.nn.softmax_cross_entropy_with_logits(f(x), y)",
         "tf.nn.softmax_cross_entropy_with_logits(logits=f(x), labels=y)"),
        ("tf.batch_matmul(a, b, adj_x=True)", "tf.matmul(a, b, adjoint_a=True)"),
        ("tf.batch_matmul(a, b, True)", "tf.matmul(a, b, adjoint_a=True)"),
        # TF 1.0's already, or nobody can tell.
        ("tf.concat([a, b], 0)", "tf.concat([a, b], 0)"),
        ("tf.concat(axis, v)", "tf.concat(axis, v)"),
        ("tf.split(x, 3, 1)", "tf.split(x, 3, 1)"),
        ("tf.concat(*args)", "tf.concat(*args)"),
        ("mine.concat(0, v)", "mine.concat(0, v)"),
    ],
)  # fmt: skip
def test_upgrade_writes_calls_of_tf_0_in_the_order_of_1_0(old: str, new: str) -> None:
    done = upgraded(f"import tensorflow as tf\n{old}\n")
    assert done.text == f"import queueio.v1 as tf\n{new}\n"
    assert (len(done.changes) > 1) is (old != new)


def test_upgrade_says_which_imports_it_left() -> None:
    new = upgraded("from tensorflow.contrib import slim\nimport tensorflow.compat.v1\n")
    assert new.text.startswith("from tensorflow.contrib import slim\n") and not new.changes
    assert [left.split(":")[0] for left in new.left] == ["line 1", "line 2"]


SCAFFOLD = """
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess=sess, coord=coord)
try:
    while not coord.should_stop():
        step()
except tf.errors.OutOfRangeError:
    print("done")
finally:
    coord.request_stop()
coord.join(threads)
"""


def test_a_coordinator_of_the_queues_alone_goes() -> None:
    text = without_scaffold(Rewrite(SCAFFOLD)).text
    assert "coord" not in text and "threads" not in text and "finally" not in text
    assert "while True:\n        step()" in text and "except tf.errors.OutOfRangeError" in text


@pytest.mark.parametrize(
    "more", ["log(coord)\n", "coord.register_thread(mine)\n", "print(len(threads))\n"]
)
def test_a_coordinator_that_serves_something_else_stays(more: str) -> None:
    rewrite = without_scaffold(Rewrite(SCAFFOLD + more))
    assert rewrite.text == SCAFFOLD + more
    assert rewrite.left and all(left.startswith("line 12") for left in rewrite.left)


def test_threads_that_are_counted_are_said_to_be_fewer() -> None:
    left = without_scaffold(Rewrite(SCAFFOLD + "print(len(threads))\n")).left
    assert any("line 12 of the new script: 'threads'" in each for each in left)
    assert any("no longer in it, so its length is another one" in each for each in left)
    left = without_scaffold(Rewrite(SCAFFOLD + "log(coord)\n")).left
    assert left and not any("length" in each for each in left)


BUCKETS = """
import tensorflow as tf
number = tf.train.range_input_producer(40, num_epochs=1).dequeue()
length, (x,) = tf.contrib.training.bucket_by_sequence_length(number, [number], 4, [20])
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    tf.train.start_queue_runners(sess)
    print(sess.run(x))
"""


def test_the_last_line_says_why_the_pipelines_own_call_stays_and_not_what_else_is_left(
    tmp_path: Path,
) -> None:
    (tmp_path / "train.py").write_text(BUCKETS)
    done = queueio(tmp_path, "convert", "train.py", "--write")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("train.py was NOT changed: line 4: bucket_by_sequence_length")
    assert "not made by a call of a batch function" in last and "contrib" not in last


STAYS = {
    "a stop that ends a loop": ("        step()\n", "        step() or coord.request_stop()\n"),
    "a stop on a line of a loop": (
        "step()\n", "step()\n        if last():\n            coord.request_stop()\n"),
    "a stop in a function": ("\ntry:", "\ndef end():\n    coord.request_stop()\ntry:"),
    "a loop in another function": (
        "\ntry:", "\ndef work():\n    while not coord.should_stop():\n        step()\ntry:"),
    "a join of other threads": ("join(threads)", "join(workers)"),
    "a clause of one line": ("finally:\n    coord.request_stop()\n",
                             "finally: coord.request_stop()\n"),
    "half of a test": ("while not coord.should_stop():", "while on and not coord.should_stop():"),
    "a test that is none of a loop": ("        step()\n",
                                      "        if coord.should_stop(): break\n        step()\n"),
    "an attribute": ("coord = tf", "self.coord = tf"),
    "threads in an attribute": ("threads", "self.threads"),
    "a choice": ("coord = tf.train.Coordinator()", "coord = tf.train.Coordinator() if a else b"),
    "a condition of one line": ("threads = ", "if a: threads = "),
    "a coordinator of the script's own": ("tf.train.Coordinator()", "Coord()"),
}  # fmt: skip


@pytest.mark.parametrize("name", STAYS)
def test_all_of_a_coordinator_stays_where_it_may_do_more(name: str) -> None:
    """Else a loop that it ends goes on, or a name is missing, and 20 steps do not show it."""
    text = SCAFFOLD.replace(*STAYS[name])
    assert text != SCAFFOLD
    rewrite = without_scaffold(Rewrite(text))
    assert rewrite.text == text and rewrite.left and not rewrite.changes


def test_only_calls_that_make_tensors_of_the_pipeline_are_taken_out() -> None:
    head = "import queueio.v1 as tf\nreader = tf.TextLineReader()\nfile = open(name)\n"
    made = "rows = tf.stack([a, b])\n_, line = reader.read(queue)\n"
    kept = ("magic = file.read(4)\nkept = mine(a)\nused = tf.cast(a, tf.int32)\nprint(used)\n"
            "both = seen.add(a)\n")  # fmt: skip
    names = frozenset({"stack", "cast", "read", "add"})
    before = head + made + kept + "run(tf.train.batch([rows, line, magic, kept, both], 2))\n"
    after = Rewrite(head + made + kept + "run(m.input_fn())\n")
    assert without_leftovers(after, before, names).text == head + kept + "run(m.input_fn())\n"


def test_what_fed_the_queues_goes_in_each_function_that_made_some() -> None:
    read = "    value = tf.read()\n    x = tf.cast(value)\n"
    made = "def {}():\n{}    return {}\n\n".format
    before, after = "import tensorflow as tf\n", "import tensorflow as tf\n"
    for name in ("one", "two", "three"):
        before += made(name, read, "tf.train.batch([x], 4)")
        after += made(name, read, "m.input_fn()")
    left = without_leftovers(Rewrite(after), before, frozenset({"read", "cast"})).text
    assert left == after.replace(read, "")


ELSEWHERE = {
    "a parameter": "def model(line):\n    return line * 2\n",
    "a variable of a function": "def model():\n    line = 3\n    return line\n",
    "a lambda's parameter": "model = lambda line: line\n",
    "an attribute": "print(args.line)\n",
    "the name of an argument": "model(line=3)\n",
}
READ = {
    "a function": "def model():\n    return line * 2\n",
    "a function in one that has its own": (
        "def model():\n    def of(line):\n        pass\n    return line\n"),
    "the default of a parameter": "def model(line=line):\n    return line\n",
    "a lambda's default": "model = lambda line=line: line\n",
    "a decorator": "@line\ndef model(line):\n    return line\n",
    "another function's global": "def model():\n    global line\n    line = line + 1\n",
    "one of two functions of a name": (
        "def model(line):\n    return line\ndef model():\n    return line\n"),
    "a comprehension": "print([line for _ in x])\n",
}  # fmt: skip


@pytest.mark.parametrize("other", [*ELSEWHERE, *READ])
def test_what_fed_the_queues_stays_only_where_its_own_name_is_read(other: str) -> None:
    head = "import queueio.v1 as tf\n"
    made = "line = tf.train.read(q)\n"
    rest = {**ELSEWHERE, **READ}[other]
    before = head + made + "run(tf.train.batch([line], 2))\n" + rest
    changed = Rewrite(head + made + "run(m.input_fn())\n" + rest)
    text = without_leftovers(changed, before, frozenset({"read"})).text
    kept = made if other in READ else ""
    assert text == head + kept + "run(m.input_fn())\n" + rest


def test_what_only_a_parameter_of_that_name_was_read_for_stays() -> None:
    head = "import queueio.v1 as tf\nline = tf.train.read(q)\n"
    batched = "def make(line):\n    return {}\n"
    before = head + batched.format("tf.train.batch([line], 2)")
    after = head + batched.format("m.input_fn()")
    assert without_leftovers(Rewrite(after), before, frozenset({"read"})).text == after


def _with_module_for(call: str, behind: str = "") -> Rewrite:
    """A script of one batch call, which a module `m` takes the place of."""
    from types import SimpleNamespace
    from typing import Any

    from queueio.convert.patch import Replacement, patched

    found: Any = SimpleNamespace(name="batch", module="", given=None)
    text = f"import tensorflow as tf\nb = {call}\n{behind}"
    return patched(text, [Replacement(2, "m", found)], all_found=True)


def test_a_size_that_is_named_in_the_call_is_named_in_the_new_one() -> None:
    new = _with_module_for("tf.train.batch([x], n := 4)", "print(n)\n")
    assert "m.input_fn(batch_size=(n := 4))" in new.text and not new.left


def test_what_own_functions_among_the_arguments_do_besides_is_said_to_be_done_no_more() -> None:
    own = "from other import distort\ndef size():\n    return 4\ndef read(q):\n    return [q]\n"
    call = "tf.train.batch([read(distort(x)), self.read(y), tf.cast(z, tf.int32)], size())"
    new = _with_module_for(call, own)
    told = [each.split("`")[1] for each in new.changes if "not called there any more" in each]
    assert told == ["read(distort(x))", "self.read(y)"]
    assert "input_fn(batch_size=size())" in new.text


@pytest.mark.parametrize("given", ["[(y := x)], 4", "[x, (yield)], 4", "y := [x], n := 4"])
def test_a_call_that_gives_a_name_its_value_stays_and_why_is_said(given: str) -> None:
    new = _with_module_for(f"tf.train.batch({given})", "print(y)\n")
    assert f"tf.train.batch({given})" in new.text
    (left,) = new.left
    assert "within the call does more than give it a value" in left


LAID_OUT = {
    "(tf.train\n    .batch([x], 4))": "tf",
    "(tf.train).batch([x], 4)": "tf",
    "(tf  # the old one\n .train.batch([x], 4))": "tf",
    "self.tf.train.batch([x], 4)": "self.tf",
}


@pytest.mark.parametrize("call", LAID_OUT)
def test_a_batch_call_is_known_however_its_line_is_laid_out(call: str) -> None:
    new = _with_module_for(call)
    made = f"{LAID_OUT[call]}.data.make_one_shot_iterator(m.input_fn())"
    assert not new.left and made in new.text
    compile(new.text, "new.py", "exec")


NAMED = """import queueio.v1 as tf
scale = tf.constant(2)
record = tf.cast(read(), tf.int64)
label = tf.cast(record, tf.int32)
{batch}
class Model:
    def build(self):
        label = tf.cast(self.logits, tf.int64, name="label")
        flat = tf.reshape(self.logits, [-1], name="flat")
logits = tf.reshape(labels, [-1])
label = tf.cast(logits, tf.int32, name="answer")
"""


def test_what_no_line_read_before_stays_as_others_may_ask_for_it() -> None:
    """Another module reads `scale`; the saved graph is asked for `label`, `flat` and `answer`."""
    before = NAMED.format(batch="labels = tf.train.batch([label], 2)")
    after = NAMED.format(batch="labels = m.input_fn()")
    made = "label = tf.cast(record, tf.int32)\n"
    kept = without_leftovers(Rewrite(after), before, frozenset({"cast", "reshape", "constant"}))
    assert kept.text == after.replace(made, "")
    assert kept.changes == [f"removed: {made.strip()}"]


SHARED = {
    "a.set_shape([2]); b.set_shape([3])\n": "b.set_shape([3])\n",
    "b.set_shape([3]); a.set_shape([2])  # both\n": "b.set_shape([3])  # both\n",
    "if big: a.set_shape([2])\n": "if big: pass\n",
    "if big: a.set_shape([2]); b.set_shape([3])\n": "if big: b.set_shape([3])\n",
    "if big:\n    a.set_shape([2])\n": "if big:\n    pass\n",
    "c = tf.cast(a, tf.int32); d = 1; e = tf.cast(c, tf.int32)\n": "d = 1\n",
}


@pytest.mark.parametrize("line", SHARED)
def test_of_statements_on_one_line_those_of_the_pipeline_alone_go(line: str) -> None:
    head, made = "import queueio.v1 as tf\n", "a = tf.cast(x, tf.int32)\n"
    before = head + made + line + "run(b, tf.train.batch([a, c, e], 2))\n"
    after = Rewrite(head + made + line + "run(b)\n")
    rewrite = without_leftovers(after, before, frozenset({"cast"}))
    assert rewrite.text == head + SHARED[line] + "run(b)\n"
    assert not any(";" in change for change in rewrite.changes)


@pytest.mark.parametrize("command", ["upgrade", "convert --diff"])
def test_without_libcst_the_command_says_what_to_install(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from click.testing import CliRunner

    from queueio.cli import main

    script = tmp_path / "train.py"
    script.write_text("import tensorflow as tf\n")
    monkeypatch.setitem(sys.modules, "libcst", None)
    done = CliRunner().invoke(main, [*command.split(), str(script)])
    assert done.exit_code == 1
    assert "needs libcst" in done.output and "tf-queueio[convert]" in done.output
    assert script.read_text() == "import tensorflow as tf\n"


LARGE = """import numpy as np, tensorflow as tf
number = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([tf.gather(np.arange(50), number)], 2)
tf.Session().run(batch)
"""


@pytest.mark.long
def test_constants_are_not_written_over_a_file_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(LARGE)
    (tmp_path / "feed.npz").write_bytes(b"my data")
    done = queueio(tmp_path, "convert", "script.py", "--out", "feed.py")
    assert done.returncode == 2, done.stderr
    assert "feed.npz, where its large constants go, is another file" in done.stderr
    assert (tmp_path / "feed.npz").read_bytes() == b"my data"
    assert not (tmp_path / "feed.py").exists()

    for _ in range(2):  # what it wrote itself is written anew
        done = queueio(tmp_path, "convert", "script.py", "--out", "mine.py")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "mine.npz").exists()


REFUSALS = {
    "a missing script": (["nosuch.py"], "no such file. Give the path of a TF1 training script"),
    "a folder": (["."], "is a folder. Give the path of the script in it"),
    "no text": (["bytes.py"], "no Python script: byte 1 is not UTF-8"),
    "no folder": (["script.py", "--out", "no/x.py"], "there is no folder"),
    "the script itself": (["script.py", "--out", "script.py"], "is the script itself"),
    "another file": (["script.py", "--out", "mine.py"], "was not written by queueio convert"),
    "TensorFlow": (["script.py", "--out", "tensorflow.py"],
                   "tensorflow.py would be imported in place of the module 'tensorflow'"),
    "a module of Python's": (["script.py", "--diff", "--out", "json.py"], "of the module 'json'"),
    "an installed one": (["script.py", "--write", "--out", "click.py"], "of the module 'click'"),
    "what it imports": (["script.py", "--out", "tools.py"], "of the module 'tools'"),
    "no name": (["script.py", "--diff", "--out", "my-in.py"], "Use my_in.py"),
    "a word of Python's": (["script.py", "--write", "--out", "class.py"], "Use _class.py"),
    "no ending": (["script.py", "--write", "--out", "feed"], "Use feed.py"),
    "another ending": (["script.py", "--write", "--out", "feed.txt"], "Use feed.py"),
    "another file, and nobody asked": (["script.py"], "another name, by --out, or remove it"),
    "no step": (["script.py", "--write", "--steps", "0"], "0 is not in the range"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS)
def test_what_would_not_do_is_refused_before_the_script_runs(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from click.testing import CliRunner

    from queueio.cli import main

    script = "from tools.io import a\nopen('ran', 'w')\n"
    texts = {"script.py": script, "mine.py": "x = 1\n", "input_fn.py": "x = 1\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "bytes.py").write_bytes(b"#\xff\n")
    monkeypatch.chdir(tmp_path)
    arguments, said = REFUSALS[case]
    done = CliRunner().invoke(main, ["convert", *arguments])
    assert done.exit_code == 2 and said in done.output, done.output
    assert ("--out" in arguments) >= ("convert: --out" in done.output), done.output
    assert {p.name for p in tmp_path.iterdir()} == {*texts, "bytes.py"}
    assert {name: (tmp_path / name).read_text() for name in texts} == texts


AGAIN = {
    "nothing": ("", "input_fn.py is what train.py reads since it was converted; no call in it makes"
                " batches by queues any more, so there is nothing to do.", 1),
    "a call": ("tf.train.batch([x], 4)\n", "For what is left of its queues (line 4: `tf.train.batch"
               "([x], 4)`) give another name, by --out.", 2),
    "a module of its package": (
        "from jobs.more import inputs\n", "(more.py, line 1: `tf.train.batch([x], 4)`)", 2),
}  # fmt: skip


@pytest.mark.parametrize("left", AGAIN)
def test_a_converted_script_is_said_to_have_nothing_left_or_what_is_left(
    left: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from click.testing import CliRunner

    from queueio.cli import main

    code, said, status = AGAIN[left]
    texts = {"__init__.py": "", "more.py": "inputs = lambda x: tf.train.batch([x], 4)\n",
             "train.py": f"import tensorflow as tf\nfrom . import input_fn\nopen('ran', 'w')\n"
                         f"{code}",
             "input_fn.py": f"{opening('train.py')}\n\n{MARK} 0.1.0.\n"}  # fmt: skip
    (tmp_path / "jobs").mkdir()
    for name, text in texts.items():
        (tmp_path / "jobs" / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["convert", "--write", "-m", "jobs.train"])
    assert said in done.output and done.exit_code == status, done.output
    assert not (tmp_path / "ran").exists()


def test_a_script_that_is_nested_too_deeply_to_be_parsed_is_told_in_one_line(
    tmp_path: Path,
) -> None:
    (tmp_path / "deep.py").write_text(f"x = {'+'.join(['[]'] * 50_000)}\n")
    done = queueio(tmp_path, "convert", "deep.py", "--write")
    assert done.returncode == 2 and "deep.py ended with exit status 1" in done.stderr
    assert "queueio/convert" not in done.stderr, done.stderr[-2000:]


def test_the_help_says_what_an_epoch_too_large_to_compare_means() -> None:
    from click.testing import CliRunner

    from queueio.cli import main

    said = " ".join(CliRunner().invoke(main, ["convert", "--help"]).output.split())
    assert "A larger one is said not to be compared; then the session calls alone decide" in said
    assert "once it gets the same examples" not in said


_TAKES_IN_A_LOOP = """
import tensorflow as tf
numbers = tf.train.range_input_producer(9, num_epochs=1)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    tf.train.start_queue_runners(sess)
    for _ in range(2):
        print(sess.run(numbers.dequeue()))
"""


@pytest.mark.long
def test_a_module_of_ours_is_written_again_and_no_pipeline_is_told(tmp_path: Path) -> None:
    (tmp_path / "none.py").write_text("import tensorflow as tf\ntf.Session().run(tf.no_op())\n")
    done = queueio(tmp_path, "convert", "none.py")
    assert done.returncode == 1 and "no queue pipeline was found in none.py, so" in done.stderr
    assert "no queue among the 1 op that it had built until its end" in done.stderr
    (tmp_path / "loop.py").write_text(_TAKES_IN_A_LOOP)
    done = queueio(tmp_path, "convert", "loop.py")
    assert done.returncode == 1 and "An op that is made after that is not seen" in done.stderr
    assert "its queues (input_producer) in what it built until sess.run at loop.py:5" in done.stderr
    shutil.copy(SCRIPTS / "no_coordinator.py", tmp_path)
    for _ in range(2):
        done = queueio(tmp_path, "convert", "no_coordinator.py")
        assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize(
    "name", ["train.py", 'a """b".py', "back\\slash.py", "\\u.py", "new\nline.py", "ümlaut 中.py"]
)
def test_the_module_of_a_script_is_python_whatever_the_script_is_called(
    name: str, tmp_path: Path
) -> None:
    from queueio import lift, train

    plan = lift(lambda: train.batch([train.range_input_producer(3).dequeue()], 2))
    module = tmp_path / "input_fn.py"
    module.write_text(str(plan.to_source(title=name)), encoding="utf-8")
    told = ast.get_docstring(ast.parse(module.read_bytes()), clean=False)
    assert told is not None and told.startswith(f"The input pipeline of {name} in tf.data")
    assert script_of(str(module)) == name


def test_upgrade_leaves_python_2_and_names_the_line(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from queueio.cli import main

    script = tmp_path / "old.py"
    script.write_text('import tensorflow as tf\nprint "hello"\n')
    done = CliRunner().invoke(main, ["upgrade", str(script)])
    assert done.exit_code == 1 and 'Python 2 (old.py:2: print "hello")' in done.output
    assert "2to3 -w" in done.output
    assert script.read_text().endswith('print "hello"\n')


def test_convert_says_of_python_2_what_upgrade_says_and_runs_nothing(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from queueio.cli import main

    script = tmp_path / "old.py"
    script.write_text('import tensorflow as tf\nprint "hello"\n')
    for options in ([], ["--write"], ["--diff"]):
        done = CliRunner().invoke(main, ["convert", *options, str(script)])
        assert done.exit_code == 1 and 'Python 2 (old.py:2: print "hello")' in done.output
        assert "2to3 -w" in done.output and "queueio run" not in done.output


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"x = 1\ndef f(:\n    pass\n", "line 2 does not parse: invalid syntax"),
        (b"x = 1\ny = '\0'\n", "line 2 holds a NUL byte"),
        ("x = 1\n".encode("utf-16"), "it is UTF-16"),
    ],
)
def test_upgrade_says_what_is_wrong_with_a_script_and_sends_none_of_python_3_to_2to3(
    tmp_path: Path, content: bytes, said: str
) -> None:
    from click.testing import CliRunner

    from queueio.cli import main

    script = tmp_path / "old.py"
    script.write_bytes(content)
    done = CliRunner().invoke(main, ["upgrade", str(script)])
    assert done.exit_code in (1, 2) and said in done.output and "2to3" not in done.output
    assert script.read_bytes() == content


DICT = """
import tensorflow as tf

number = tf.train.range_input_producer(40, num_epochs=1, shuffle=False).dequeue()
example = {"square": tf.square(number), "a_text": tf.as_string(number)}
batch = tf.train.batch(example, 8)
total = tf.reduce_sum(batch["square"])
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    threads = tf.train.start_queue_runners(sess)
    try:
        while True:
            print(sess.run([total, batch["a_text"]]))
    except tf.errors.OutOfRangeError:
        print("the end")
"""


@pytest.mark.long
def test_a_batched_dict_stays_a_dict(tmp_path: Path) -> None:
    (tmp_path / "keyed.py").write_text(DICT)
    done = queueio(tmp_path, "convert", "keyed.py", "--write")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Identical stream: 40 examples in 5 batches" in done.stdout
    assert "keyed.py is changed" in done.stdout
    module = (tmp_path / "input_fn.py").read_text()
    assert "A dataset of a_text: string (8,), square: int32 (8,)." in module


BARE = {
    "import tensorflow\nx = tensorflow.mul(1, 2)\n": (
        "import queueio.v1 as tensorflow\nx = tensorflow.multiply(1, 2)\n"),
    "import os, tensorflow  # both\n": "import os, queueio.v1 as tensorflow  # both\n",
    "import tensorflow\nimport tensorflow.contrib.slim\n": "",
    "import tensorflow.compat.v1\n": "",
    "import tensorflow\nimport tensorflow.contrib.slim as slim\n": (
        "import queueio.v1 as tensorflow\nimport tensorflow.contrib.slim as slim\n"),
}  # fmt: skip


@pytest.mark.parametrize("text", BARE)
def test_an_import_without_a_short_name_is_changed_where_nothing_else_needs_its_name(
    text: str,
) -> None:
    new = upgraded(text)
    assert new.text == (BARE[text] or text)
    assert sum("binds no short name" in left for left in new.left) == (not BARE[text])


OLD_IMPORTS = """import tensorflow as tf
import tensorflow.contrib.slim as slim
import tensorflow.python.framework.ops as ops
from tensorflow.contrib.layers import l2_regularizer, flatten
writer = tf.train.SummaryWriter("logs")
loss = tf.contrib.layers.l2_regularizer(0.1)
"""


def test_upgrade_tells_of_each_import_and_contrib_name_only_what_is_so() -> None:
    new = upgraded(OLD_IMPORTS)
    assert 'writer = tf.summary.FileWriter("logs")' in new.text
    told = dict(left.split(": ", 1) for left in new.left)
    assert "binds no short name" not in str(told)
    assert "slim as slim" in told["line 2"] and "tf_slim" in told["line 2"]
    assert "is not rewritten" in told["line 3"]
    assert "import flatten" in told["line 4"] and "tf.layers.flatten" in told["line 4"]
    assert "tf.contrib.layers.l2_regularizer" in told["line 6"]
    imported = [line for line, said in told.items() if "`queueio run` redirects" in said]
    assert {"line 2", "line 4"} <= {*imported} and "line 6" not in imported, told


@pytest.mark.parametrize(
    "call",
    ["batch([x], size)", "maybe_batch([x], keep, size)", "shuffle_batch([x], size, 30, 9)",
     "maybe_shuffle_batch([x], size, 30, 9, keep)", "maybe_batch([x], keep, batch_size=size)"],
)  # fmt: skip
def test_the_batch_size_is_taken_from_its_own_place_in_each_batch_function(call: str) -> None:
    from types import SimpleNamespace
    from typing import Any

    from queueio.convert.patch import Replacement, patched

    found: Any = SimpleNamespace(name="batch", module="", given=None)
    text = f"import tensorflow as tf\nbatch = tf.train.{call}\n"
    new = patched(text, [Replacement(2, "input_fn", found)], all_found=True)
    assert "input_fn.input_fn(batch_size=size)" in new.text


@pytest.mark.parametrize(
    ("line", "new"),
    [("batch = tf.train.batch([x, y], 2)", "batch = [*{}]"),
     ("a, b = tf.train.batch([x, y], 2)", "a, b = {}"),
     ("(a, b) = [c, d] = tf.train.batch([x, y], 2)", "(a, b) = [c, d] = [*{}]"),
     ("batch = a, b = tf.train.batch([x, y], 2)", "batch = a, b = [*{}]"),
     ("print(tf.train.batch([x, y], 2) + [z])", "print([*{}] + [z])")],
)  # fmt: skip
def test_a_script_that_had_a_list_of_its_call_still_has_one(line: str, new: str) -> None:
    # In TF 1.15.5 a batch of more than one tensor is a list, which lists can be added to.
    from types import SimpleNamespace
    from typing import Any

    from queueio.convert.patch import Replacement, patched

    found: Any = SimpleNamespace(name="batch", module="", given=["the first", "the second"])
    text = f"import tensorflow as tf\n{line}\n"
    written = patched(text, [Replacement(2, "input_fn", found)], all_found=True).text
    iterator = "tf.data.make_one_shot_iterator(input_fn.input_fn()).get_next()"
    assert written.splitlines()[-1] == new.format(iterator)


@pytest.mark.parametrize(
    "given",
    [
        ("from tensorflow import train", "train.batch"),
        ("from tensorflow.train import batch", "batch"),
    ],
)
def test_a_call_through_a_part_of_tensorflow_stays_and_why_is_said(given: tuple[str, str]) -> None:
    from types import SimpleNamespace
    from typing import Any

    from queueio.convert.patch import Replacement, patched

    found: Any = SimpleNamespace(name="batch", module="", given=None)
    line, call = given
    text = f"{line}\nbatch = {call}([x], 2)\n"
    new = patched(text, [Replacement(2, "input_fn", found)], all_found=True)
    assert new.text == text
    assert f"`{call}` does not name TensorFlow" in new.left[0]


def test_each_comment_that_goes_with_what_is_taken_out_is_told() -> None:
    from types import SimpleNamespace
    from typing import Any

    from queueio.convert.patch import Replacement, patched

    found: Any = SimpleNamespace(name="batch", module="", given=None)
    text = """import tensorflow as tf  # of 2016
# TODO: the second file
q = tf.train.string_input_producer(["a"])  # see issue 12
batch = tf.train.batch(
    [q.dequeue()],  # twice
    # twice
    2)  # stays
print("# no comment")  # twice
"""
    new = patched(text, [Replacement(4, "input_fn", found)], all_found=True)
    told = [each for each in new.changes if "comment" in each]
    assert [each.rpartition(": ")[2] for each in told if "twice" not in each] == [
        "the second file", "# see issue 12"
    ]  # fmt: skip
    assert "removed: the comment of line 2: # TODO: the second file" in told
    assert sum("# twice" in each for each in told) == 2, "the third of its kind is still there"
    for kept in ("# of 2016", "# stays", '"# no comment")  # twice'):
        assert kept in new.text


@pytest.mark.parametrize("given", [None, {"x": None, "y": None}], ids=["one tensor", "a dict"])
def test_a_batch_that_was_no_list_is_put_into_none(given: object) -> None:
    from types import SimpleNamespace
    from typing import Any

    from queueio.convert.patch import Replacement, patched

    found: Any = SimpleNamespace(name="batch", module="", given=given)
    text = "import tensorflow as tf\nbatch = tf.train.batch(tensors, 2)\n"
    written = patched(text, [Replacement(2, "input_fn", found)], all_found=True).text
    assert "batch = tf.data.make_one_shot_iterator(input_fn.input_fn()).get_next()" in written


IMPORTS = {
    "import tensorflow as tf\n": "import tensorflow as tf\nimport m\n",
    "import os; import tensorflow as tf\n": "import os; import tensorflow as tf\nimport m\n",
    "import numpy as np, tensorflow as tf, os\n":
        "import numpy as np, tensorflow as tf, os\nimport m\n",
    "import tensorflow": "import tensorflow\nimport m\n",
    "import os\nfrom tensorflow import (\n    train)\nx = 1\n":
        "import os\nfrom tensorflow import (\n    train)\nimport m\nx = 1\n",
    "if True:\n    import queueio.v1 as tf\n    x = 1\n":
        "if True:\n    import queueio.v1 as tf\n    import m\n    x = 1\n",
    "import tensorflow as tf; x = tf.a(); y = 1\n":
        "import tensorflow as tf; import m; x = tf.a(); y = 1\n",
    "try: import tensorflow as tf  # é\nexcept ImportError: raise\n":
        "try: import tensorflow as tf; import m  # é\nexcept ImportError: raise\n",
    "try:\n import tensorflow.compat.v1 as tf\nexcept ImportError:\n import tensorflow as tf\nm\n":
        "try:\n import tensorflow.compat.v1 as tf\nexcept ImportError:\n import tensorflow as tf\n"
        "import m\nm\n",
    "try: import tensorflow.compat.v1 as tf\nexcept ImportError: import tensorflow as tf\nm()\n":
        "try: import tensorflow.compat.v1 as tf\nexcept ImportError: import tensorflow as tf\n"
        "import m\nm()\n",
    "def f():\n  if x:\n    import queueio.v1 as tf\n  else:\n    import tensorflow as tf\n  m()\n":
        "def f():\n  if x:\n    import queueio.v1 as tf\n  else:\n    import tensorflow as tf\n"
        "  import m\n  m()\n",
    "try:\n import tensorflow as tf\n import tensorflow.contrib.slim\nexcept ImportError: raise\n":
        "try:\n import tensorflow as tf\n import m\n import tensorflow.contrib.slim\n"
        "except ImportError: raise\n",
    "def f():\n  import tensorflow as tf\ndef g():\n  import tensorflow as tf\n  m()\n":
        "def f():\n  import tensorflow as tf\ndef g():\n  import tensorflow as tf\n  import m\n"
        "  m()\n",
    "def f():\n  import tensorflow\n  m()\ndef g():\n  import tensorflow\n  m()\n":
        "def f():\n  import tensorflow\n  import m\n  m()\n"
        "def g():\n  import tensorflow\n  import m\n  m()\n",
    "import queueio.v1 as tf\r\nx = 1\r\n": "import queueio.v1 as tf\r\nimport m\r\nx = 1\r\n",
    "'''a\u2028\f\nb'''\n\f\nimport tensorflow as tf\nx = 1\n":
        "'''a\u2028\f\nb'''\n\f\nimport tensorflow as tf\nimport m\nx = 1\n",
}  # fmt: skip


@pytest.mark.parametrize("text", IMPORTS)
def test_modules_are_imported_behind_tensorflow_however_that_is_imported(text: str) -> None:
    assert with_imports(text, {"m": "m"}) == IMPORTS[text]


def test_in_a_package_modules_are_imported_from_beside_the_script() -> None:
    text = "import queueio.v1 as tf\nm()\n"
    assert with_imports(text, {"m": "n"}, "pkg") == (
        "import queueio.v1 as tf\nfrom . import n as m\nm()\n"
    )


def test_the_file_of_a_module_is_found_and_nothing_of_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from queueio.script.program import NotFoundError, file_of_module

    inner = tmp_path / "outer_pkg" / "inner"
    inner.mkdir(parents=True)
    for file in (tmp_path / "alone_mod.py", inner.parent / "__init__.py", inner / "__main__.py"):
        file.write_text("raise SystemExit('it ran')\n")
    monkeypatch.chdir(tmp_path)
    assert file_of_module("alone_mod") == (str(tmp_path / "alone_mod.py"), "")
    main = str(inner / "__main__.py")
    assert file_of_module("outer_pkg.inner") == (main, "outer_pkg.inner")
    assert file_of_module("outer_pkg.inner.__main__") == (main, "outer_pkg.inner")
    for name in ("outer_pkg", "outer_pkg.other", "nosuch_mod", "alone_mod.x", "math"):
        with pytest.raises(NotFoundError, match="No module named"):
            file_of_module(name)


@pytest.mark.long
def test_a_module_of_a_package_is_converted_as_python_m_runs_it(tmp_path: Path) -> None:
    package = tmp_path / "jobs"
    package.mkdir()
    for name in ("__init__.py", "settings.py"):
        (package / name).write_text("EPOCHS = 3\n")
    text = (SCRIPTS / "train_softmax.py").read_text()
    text = text.replace(
        "import tensorflow as tf\n", "import tensorflow as tf\nfrom . import settings\n"
    )
    (package / "train.py").write_text(text)
    done = queueio(tmp_path, "convert", "-m", "jobs.train", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "from . import input_fn\n" in (package / "train.py").read_text()
    ran = python("-m", "jobs.train", cwd=tmp_path, timeout=100)
    assert "Done training, 50 steps" in ran.stdout, ran.stderr[-2000:]


MORE = {
    "tf.train.batch([x], 4)": "line 1",
    "from tf.train import shuffle_batch\nshuffle_batch([x], 4, 9, 3)": "line 2",
    "q = tf.FIFOQueue(4, [tf.int32])": "line 1",
    "import readers": "readers.py, line 2",
    "from readers import inputs": "readers.py, line 2",
    "dataset.batch(4)": "",
    "mnist.train.next_batch(4)": "",
    "import pipe": "",
    "import os, numpy": "",
}


@pytest.mark.parametrize("text", MORE)
def test_what_may_make_another_queue_after_the_tried_part_is_found(
    text: str, tmp_path: Path
) -> None:
    (tmp_path / "readers.py").write_text("def inputs():\n    return tf.train.batch([x], 4)\n")
    (tmp_path / "pipe.py").write_text(f"# {MARK}\ntf.train.batch([x], 4)\n")
    assert more_queues(text, tmp_path).startswith(MORE[text])
    assert bool(more_queues(text, tmp_path)) == bool(MORE[text])
