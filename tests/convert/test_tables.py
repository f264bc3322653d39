"""`convert --write` where the pipeline looks words up: the tables begin the iterator."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_convert import queueio

SCRIPT = """
import tensorflow as tf
files = tf.train.string_input_producer(['words.txt'], num_epochs=2, shuffle=False)
_, word = tf.TextLineReader().read(files)
table = {table}
number = table.lookup(word)
{early}batch, again = tf.train.batch([number, word], 4)
with {session} as sess:
    {start}
    try:
        while True:
            print('GOT', *sess.run(batch))
    except tf.errors.OutOfRangeError:
        print('END')
"""
OF_A_FILE = "tf.contrib.lookup.index_table_from_file('vocabulary.txt', num_oov_buckets=2)"
OF_VALUES = (
    "tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer("
    "['w0', 'w1'], tf.constant([5, 6], tf.int64)), -1)"
)
BY_HAND = """sess.run([tf.local_variables_initializer(), {tables}])
    threads = tf.train.start_queue_runners(sess)"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "words.txt").write_text("".join(f"w{n % 5}\n" for n in range(16)))
    (tmp_path / "vocabulary.txt").write_text("w0\nw1\nw2\n")
    return tmp_path


def got(folder: Path) -> str:
    done = queueio(folder, "run", "train.py")
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize("table", [OF_A_FILE, OF_VALUES], ids=["of a file", "of values"])
@pytest.mark.parametrize("monitored", [False, True], ids=["session", "monitored session"])
def test_a_pipeline_with_a_table_is_written_and_the_tables_initializer_begins_it(
    table: str, monitored: bool, data: Path
) -> None:
    session = "tf.train.MonitoredSession()" if monitored else "tf.Session()"
    start = "pass" if monitored else BY_HAND.format(tables="tf.tables_initializer()")
    (data / "train.py").write_text(
        SCRIPT.format(table=table, session=session, start=start, early="")
    )
    before = got(data)
    assert before.count("GOT") == 8
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "input_fn.next_batch(input_fn.input_fn())" in (data / "train.py").read_text()
    assert got(data) == before


@pytest.mark.long
def test_an_initializer_made_too_early_for_the_iterator_is_told_and_nothing_is_changed(
    data: Path,
) -> None:
    text = SCRIPT.format(
        table=OF_VALUES, session="tf.Session()", start=BY_HAND.format(tables="early"),
        early="early = tf.tables_initializer()\n",
    )  # fmt: skip
    (data / "train.py").write_text(text)
    done = queueio(data, "convert", "train.py", "--write")
    assert done.returncode == 1
    assert "iterator has not been initialized" in done.stderr.splitlines()[-1]
    assert (data / "train.py").read_text() == text


def test_a_module_that_is_only_written_has_no_function_for_graphs(data: Path) -> None:
    start = BY_HAND.format(tables="tf.tables_initializer()")
    text = SCRIPT.format(table=OF_VALUES, session="tf.Session()", start=start, early="")
    (data / "train.py").write_text(text)
    done = queueio(data, "convert", "train.py")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "next_batch" not in (data / "input_fn.py").read_text()
