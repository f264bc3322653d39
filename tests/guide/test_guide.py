"""The guide's own snippets run, old and new deliver the same, and its messages are real."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.processes import python

HERE = Path(__file__).resolve().parent
GUIDE = HERE.parent.parent / "MIGRATION.md"
PART = re.compile(r"<!-- pairs -->(.*?)<!-- end pairs -->", re.DOTALL)
SECTION = re.compile(r"^### (.+)$", re.MULTILINE)
BLOCK = re.compile(r"```python (old|new)\n(.*?)```", re.DOTALL)


def sections() -> dict[str, list[tuple[str, str]]]:
    """The snippets by the heading that they stand under."""
    found: dict[str, list[tuple[str, str]]] = {}
    for number, part in enumerate(PART.findall(GUIDE.read_text())):
        pieces = SECTION.split(part)
        heads = [f"part {number}", *pieces[1::2]]
        for head, text in zip(heads, pieces[0::2], strict=True):
            blocks = BLOCK.findall(text)
            if blocks:
                found[head] = blocks
    return found


SECTIONS = sections()


def ran(kind: str, folder: Path) -> dict[str, Any]:
    """What the snippets of one kind delivered, all run in one process."""
    snippets = {
        f"{head}/{i}": code
        for head, blocks in SECTIONS.items()
        for i, (which, code) in enumerate(blocks)
        if which == kind
    }
    given, result = folder / "snippets.json", folder / "results.json"
    given.write_text(json.dumps(snippets))
    done = python(HERE / f"run_{kind}.py", given, result, cwd=folder, timeout=150)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(result.read_text())
    return found


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return {kind: ran(kind, tmp_path_factory.mktemp(kind)) for kind in ("old", "new")}


def rows(steps: list[Any]) -> list[str]:
    """The examples of all batches; the zeros of padding belong to the batch."""
    return sorted(
        json.dumps(row).replace(", 0]", "]") if isinstance(row, list) else json.dumps(row)
        for step in steps
        for row in step
    )


PAIRED = [head for head, blocks in SECTIONS.items() if {k for k, _ in blocks} == {"old", "new"}]
ALONE = [head for head in SECTIONS if head not in PAIRED]


@pytest.mark.parametrize("head", PAIRED)
def test_old_and_new_code_deliver_the_same_examples(head: str, outcomes: dict[str, Any]) -> None:
    old, new = outcomes["old"][f"{head}/0"], outcomes["new"][f"{head}/1"]
    assert old, "the old code delivers something"
    assert rows(new) == rows(old)


@pytest.mark.parametrize("head", ALONE)
def test_new_code_without_an_old_form_runs(head: str, outcomes: dict[str, Any]) -> None:
    for number in range(len(SECTIONS[head])):
        steps = outcomes["new"][f"{head}/{number}"]
        assert steps and not (isinstance(steps[0], str) and "Error" in steps[0]), steps


def test_every_difference_has_code() -> None:
    text = GUIDE.read_text()
    part = text[text.index("## The exact differences") : text.index("## Generators")]
    assert set(SECTION.findall(part)) <= set(SECTIONS), "a section without a snippet"
    assert len(PAIRED) >= 13


def test_the_troubleshooting_page_answers_thirty_messages() -> None:
    text = GUIDE.read_text()
    table = text[text.index("## Troubleshooting") : text.index("## Names of TF 1.15")]
    found = re.findall(r"^\| `` (.+?) `` \| (.+?) \| (.+?) \|$", table, re.MULTILINE)
    assert len(found) >= 30
    assert all(cause.strip() and fix.strip() for _, cause, fix in found)


# Each provokes one message of the table, and prints what TensorFlow says.
PROVOKED = """
import tensorflow as tf
v1 = tf.compat.v1

def eager_queue(): v1.train.string_input_producer(["a"])
def attribute(): tf.placeholder
def bad_csv(): tf.io.decode_csv("x,1", [[0.0], [0]])
def short_csv(): tf.io.decode_csv("1,2", [[0], [0], [0]])
def empty_csv(): tf.io.decode_csv(",2", [tf.constant([], tf.int32), [0]])
def missing_feature(): tf.io.parse_single_example(
    tf.train.Example().SerializeToString(), {"label": tf.io.FixedLenFeature([], tf.int64)})
def no_image(): tf.io.decode_jpeg("<html>")
def reshape(): tf.reshape(tf.io.decode_raw("abc", tf.uint8), [2, 2])
def shuffled(): list(tf.data.Dataset.range(2).shuffle(0))
def unequal(): list(tf.data.Dataset.range(3).map(tf.range).batch(3))
def generator(): list(tf.data.Dataset.from_generator(
    lambda: iter([[1, 2]]), output_signature=tf.TensorSpec([3], tf.int32)))
def generator_type(): list(tf.data.Dataset.from_generator(
    lambda: iter(["a"]), output_signature=tf.TensorSpec([], tf.int32)))
def unknown(): v1.placeholder(tf.int32).shape.as_list()

def closed():
    value = v1.train.range_input_producer(1, num_epochs=1).dequeue()
    run(v1.train.batch([value], 2))
def uninitialised():
    run(v1.train.batch([v1.train.range_input_producer(1, num_epochs=1).dequeue()], 1), init=False)
def shapes(): v1.train.batch([v1.placeholder(tf.int32, [None])], 2)
def iterator():
    run(v1.data.make_initializable_iterator(tf.data.Dataset.range(3)).get_next())
def ended():
    step = v1.data.make_one_shot_iterator(tf.data.Dataset.range(0)).get_next()
    run(step)

def run(fetches, init=True):
    with v1.Session() as session:
        if init:
            session.run(v1.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        try:
            session.run(fetches)
        finally:
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=5)

def said(provoke):
    try:
        provoke()
    except Exception as error:
        return str(error)
    return ""

found = [said(f) for f in (eager_queue, attribute, bad_csv, short_csv, empty_csv, missing_feature,
         no_image, reshape, shuffled, unequal, generator, generator_type)]
for f in (unknown, closed, uninitialised, shapes, iterator, ended):
    with tf.Graph().as_default():
        found.append(said(f))
print("@@".join(text.replace("\\n", " ") for text in found))
"""


@pytest.mark.long
def test_messages_of_the_table_are_word_for_word_what_tensorflow_says(run_python: Any) -> None:
    done = run_python(PROVOKED, timeout=100)
    assert done.returncode == 0, done.stderr[-2000:]
    said = done.stdout.strip().splitlines()[-1].split("@@")
    table = re.findall(r"^\| `` (.+?) `` \|", GUIDE.read_text(), re.MULTILINE)
    parts = [_changing(message) for message in table]
    unknown = [text for text in said if not any(part.search(text) for part in parts)]
    assert not unknown, "\n".join(unknown)


def _changing(message: str) -> re.Pattern[str]:
    """The message with any number and any name in quotes."""
    text = re.escape(message)
    text = re.sub(r"\d+", r"\\d+", text)
    return re.compile(text)
