"""io.LMDBReader: the entries of LMDB databases, through the lmdb package."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import tensorflow as tf

from queueio import io

v1 = tf.compat.v1


@pytest.fixture
def database(tmp_path: Any) -> str:
    """A database of three entries, made in a process of its own as LMDB demands."""
    pytest.importorskip("lmdb", reason="the extra tf-queueio[lmdb] is not installed")
    code = """
import lmdb
with lmdb.open("entries", map_size=1 << 20) as env, env.begin(write=True) as change:
    for key in (b"b", b"c", b"a"):
        change.put(key, key.upper())
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=60)
    return str(tmp_path / "entries")


def test_a_missing_database_is_an_error(session: Any, database: str) -> None:
    queue = v1.FIFOQueue(5, tf.string, [[]])
    key, _ = io.LMDBReader().read(queue)
    session.run(queue.enqueue(database + "-absent"))
    with pytest.raises(tf.errors.OpError):
        session.run(key)


def test_entries_come_in_the_order_of_their_keys(session: Any, database: str) -> None:
    queue = v1.FIFOQueue(5, tf.string, [[]])
    read = io.LMDBReader().read(queue)
    session.run(queue.enqueue(database))
    session.run(queue.close())
    pairs = [tuple(session.run(list(read))) for _ in range(3)]
    assert pairs == [(b"a", b"A"), (b"b", b"B"), (b"c", b"C")]
    with pytest.raises(tf.errors.OutOfRangeError):
        session.run(list(read))


def test_read_up_to_gives_vectors(session: Any, database: str) -> None:
    queue = v1.FIFOQueue(5, tf.string, [[]])
    keys, _ = io.LMDBReader().read_up_to(queue, 2)
    session.run(queue.enqueue(database))
    assert session.run(keys).tolist() == [b"a", b"b"]
