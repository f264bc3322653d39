"""`convert --write`: the changed script runs beside the old one before anything is written."""

from __future__ import annotations

import codecs
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from queueio.convert.beside import ScriptRun, _unlike
from queueio.convert.own_saves import noted, recover
from tests.processes import environment, python

from .test_convert import queueio

LOOP = """
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            print('GOT', {fetches})
    except tf.errors.OutOfRangeError:
        print('done')
    coord.request_stop()
    coord.join(threads)
"""
TWO_CALLS = (
    """
import tensorflow as tf

def inputs(name, size):
    queue = tf.train.string_input_producer([name + '.txt'], num_epochs=1)
    _, line = tf.TextLineReader().read(queue)
    return tf.train.batch([tf.string_to_number(line)], batch_size=size)

{calls}"""
    + LOOP
)
WITH_FLAGS = TWO_CALLS.replace("import tensorflow as tf\n", """import tensorflow as tf
tf.app.flags.DEFINE_integer('num_epochs', 2, 'passes')
tf.app.flags.DEFINE_string('folder', '.', 'of the data')
FLAGS = tf.app.flags.FLAGS
""").replace("[name + '.txt'], num_epochs=1",
             "['%s/%s.txt' % (FLAGS.folder, name)], num_epochs=FLAGS.num_epochs")  # fmt: skip


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text("".join(f"{i}\n" for i in range(30)))
    (tmp_path / "test.txt").write_text("".join(f"{i}\n" for i in range(100, 130)))
    return tmp_path


BESIDE = """
import json, pathlib, sys
from queueio.convert.beside import Beside
script, text, how = json.loads(sys.argv[1])
with Beside(pathlib.Path(script), text, [], **how) as beside:
    print(json.dumps(beside.difference([])))
"""


def difference(
    script: Path, changed: str, steps: int, most: int, arguments: tuple[str, ...] = ()
) -> tuple[str, str]:
    """(what is different, what was the same) where both scripts run; see `Beside.difference`."""
    how = {"steps": steps, "most": most, "arguments": arguments}
    told = json.dumps([str(script), changed, how])
    done = python("-c", BESIDE, told, cwd=script.parent, timeout=200, starts=True)
    assert done.returncode == 0, done.stderr[-3000:]
    wrong, same = json.loads(done.stdout)
    return wrong, same


@pytest.mark.long
def test_one_call_that_makes_two_pipelines_becomes_one_of_a_module_that_is_given_what_each_was(
    data: Path,
) -> None:
    calls = "a, b = inputs('train', 10), inputs('test', 5)"
    text = TWO_CALLS.format(calls=calls, fetches="sess.run(a).sum(), sess.run(b).sum()")
    (data / "train.py").write_text(text)
    before = queueio(data, "run", "train.py").stdout
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "changed line 7: batch and batch_1 from input_fn.input_fn()" in done.stdout
    assert "input_fn_2.py is not needed" in done.stdout
    assert [path.name for path in data.glob("*.py")].count("input_fn_2.py") == 0
    assert queueio(data, "run", "train.py").stdout == before.replace("\r", "")
    new = (data / "train.py").read_text()
    (data / "edited.py").write_text(new.replace("inputs('test', 5)", "inputs('train', 3)"))
    assert "GOT 45.0 3.0" in queueio(data, "run", "edited.py").stdout


@pytest.mark.long
def test_one_call_that_makes_two_unlike_pipelines_is_left_and_the_last_line_says_why(
    data: Path,
) -> None:
    text = TWO_CALLS.format(calls="a, b = inputs('train', 1.0), inputs('test', 2.0)",
                            fetches="sess.run([a, b])")  # fmt: skip
    text = text.replace("to_number(line)", "to_number(line) * size").replace("=size", "=10")
    (data / "train.py").write_text(text)
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 1
    assert (data / "train.py").read_text() == text and (data / "input_fn_2.py").exists()
    last = done.stderr.splitlines()[-1]
    assert (
        last.startswith("train.py was NOT changed: line 7: ")
        and "depends on size (line 9: " in last
    )
    assert last.endswith("; call the module of each where the function is called")


@pytest.mark.long
def test_flags_that_feed_the_pipeline_still_do_after_the_change(data: Path) -> None:
    text = WITH_FLAGS.format(calls="a = inputs('train', 10)", fetches="len(sess.run(a))")
    (data / "train.py").write_text(text)
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "Both scripts run with --num_epochs=3: pipeline 1: 90 examples in 9 calls" in done.stdout
    assert "Both scripts run with --folder=nosuch-queueio: both fail" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("train.py is changed")
    new = (data / "train.py").read_text()
    assert "num_epochs=FLAGS.num_epochs" in new and "batch_size=size" in new
    ran = queueio(data, "run", "train.py", "--num_epochs", "3")
    assert ran.stdout.count("GOT 10") == 9, ran.stderr[-2000:]


@pytest.mark.long
def test_a_batch_made_in_another_module_is_left_and_said(data: Path) -> None:
    whole = TWO_CALLS.format(calls="a = inputs('train', 10)", fetches="sess.run(a)")
    at = whole.index("a = inputs")
    (data / "reading.py").write_text(whole[:at])
    (data / "train.py").write_text("import tensorflow as tf\nfrom reading import inputs\n"
                                   + whole[at:])  # fmt: skip
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("train.py was NOT changed: batch is made in ") and "reading.py:7" in last
    assert last.endswith("Call input_fn() of input_fn.py there in its place")


ASKING = {
    "a name that is gone": ("import tensorflow as tf\nw = tf.placeholder", "line 2: `tf.place"),
    "a package that is gone": ("from tensorflow.contrib import slim", "line 1: `tensorflow.con"),
    "a name of both": ("import tensorflow as tf\nw = tf.matmul", ""),
    "a name of compat.v1": ("import tensorflow as tf\nw = tf.compat.v1.get_variable", ""),
    "the old module": ("import tensorflow.compat.v1 as tf\nw = tf.get_variable", ""),
    "whichever is there": ("try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n"
                           "    import tensorflow as tf\nw = tf.get_variable", ""),
}  # fmt: skip


@pytest.mark.long
def test_a_module_that_finds_the_names_of_tensorflow_1_under_run_only_is_told(data: Path) -> None:
    modules = {f"model_{at}": case for at, case in enumerate(ASKING.values())}
    for name, (code, _) in modules.items():
        (data / f"{name}.py").write_text(code + "\n")
    whole = TWO_CALLS.format(calls="a = inputs('train', 10)", fetches="sess.run(a)")
    (data / "train.py").write_text(f"if False:\n    import {', '.join(modules)}\n{whole}")
    done = queueio(data, "convert", "train.py", "--diff")
    told = [line for line in done.stdout.splitlines() if line.startswith("left model_")]
    wanted = [f"left {name}.py, {said}" for name, (_, said) in modules.items() if said]
    assert len(told) == len(wanted), done.stdout
    assert all(line.startswith(start) for line, start in zip(told, wanted, strict=True)), told
    assert all("`queueio run` only" in line and "`queueio upgrade`" in line for line in told)


FAULTS = {
    "reads other files": (("inputs('train'", "inputs('test'"), "are none that the old script"),
    "reads them twice": (("num_epochs=1", "num_epochs=2"), "it ends after 30 examples"),
    "has other batches": (("'train', 10", "'train', 6"), "it delivered 20 examples, 12"),
    "has another type": (("to_number(line)", "to_number(line, tf.int64)"), "its components were"),
    "scales": (("to_number(line)", "to_number(line) * 1.01"), "are none that the old script"),
    "fails": (("'.txt'", "'.text'"), "the changed script fails"),
}


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
def test_a_change_that_a_session_call_would_notice_is_found(fault: str, data: Path) -> None:
    text = TWO_CALLS.format(calls="a = inputs('train', 10)", fetches="sess.run(a)")
    (old, new), said = FAULTS[fault]
    assert old in text
    script = data / "train.py"
    script.write_text(text)
    changed = text.replace(old, new)
    wrong, same = difference(script, changed, steps=2, most=100)
    assert said in wrong and not same and "once more" not in wrong


@pytest.mark.long
def test_a_script_that_goes_on_from_what_a_run_left_is_not_said_to_be_changed_for_the_worse(
    data: Path,
) -> None:
    steps = "2 if os.path.exists('left.txt') else 5"
    text = within(more="open('left.txt', 'w').close()").replace("range(5)", f"range({steps})")
    (data / "train.py").write_text(text.replace("import sys", "import os, sys"))
    done = queueio(data, "convert", "train.py", "--write")
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and "6 session calls took from it, 3 in the changed" in last
    assert "The old script, run once more, is not like its first run either" in last


@pytest.mark.long
def test_the_same_script_beside_itself_shows_no_difference(data: Path) -> None:
    text = TWO_CALLS.replace("tf.train.batch(", "tf.train.shuffle_batch(capacity=30, "
                             "min_after_dequeue=20, tensors=").format(
        calls="a = inputs('train', 7)", fetches="sess.run(a)")  # fmt: skip
    script = data / "train.py"
    script.write_text(text)
    told = "pipeline 1: 28 examples in 4 calls"
    assert difference(script, text, steps=20, most=100) == ("", told)
    assert not (data / "_train_changed.py").exists()


SPARSE = """
import tensorflow as tf
queue = tf.train.string_input_producer(['train.txt'], num_epochs=1)
_, line = tf.TextLineReader().read(queue)
number = tf.string_to_number(line)
at, values = [[0], [2], [3]], tf.stack([number, number / 2, 0.0])
digits = tf.string_split([line], '')
x, some, text = tf.train.shuffle_batch([number, tf.SparseTensor(at, values, [5]), digits], 6, 30, 9)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            got, kept, parts = sess.run([x, some, text])
            for i, value in enumerate(got):
                own = kept.values[kept.indices[:, 0] == i].tolist()
                print('GOT', value, own, b''.join(parts.values[parts.indices[:, 0] == i]))
    except tf.errors.OutOfRangeError:
        print('done')
    coord.request_stop()
    coord.join(threads)
"""
SPARSE_FAULTS = {
    "other values": ("number / 2,", "number / 3,"),
    "another place": ("[2], [3]]", "[1], [3]]"),
    "one that is left out": ("[3]], tf.stack([number, number / 2, 0.0])",
                             "], tf.stack([number, number / 2])"),
    "other words": ("[line], '')", "[line], '1')"),
    "another type": ("at, values, [5]", "at, tf.cast(values, tf.float64), [5]"),
}  # fmt: skip


@pytest.mark.long
def test_a_script_that_fetches_sparse_tensors_is_changed_and_gets_the_same(data: Path) -> None:
    (data / "train.py").write_text(SPARSE)
    before = queueio(data, "run", "train.py").stdout
    assert before.count("GOT") == 30 and "GOT 29.0 [29.0, 14.5, 0.0] b'29'" in before
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "Both scripts run: pipeline 1: 30 examples in 5 calls" in done.stdout
    assert "shuffle_batch(" not in (data / "train.py").read_text()
    after = queueio(data, "run", "train.py").stdout
    assert sorted(after.splitlines()) == sorted(before.splitlines())


@pytest.mark.long
def test_a_script_whose_steps_are_callables_is_changed_and_gets_the_same(data: Path) -> None:
    made = "line = inputs('train', 10)\nby = tf.placeholder_with_default(1.0, [])\n"
    text = TWO_CALLS.format(calls=made, fetches="step(2.0).tolist()")
    step = "    step = sess.make_callable(line * by, [by])\n"
    (data / "train.py").write_text(text.replace("    coord = ", step + "    coord = "))
    done = queueio(data, "convert", "train.py", "--write")
    assert "Both scripts run: pipeline 1: 30 examples in 3 calls" in done.stdout, done.stderr
    ran = python("train.py", cwd=data, timeout=100)
    doubled = [[2.0 * i for i in range(n, n + 10)] for n in range(0, 30, 10)]
    assert ran.stdout == "".join(f"GOT {row}\n" for row in doubled) + "done\n", ran.stderr


@pytest.mark.long
@pytest.mark.parametrize("fault", SPARSE_FAULTS)
def test_other_sparse_values_are_found(fault: str, data: Path) -> None:
    old, new = SPARSE_FAULTS[fault]
    assert old in SPARSE
    (data / "train.py").write_text(SPARSE)
    changed = SPARSE.replace(old, new)
    wrong, same = difference(data / "train.py", changed, steps=9, most=100)
    assert not same and ("are none that the old script" in wrong or "components were" in wrong)


@pytest.mark.long
def test_arguments_by_position_that_feed_the_pipeline_still_do(data: Path) -> None:
    made = TWO_CALLS[TWO_CALLS.index("    queue =") : TWO_CALLS.index("    return ")]
    flat = TWO_CALLS[TWO_CALLS.index("with tf.Session") :].format(fetches="len(sess.run(a))")
    lines = [line.strip().replace("name + '.txt'", "sys.argv[1]") for line in made.splitlines()]
    batch = "a = tf.train.batch([tf.string_to_number(line)], 10)"
    head = ["import sys", "import tensorflow as tf", *lines, batch]
    (data / "train.py").write_text("\n".join([*head, flat]))
    done = queueio(data, "convert", "train.py", "--write", "train.txt")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "Both scripts run with nosuch-queueio: both fail" in done.stdout
    assert "files=[sys.argv[1]]" in (data / "train.py").read_text()


def test_threads_that_fail_before_the_first_call_fail_like_a_dataset(data: Path) -> None:
    call = TWO_CALLS.format(calls="a = inputs('nosuch', 10)", fetches="sess.run(a)")
    old = call.replace("    try:", "    coord.wait_for_stop(60)\n    try:")
    new = call.replace(
        "    queue =",
        "    names = [name + '.txt']\n    return tf.data.make_one_shot_"
        "iterator(tf.data.TextLineDataset(names).batch(size)).get_next()\n    queue =",
    )
    (data / "train.py").write_text(old)
    wrong, same = difference(data / "train.py", new, 20, 100, arguments=("of its own",))
    assert not wrong and same.startswith("both fail: "), wrong


@pytest.mark.long
def test_a_script_that_fails_after_its_first_calls_is_left(data: Path) -> None:
    text = TWO_CALLS.format(calls="a = inputs('train', 10)", fetches="sess.run(a), 1 / 0")
    (data / "train.py").write_text(text)
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 1 and (data / "train.py").read_text() == text
    last = done.stderr.splitlines()[-1]
    assert "both scripts fail after 1 session call: ZeroDivisionError" in last, done.stderr[-2000:]


def test_the_last_line_says_why_a_pipeline_is_refused(data: Path) -> None:
    text = TWO_CALLS.replace("tf.string_to_number(line)", "line, tf.placeholder(tf.int32, [])")
    (data / "train.py").write_text(
        text.format(calls="a = inputs('train', 10)", fetches="sess.run(a)")
    )
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("train.py was NOT changed: batch (") and "placeholder" in last.lower()


def test_the_last_line_says_what_a_value_of_a_try_depends_on(data: Path) -> None:
    chosen = "try:\n    open('fine.txt')\n    scale = 2.0\nexcept IOError:\n    scale = 3.0\n"
    text = TWO_CALLS.replace("to_number(line)", "to_number(line) * scale").format(
        calls=chosen + "a = inputs('train', 10)", fetches="sess.run(a)")  # fmt: skip
    (data / "train.py").write_text(text)
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 1 and (data / "train.py").read_text() == text
    last = done.stderr.splitlines()[-1]
    assert last.startswith("train.py was NOT changed: ") and " depends on scale (line " in last


WITH_A_SIZE = """# coding: latin-1
import tensorflow as tf

def read(queue, columns, größe):
    _, line = tf.TextLineReader().read(queue)
    return tf.stack(tf.decode_csv(line, [[0.0]] * columns)) * größe

def inputs(files, columns, größe, name="ä{'", num_epochs=1):
    queue = tf.train.string_input_producer(files, num_epochs=num_epochs, shuffle=False)
    x = read(queue, columns, größe)
    if name.startswith('x'): x = x * 2
    # of three
    with tf.name_scope('reading'):
        return tf.train.batch([x], batch_size=3)

BATCH = inputs(['train.txt'], 1, größe=2)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for _ in range(3): print('GOT', sess.run(BATCH).ravel())
    coord.request_stop()
    coord.join(threads)
"""


@pytest.mark.long
def test_a_parameter_that_every_call_gives_the_same_is_checked_where_the_batch_is_made(
    data: Path,
) -> None:
    (data / "train.py").write_text(WITH_A_SIZE, encoding="latin-1", newline="\r\n")
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    told = 'a check that it is called for columns=1, größe=2, name="ä{\'"'
    assert f"changed line 14: {told}" in done.stdout
    new = (data / "train.py").read_bytes().decode("latin-1")
    assert "# of three\r\n    with tf.name_scope('reading'):\r\n        if repr((" in new
    assert "\n" not in new.replace("\r\n", "") and "files=files" in new
    for call, ends in [("1, größe=2", ""), ("1, größe=2.0", "größe=2.0"), ("2, 2", "columns=2")]:
        edited = new.replace("1, größe=2)", f"{call})")
        (data / "edited.py").write_bytes(edited.encode("latin-1"))
        ran = queueio(data, "run", "edited.py")
        assert ran.stdout.count("GOT") == (0 if ends else 3), ran.stderr[-2000:]
        assert not ends or "ValueError: input_fn() was written for columns=1, " in ran.stderr
        assert f"{ends}, " in ran.stderr + ", "


def test_a_call_without_room_for_a_check_stays_and_the_last_line_says_so(data: Path) -> None:
    text = TWO_CALLS.replace("    return tf", "    if scale: return tf")
    text = text.replace("to_number(line)", "to_number(line) * scale").replace(
        "size)", "size, scale)", 1
    )
    text = text.format(calls="a = inputs('train', 10, 2.0)", fetches="sess.run(a)")
    (data / "train.py").write_text(text)
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 1 and (data / "train.py").read_text() == text
    last = done.stderr.splitlines()[-1]
    assert "line 7: input_fn() is for scale=2.0 alone" in last
    assert last.endswith("give the call a line of its own")


WITHIN = """
import sys
import tensorflow as tf

queue = tf.train.string_input_producer(['train.txt'], num_epochs={epochs}, shuffle=False)
reader = tf.TextLineReader()
_, line = reader.read(queue)
number = tf.string_to_number(line)
batch = tf.train.batch([number], 10)
tf.summary.scalar('mean', tf.reduce_mean(batch))
summaries = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for step in range({steps}):
        sess.run({fetches})
    print('LAST', sess.run({last}))
    coord.request_stop()
    coord.join(threads)
{more}
"""


def within(fetches: str = "batch", last: str = "batch", steps: int = 5, more: str = "",
           epochs: int | None = 20) -> str:  # fmt: skip
    return WITHIN.format(fetches=fetches, last=last, steps=steps, more=more, epochs=epochs)


@pytest.mark.long
def test_a_changed_script_still_reads_by_itself_what_it_did_after_the_tried_calls(
    data: Path,
) -> None:
    (data / "train.py").write_text(within(last="number", steps=25, epochs=None))
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "`sess.run(number)` may still read of it" in done.stdout
    ran = queueio(data, "run", "train.py")
    assert ran.returncode == 0 and "LAST 0.0" in ran.stdout, ran.stderr[-2000:]
    assert "input_fn.input_fn()" in (data / "train.py").read_text()


@pytest.mark.long
@pytest.mark.parametrize(
    ("fetches", "said"),
    [("[batch, number]", "ReaderRead op 'ReaderReadV2'"),
     ("[reader.num_records_produced(), batch]", "asks a queue or reader"),
     ("[batch, queue.size()]", "asks a queue or reader")],
)  # fmt: skip
def test_a_session_call_that_needs_the_queues_themselves_keeps_the_script(
    fetches: str, said: str, data: Path
) -> None:
    text = within(fetches)
    (data / "train.py").write_text(text)
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 1 and (data / "train.py").read_text() == text
    last = done.stderr.splitlines()[-1]
    assert said in last and "made at train.py:" in last, done.stderr[-2000:]


@pytest.mark.long
def test_summaries_of_queues_that_go_are_told(data: Path) -> None:
    (data / "train.py").write_text(within("[batch, summaries]"))
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    gone = [line for line in done.stdout.splitlines() if line.startswith("left summary")]
    assert [line.split("'")[1] for line in sorted(gone)] == [
        "batch/fraction_of_32_full", "input_producer/fraction_of_32_full"]  # fmt: skip


@pytest.mark.long
def test_a_summary_of_a_queue_that_is_still_made_is_not_said_to_have_lost_it(data: Path) -> None:
    more = "print('MADE', [x.name for x in sess.graph.get_operations() if x.name[-5:] == '_full'])"
    text = within("[batch, summaries]", more=more)
    made = "parts = {'x': tf.string_to_number(line)}\nnumber = parts['x']"
    (data / "train.py").write_text(text.replace("number = tf.string_to_number(line)", made))
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    told = [line.split("'")[1:] for line in done.stdout.splitlines() if "left summary" in line]
    assert told == [
        ["batch/fraction_of_32_full", ": the queue whose fill it told is not there any more"],
        ["input_producer/fraction_of_32_full",
         ": its queue is still made, but no batch comes through it any more"],
    ]  # fmt: skip
    ran = queueio(data, "run", "train.py")
    assert "MADE ['input_producer/fraction_of_32_full']" in ran.stdout, ran.stderr[-2000:]


@pytest.mark.long
def test_what_a_changed_script_computes_otherwise_is_told(data: Path) -> None:
    more = "tf.set_random_seed(3)\nif len(sys.argv) > 9: print(reader.num_records_produced())"
    (data / "train.py").write_text(within(more=more))
    done = queueio(data, "convert", "train.py", "--diff")
    left = [line for line in done.stdout.splitlines() if line.startswith("left")]
    assert any("gives 0" in line and "num_records_produced" in line for line in left), done.stdout
    assert any("set_random_seed" in line and "initial weights" in line for line in left)


@pytest.mark.long
def test_a_script_that_exits_with_a_status_is_refused_with_it(data: Path) -> None:
    (data / "train.py").write_text(within(more="sys.exit(3)"))
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 1
    assert "both scripts fail after 6 session calls: exit status 3" in done.stderr


@pytest.mark.long
def test_each_turn_of_a_loop_around_the_batch_call_reads_its_own_files(data: Path) -> None:
    body = TWO_CALLS[TWO_CALLS.index("    queue =") :].replace("    return", "    a =", 1)
    inner = "\n".join("    " + line if n > 2 else line for n, line in enumerate(body.splitlines()))
    loop = "for name in ['train', 'test']:\n    tf.reset_default_graph()\n"
    made = inner.format(calls="", fetches="sess.run(a).max()").replace("batch_size=size", "10")
    (data / "train.py").write_text(f"import tensorflow as tf\n{loop}{made}\n")
    before = queueio(data, "run", "train.py").stdout
    assert before.count("GOT") == 6 and "GOT 129.0" in before
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "files=[name + '.txt']" in (data / "train.py").read_text()
    after = queueio(data, "run", "train.py").stdout
    assert sorted(after.splitlines()) == sorted(before.splitlines())


GRAPHS = """
import tensorflow as tf

def read(fetches):
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while True:
                print('GOT', sess.run(fetches))
        except tf.errors.OutOfRangeError:
            coord.request_stop()
        coord.join(threads)

def made(name):
    queue = tf.train.string_input_producer([name + '.txt'], num_epochs=1, shuffle=False)
    reader = tf.TextLineReader()
    number = tf.string_to_number(reader.read(queue)[1])
    return reader, tf.train.batch([number{noise}], 10)
"""


@pytest.mark.long
def test_pipelines_of_the_same_names_in_two_graphs_are_two(data: Path) -> None:
    """What is asked of the readers of the one is nothing to the other."""
    made = GRAPHS.index("def made")
    own = GRAPHS[made:].replace("def made", "def own")
    use = "read(own('train')[1])\nwith tf.Graph().as_default():\n    reader, batch = made('test')\n"
    use += "    read([batch, reader.num_records_produced() >= 0])\n"
    text = (GRAPHS + own).format(noise="") + use
    (data / "train.py").write_text(text)
    before = queueio(data, "run", "train.py").stdout
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    told = "pipeline 1: 30 examples in 3 calls; pipeline 2: 30 examples in 3 calls"
    assert f"Both scripts run: {told}." in done.stdout
    assert (data / "train.py").read_text().count("input_fn.input_fn(") == 1
    assert queueio(data, "run", "train.py").stdout == before and before.count("GOT") == 6


@pytest.mark.long
def test_what_one_line_draws_at_random_in_two_graphs_is_not_compared_by_value(data: Path) -> None:
    turn = "for name in ['train', 'test']:\n    with tf.Graph().as_default(): read(made(name)[1])\n"
    text = GRAPHS.format(noise=" + tf.random_uniform([])") + turn
    (data / "train.py").write_text(text)
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "pipeline 1: 30 examples in 3 calls; pipeline 2: 30 examples in 3" in done.stdout


FIRST_ASKED = """
class Numbers(object):
    def __init__(self, name):
        self.name, self.made = name, None
    def batch(self, size):
        if self.made is None:
            queue = tf.train.string_input_producer([self.name + '.txt'], num_epochs=1)
            number = tf.string_to_number(tf.TextLineReader().read(queue)[1])
            number.set_shape([])
            {scaled}self.made = tf.train.batch([number], size)
        return self.made

numbers = Numbers('train')
"""


@pytest.mark.long
@pytest.mark.parametrize("scaled", ["", "if self.name: number = number * 2.0\n            "])
def test_a_pipeline_that_is_made_when_first_asked_for_gives_way_unless_a_part_hangs_on_more(
    scaled: str, data: Path
) -> None:
    use = "numbers.batch(5); a = numbers.batch(10)"
    whole = TWO_CALLS.format(calls=use, fetches="sess.run(a)")
    text = "import tensorflow as tf" + FIRST_ASKED.format(scaled=scaled) + whole[whole.index(use) :]
    (data / "train.py").write_text(text)
    before = queueio(data, "run", "train.py").stdout
    done = queueio(data, "convert", "train.py", "--write")
    if scaled:
        assert done.returncode == 1 and (data / "train.py").read_text() == text
        assert "`self.name` is not fixed in the script" in done.stderr.splitlines()[-1]
        return
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    new = (data / "train.py").read_text()
    assert "input_fn( files=[self.name + '.txt'], batch_size=size, )" in " ".join(new.split())
    after = queueio(data, "run", "train.py").stdout
    assert before.count("GOT") == 6 and sorted(after.split()) == sorted(before.split())


@pytest.mark.parametrize(
    ("more", "said"),
    [("sess.graph.get_tensor_by_name('batch:0')", "'batch:0' is an op or tensor"),
     ("sess.run('StringToNumber:0')", "'StringToNumber:0' is an op or tensor"),
     ("sess.graph.get_operation_by_name('batch')", "'batch' is an op or tensor")],
)  # fmt: skip
def test_a_script_that_names_ops_of_the_queues_stays(more: str, said: str, data: Path) -> None:
    text = within(more=f"with tf.Session() as sess:\n    {more}")
    (data / "train.py").write_text(text)
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 1 and (data / "train.py").read_text() == text
    assert said in done.stderr.splitlines()[-1]


@pytest.mark.long
def test_a_module_lies_beside_its_script_and_is_not_written_over_that_of_another(
    data: Path,
) -> None:
    (data / "sub").mkdir()
    for name in ("train.py", "test.py"):
        (data / "sub" / name).write_text(within())
    done = queueio(data, "convert", "sub/train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    module = (data / "sub" / "input_fn.py").read_text()
    ran = queueio(data, "run", "sub/train.py")
    assert ran.returncode == 0 and "LAST" in ran.stdout, ran.stderr[-2000:]
    for given in ([], ["--out", "other.py"]):
        done = queueio(data, "convert", "sub/test.py", "--write", *given)
        assert done.returncode == 2 and (data / "sub" / "test.py").read_text() == within()
        said = "from its own folder" if given else "is the pipeline of train.py"
        assert said in done.stderr
    assert (data / "sub" / "input_fn.py").read_text() == module


@pytest.mark.long
def test_line_ends_a_mark_before_them_and_names_in_use_stay(data: Path) -> None:
    text = within(more="def input_fn():\n    return 7\nprint(input_fn())")
    (data / "train.py").write_bytes(codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode())
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    new = (data / "train.py").read_bytes()
    assert new.startswith(codecs.BOM_UTF8) and new.count(b"\n") == new.count(b"\r\n") > 10
    ran = queueio(data, "run", "train.py")
    assert ran.returncode == 0 and ran.stdout.splitlines()[-1] == "7", ran.stderr[-2000:]


def test_a_pipeline_that_reads_a_variable_stays_and_says_so(data: Path) -> None:
    text = within().replace("tf.string_to_number(line)", "tf.string_to_number(line) - "
                            "tf.get_variable('mean', [])")  # fmt: skip
    (data / "train.py").write_text(text)
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 1 and (data / "train.py").read_text() == text
    assert "input_fn() needs 'mean': the pipeline reads a variable" in done.stderr


@pytest.mark.long
def test_a_record_that_cannot_be_decoded_is_not_taken_for_a_call_of_the_scripts(
    data: Path,
) -> None:
    """What is run again to find the record is no session call of the script."""
    with open(data / "train.txt", "a") as file:
        file.write("x\n")
    (data / "train.py").write_text(within(steps=40, epochs=1))
    done = queueio(data, "convert", "train.py", "--write")
    assert "ReaderRead" not in done.stderr and "NOT changed" in done.stderr, done.stderr[-2000:]
    assert "gets that error from the session call itself" in done.stdout
    assert "changed line" not in done.stdout  # nothing was


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_goes_on_when_the_command_is_killed(number: int, data: Path) -> None:
    more = "open('waits', 'w').write(str(os.getpid())); time.sleep(500)"
    text = within(more=f"import os, time\n{more}", steps=2)
    (data / "train.py").write_text(text)
    command = [sys.executable, "-m", "queueio", "convert", "train.py", "--write"]
    with subprocess.Popen(command, cwd=data, env=environment(), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as running:  # fmt: skip
        waits = data / "waits"
        _until(lambda: waits.exists() and bool(waits.read_text()))
        running.send_signal(number)
        running.wait(30)
    script = int(waits.read_text())
    _until(lambda: not Path(f"/proc/{script}").exists())
    assert not (data / "_train_changed.py").exists()
    assert (data / "train.py").read_text() == text


def _until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not true():
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("old", "new", "alike"),
    [
        ("failed: 1", "failed: 1", True),
        ("ended", "failed: 1", False),
        ("failed: 1", "ended", False),
    ],
)
def test_two_scripts_that_fail_before_their_first_example_are_alike(
    old: str, new: str, alike: bool
) -> None:
    """Without files a queue ends, and its failed thread is met later; input_fn fails at once."""
    before = ScriptRun([], {"0": []}, {"0": "OutOfRangeError"}, old, "no file")
    after = ScriptRun([], {}, {}, new, "no file")
    assert (_unlike(before, after, "0", random=False) == "") is alike
    delivered = ScriptRun([{"0": {"rows": [1], "form": "x"}}], {}, {}, old, "")
    assert _unlike(delivered, after, "0", random=False)


@pytest.mark.long
def test_a_project_with_a_queue_module_and_devices_of_another_machine_is_converted(
    data: Path,
) -> None:
    """Its session takes other devices for those that are not there; TensorFlow wants a `queue`."""
    project, config = data / "project", "config=tf.ConfigProto(allow_soft_placement=True)"
    project.mkdir()
    (project / "queue.py").write_text("def enqueue():\n    pass\n")
    text = TWO_CALLS.format(calls="a = inputs('../train', 10)", fetches="sess.run([a, w])")
    weight = "with tf.device('/gpu:3'):\n    w = tf.Variable(1.0)\nwith tf.Session"
    text = text.replace("with tf.Session", weight).replace("Session()", f"Session({config})")
    (project / "train.py").write_text(text)
    (data / "command.py").write_text("from queueio.cli import main\nmain()\n")

    ran = python(data / "command.py", "run", "train.py", cwd=project, timeout=200, fresh=True)
    given = f"`queue` is {project}/queue.py, in place of Python's own module of that name"
    assert ran.returncode == 1 and given in ran.stderr

    done = python(
        data / "command.py", "convert", "--write", "train.py", cwd=project, timeout=200, fresh=True
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "left queue.py: a script started there gets it in place of Python's own" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("train.py is changed")


GOES_ON = (
    TWO_CALLS[: TWO_CALLS.index("with tf.Session")].format(
        calls="""a = inputs('train', 10)
step = tf.train.get_or_create_global_step()
train = tf.assign_add(step, 1 + tf.to_int64(tf.reduce_sum(0.0 * a)))"""
    )
    + """
hooks = [tf.train.StopAtStepHook(last_step=3)]
with tf.train.MonitoredTrainingSession(checkpoint_dir='kept/at', hooks=hooks) as sess:
    while not sess.should_stop():
        print('GOT', sess.run(train))
"""
)


@pytest.mark.long
def test_a_script_that_goes_on_from_its_checkpoint_is_tried_from_where_it_was(data: Path) -> None:
    text = GOES_ON.replace("last_step=3", "last_step=2")
    (data / "train.py").write_text(text)
    assert queueio(data, "run", "train.py").stdout == "GOT 1\nGOT 2\n"
    kept = {path.name: path.read_bytes() for path in (data / "kept/at").iterdir()}
    assert "model.ckpt-2.index" in kept
    (data / "train.py").write_text(GOES_ON)
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "Both scripts run: pipeline 1: 10 examples in 1 call." in done.stdout
    there = {path.name: path for path in (data / "kept/at").iterdir()}
    assert all(there[name].read_bytes() == kept[name] for name in kept if name != "graph.pbtxt")
    assert all("tfevents" in name for name in there.keys() - kept.keys())
    assert queueio(data, "run", "train.py").stdout == "GOT 3\n"


@pytest.mark.long
def test_what_was_edited_while_the_command_ran_and_other_files_stay_as_they_are(data: Path) -> None:
    text = TWO_CALLS.format(calls="a = inputs('train', 10)", fetches="sess.run(a)")
    edit = "import sys\nif '_changed' in sys.argv[0]: open('train.py', 'a').write('# mine\\n')\n"
    (data / "train.py").write_text(text + edit)
    (data / "_train_changed.py").write_text("mine, too\n")
    done = queueio(data, "convert", "train.py", "--write")
    assert "Both scripts run" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 1
    assert "NOT changed: it was edited since the command began. Run it again" in done.stderr
    assert (data / "train.py").read_text() == f"{text}{edit}# mine\n"
    assert (data / "_train_changed.py").read_text() == "mine, too\n"
    assert not (data / "_train_changed_2.py").exists()


SAVES = """
import os, signal, sys
import queueio.v1 as tf
from queueio.convert.own_saves import Saves
saves = Saves('noted.txt')
saves.install()
step = tf.train.get_or_create_global_step()
saver = tf.train.Saver(max_to_keep=1)
saver.recover_last_checkpoints(tf.train.get_checkpoint_state('kept').all_model_checkpoint_paths)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for number in (8, 9):
        saver.save(sess, 'kept/model.ckpt', global_step=number)
if sys.argv[1:]:
    saves.take_back()
else:
    assert not os.path.exists('kept/model.ckpt-1.index')
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_run_saved_is_taken_back_by_who_ordered_it_or_by_the_next(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    was = {f"model.ckpt-1.{end}": end for end in ("index", "meta", "data-00000-of-00001")}
    was |= {"checkpoint": 'model_checkpoint_path: "model.ckpt-1"\n'
            'all_model_checkpoint_paths: "model.ckpt-1"\n', "model.notes": "mine"}  # fmt: skip
    for name, text in was.items():
        (kept / name).write_text(text)
    for more in ([], [], ["take back"]):  # the first is recovered from, the second by the third
        done = python("-c", SAVES, *more, cwd=tmp_path, timeout=100)
        assert done.returncode == (0 if more else -signal.SIGKILL), done.stderr[-2000:]
        if not (tmp_path / "first").exists():
            assert "model.ckpt-9" in (kept / "checkpoint").read_text()
            recover(noted(tmp_path / "noted.txt"))
            (tmp_path / "first").touch()
            assert {path.name: path.read_text() for path in kept.iterdir()} == was
    assert {path.name: path.read_text() for path in kept.iterdir()} == was


@pytest.mark.long
def test_of_a_script_given_by_a_link_the_module_goes_where_python_looks_for_it(data: Path) -> None:
    (data / "src").mkdir()
    real, link = data / "src" / "train.py", data / "link.py"
    real.write_text(
        "import mine\n" + TWO_CALLS.format(calls="a = inputs('train', 10)", fetches="sess.run(a)")
    )
    (data / "src" / "mine.py").write_text("")
    link.symlink_to(real.relative_to(data))
    done = queueio(data, "convert", "link.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (data / "src" / "input_fn.py").exists() and not (data / "input_fn.py").exists()
    assert link.is_symlink() and "input_fn" in real.read_text()
    assert python("link.py", cwd=data, fresh=True).stdout.count("GOT") == 3
    again = queueio(data, "convert", "src/train.py", "--write")
    assert "is what train.py reads since it was converted" in again.stderr, again.stderr
