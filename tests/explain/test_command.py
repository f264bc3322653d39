"""`queueio explain` tells what a script's pipelines are, and its drawing can be read."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.processes import python

ROOT = Path(__file__).resolve().parents[2]
Explain = Callable[..., "subprocess.CompletedProcess[str]"]

# The script's own sess.run would fail: there is no such file.
THREE_PIPELINES = """
import tensorflow as tf

names = tf.train.string_input_producer(["absent.csv"], num_epochs=3, capacity=7)
key, line = tf.TextLineReader(skip_header_lines=1).read(names)
number, text = tf.decode_csv(line, [[0.], [""]])
number /= tf.fill([], 2.)
kept, = tf.train.maybe_shuffle_batch([number], 4, 90, 30, number > 0., num_threads=3, name="kept"),

others = tf.train.string_input_producer(["b.csv", "c.csv"])
columns = [tf.decode_csv(tf.TextLineReader().read(others)[1], [[0], [1]]) for _ in range(2)]
joined = tf.train.batch_join(columns, 5, dynamic_pad=True)

fed = tf.placeholder(tf.int64, [], name="by_hand")
queue = tf.FIFOQueue(20, [tf.int64], shapes=[[]], name="hand_made")
enqueue = queue.enqueue(fed)
last = queue.dequeue_many(6, name="fed_by_hand")

with tf.Session() as sess:
    coord = tf.train.Coordinator()
    try:
        sess.run(tf.local_variables_initializer())
        threads = tf.train.start_queue_runners(coord=coord)
        print("trained", sess.run(kept))
    finally:
        coord.request_stop()
        coord.join(threads)
"""


@pytest.fixture
def explain(tmp_path: Path) -> Explain:
    def run(*arguments: str | Path, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        return python("-m", "queueio", "explain", *arguments, cwd=cwd, timeout=120)

    return run


def in_order(text: str, *facts: str) -> None:
    """Every fact stands in the text, after the one before it, on however many lines."""
    text = " ".join(text.split())  # where a line breaks depends on how long the folder's name is
    at = 0
    for fact in facts:
        found = text.find(fact, at)
        assert found >= 0, f"{fact!r} is not below {text[:at][-200:]!r} in\n{text}"
        at = found


@pytest.mark.long
def test_a_training_script_is_explained_and_drawn_but_not_trained(
    explain: Explain, tmp_path: Path
) -> None:
    script = ROOT / "examples" / "train_digits.py"
    done = explain(script, "--batch_size=20", "--svg", tmp_path / "digits.svg")
    assert done.returncode == 0, done.stderr
    in_order(
        done.stdout,
        "Pipeline input_train/shuffle_batch",
        "Source ", "num_epochs=20", "train_digits.py:45", "dataset.repeat(20)", "▼",
        "FilenameQueue input_train/input_producer", "▼",
        "Read ", "train_digits.py:26", "Reads the records of TFRecord files", "TFRecordDataset",
        "Transform", "DecodeRaw", "Takes the features out of a serialized tf.train.Example",
        "ShuffleQueue", "capacity=1060", "min_after_dequeue=1000", "Gives examples in random order",
        "dataset.shuffle(1060",
        "Batch input_train/shuffle_batch", "batch_size=20", "float32 (?, 64), int32 (?,)",
        "train_digits.py:51: return tf.train.shuffle_batch(", "dataset.batch(20)",
        "Pipeline input_test/batch", "ExampleQueue", "capacity=80", "batch_size=20",
        "until sess.run at train_digits.py:78",
    )  # fmt: skip
    assert "step 0" not in done.stdout + done.stderr
    drawn = read_drawing(tmp_path / "digits.svg")
    assert len(drawn) == 12
    assert {"input_train/shuffle_batch", "input_test/input_producer"} <= set(drawn)


@pytest.mark.long
def test_refused_pipelines_are_told_beside_those_that_are_lifted(
    explain: Explain, tmp_path: Path
) -> None:
    (tmp_path / "three.py").write_text(THREE_PIPELINES)
    done = explain("--svg", "three.svg", "three.py")
    assert done.returncode == 0, done.stderr
    assert "trained" not in done.stdout
    in_order(
        done.stdout,
        "Pipeline kept", "num_epochs=3", "FilenameQueue input_producer", "capacity=7",
        "skip_header_lines=1", "Splits a line into typed columns", "KeepIf",
        "ShuffleQueue", "num_threads=3",
        "Pipeline batch_join", "FilenameQueue", "num_readers=2", "PaddingQueue",
        "Pipeline fed_by_hand", "refused", "NoEquivalent", "by_hand", "three.py:14",
        "fed through placeholder 'by_hand'", "FIFOQueue hand_made", "capacity=20",
        "no queue runner fills it", "QueueDequeueMany fed_by_hand",
    )  # fmt: skip
    drawn = read_drawing(tmp_path / "three.svg")
    assert {"kept", "batch_join", "fed_by_hand", "hand_made"} <= set(drawn)
    assert "Refused" in (tmp_path / "three.svg").read_text()


TWO_GRAPHS = """
import tensorflow as tf

def double(value):
    return value * 2

def build(path):
    names = tf.train.string_input_producer([path], num_epochs=1)
    number = tf.string_to_number(tf.TextLineReader().read(names)[1])
    doubled = tf.py_func(double, [number], tf.float32)
    doubled.set_shape([])
    return tf.train.batch([doubled], 4)

for path in ["train.txt", "eval.txt"]:
    with tf.Graph().as_default():
        last = build(path)
"""


def test_pipelines_of_one_name_are_told_apart_and_show_only_their_own_code(
    explain: Explain, tmp_path: Path
) -> None:
    (tmp_path / "two.py").write_text(TWO_GRAPHS)
    done = explain("two.py", "--svg", "two.svg")
    assert done.returncode == 0, done.stderr
    in_order(
        done.stdout,
        "Pipeline batch of graph 1", '"train.txt"', "Transform", "not as Python source",
        "two.py:10", "Batch batch", "dataset.batch(4, drop_remainder=True)",
        "Pipeline batch of graph 2", '"eval.txt"',
    )  # fmt: skip
    assert "for example" not in done.stdout
    drawing = (tmp_path / "two.svg").read_text()
    assert "Pipeline batch of graph 2" in drawing and "FilenameQueue" in drawing


@pytest.mark.parametrize("columns", [50, 90])
def test_a_pipe_gets_lines_of_the_width_that_columns_says(
    explain: Explain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    (tmp_path / "two.py").write_text(TWO_GRAPHS)
    longest = max(map(len, explain("two.py").stdout.splitlines()))
    assert 0.8 * columns < longest <= columns


@pytest.mark.parametrize(
    ("script", "status", "said"),
    [
        ("import tensorflow as tf\nx = tf.constant(1)\ntf.Session().run(x)", 1, "no queue among"),
        ("import tensorflow as tf\nq = tf.FIFOQueue(9, [tf.int32], name='lone')", 1, "lone"),
        (
            "import tensorflow as tf\na, b = (tf.FIFOQueue(9, [tf.int32], name=n) for n in 'ab')\n"
            "tf.train.add_queue_runner(tf.train.QueueRunner(b, [b.enqueue(a.dequeue())]))\n"
            "tf.train.add_queue_runner(tf.train.QueueRunner(a, [a.enqueue(b.dequeue())]))",
            1,
            "What its queues (a, b) give goes into queues only",
        ),
        ("import tensorflow as tf\ntf.train.batch([no_such_name], 2)", 2, "NameError"),
    ],
)
def test_without_a_pipeline_the_exit_code_and_stderr_say_why(
    explain: Explain, tmp_path: Path, script: str, status: int, said: str
) -> None:
    (tmp_path / "train.py").write_text(script)
    done = explain("train.py", "--svg=none.svg")
    assert (done.returncode, done.stdout) == (status, "")
    assert said in done.stderr
    assert not (tmp_path / "none.svg").exists()


def read_drawing(path: Path) -> list[str]:
    """The names of the stages in a drawing, once it is known that no text leaves its box."""
    svg = "{http://www.w3.org/2000/svg}"
    root = ElementTree.parse(path).getroot()
    whole = float(root.get("width", 0))
    names = []
    for group in root.iter(f"{svg}g"):
        box = group.find(f"{svg}rect[@class='box']")
        assert box is not None
        left, top = float(box.get("x", 0)), float(box.get("y", 0))
        right, bottom = left + float(box.get("width", 0)), top + float(box.get("height", 0))
        assert right <= whole
        for text in group.iter(f"{svg}text"):
            end = float(text.get("x", 0)) + width(text)
            assert end <= right, f"{text.text!r} ends at {end}, its box at {right}"
            assert top < float(text.get("y", 0)) < bottom
        if "data-name" in group.attrib:
            names.append(group.attrib["data-name"])
            assert names[-1] in "".join(t.text or "" for t in group.iter(f"{svg}text"))
    return names


def width(text: ElementTree.Element) -> float:
    """How wide a text is at most: the widest of the fonts asked for has 0.602 of its height."""
    size = 14 if text.get("class") == "title" else 11
    return sum(1.0 if ord(c) > 0x1100 else 0.61 for c in text.text or "") * size
