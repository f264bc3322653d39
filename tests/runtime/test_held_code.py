"""Errors about ops whose code is gone: of a string that was executed, of a console's lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import python

PROGRAM = """
import code
import queueio.v1 as tf
LINES = 'taken = queue.dequeue()'
names = {{'queue': tf.FIFOQueue(3, tf.int32)}}
{way}
with tf.Session() as sess:
    sess.run(names['queue'].close())
    try:
        sess.run(names['taken'])
    except tf.errors.OutOfRangeError as error:
        print('END')
"""
WAYS = {
    "a string": "exec(LINES, names)",
    "a compiled text": "exec(compile(LINES, 'train.py', 'exec'), names)",
    "a console": "code.InteractiveConsole(names).push(LINES)",
    "a function of a string": "exec(f'def make(): {LINES}; return taken', names)\n"
                              "names['taken'] = names.pop('make')()",
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_the_end_of_input_is_told_where_the_code_of_the_ops_is_gone(
    way: str, tmp_path: Path
) -> None:
    (tmp_path / "run.py").write_text(PROGRAM.format(way=WAYS[way]))
    done = python("run.py", cwd=tmp_path)
    assert done.stdout == "END\n", (done.returncode, done.stderr[-2000:])
