"""A plan's dataset where the program has its functions run eagerly, to debug its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import python

PROGRAM = """
import tensorflow as tf
import queueio
from queueio import io, train

with open("one.csv", "w") as one, open("two.bin", "wb") as two:
    one.write("1,2\\n3,4\\n"), two.write(b"abcd")


def looked_up():
    number = train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    more = tf.compat.v1.get_variable("more", initializer=3)
    keys = tf.lookup.KeyValueTensorInitializer(["0", "1"], tf.constant([7, 8], tf.int64))
    table = tf.lookup.StaticVocabularyTable(keys, 1)
    return train.batch([number + more, table.lookup(tf.strings.as_string(number))], 2)


def lines():
    names = train.string_input_producer(["one.csv"], num_epochs=1, shuffle=False)
    return train.batch(tf.io.decode_csv(io.TextLineReader().read(names)[1], [[0], [0]]), 2)


def records():
    names = train.string_input_producer(["two.bin"], num_epochs=1, shuffle=False)
    return train.batch([*io.FixedLengthRecordReader(2).read(names)], 2)


def padded():
    number = train.range_input_producer(2, num_epochs=1, shuffle=False).dequeue()
    return train.batch([tf.range(number + 1)], 2, dynamic_pad=True)


SWITCH
for build in (looked_up, lines, records, padded):
    for vectorise in (True, False):
        dataset = queueio.lift(build).to_dataset(vectorise=vectorise)
        parts = [tf.nest.flatten(batch) for batch in dataset]
        print([part.numpy().tolist() for batch in parts for part in batch])
looked = []
list(tf.data.Dataset.range(1).map(lambda n: looked.append(tf.executing_eagerly()) or n))
print(any(looked))
"""
WANTED = [
    "[[3, 4], [7, 8], [5, 6], [2, 2]]",
    "[[1, 3], [2, 4]]",
    "[[b'two.bin:0', b'two.bin:1'], [b'ab', b'cd']]",
    "[[[0, 0], [0, 1]]]",
]
SWITCHES = {
    "tf.config.run_functions_eagerly(True)": "False",
    "tf.data.experimental.enable_debug_mode()": "True",  # of the program's own, still
}


@pytest.mark.long
@pytest.mark.parametrize("switch", SWITCHES)
def test_a_plan_gives_the_same_where_functions_run_eagerly(switch: str, tmp_path: Path) -> None:
    done = python("-c", PROGRAM.replace("SWITCH", switch), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    twice = [line for line in WANTED for _ in range(2)]
    assert done.stdout.splitlines() == [*twice, SWITCHES[switch]]
