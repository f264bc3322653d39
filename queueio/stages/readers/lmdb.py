"""Reads the entries of LMDB databases, in the order of their keys.

Legacy:
    reader = tf.LMDBReader()
    key, value = reader.read(tf.train.string_input_producer(["train.lmdb"], num_epochs=1))

Modern:
    import lmdb

    def entries():
        with lmdb.open("train.lmdb", readonly=True, lock=False) as env, env.begin() as view:
            yield from view.cursor()

    text = tf.TensorSpec([], tf.string)
    dataset = tf.data.Dataset.from_generator(entries, output_signature=(text, text))

Emits:
    key: string, shape (), the entry's key in the database; value: string, shape ()

Differs:
    Of all readers this is the only one whose key does not name the file. TensorFlow 2 lost its
    LMDB library, so this one reads through the Python package `lmdb`; each record passes
    through Python, and the graph cannot be saved as a MetaGraph and run elsewhere.

Raises:
    UnimplementedError: when the reader is made and the package `lmdb` is not installed.
    NotFoundError: at the read, for a missing database (TF1 ended the process); the next read goes
    on with the next name. InvalidArgumentError: for a file that is no LMDB database.

A name is that of the database's directory or of the data file in it. An empty database is
passed over.

Source:
    tf.LMDBReader of TensorFlow 1.15
"""

from __future__ import annotations

import itertools
import os
import threading
from typing import Any

import numpy as np
import tensorflow as tf

from queueio.errors import message
from queueio.stages.readers.reader import ReaderBase, Record

v1 = tf.compat.v1
_names = itertools.count()


class LMDBReader(ReaderBase):
    """Gives (key, value) of every entry of a database, sorted by key."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        """Makes the reader.

        Args:
          name: name of the op (default "LMDBReader").
          options: as in TF1, without effect.

        Raises:
          UnimplementedError: the package `lmdb` is not installed.
          RuntimeError: eager execution is on.
        """
        _package()
        # The op of TF1 keeps its name in the graph, but nothing runs it: its kernel is a stub.
        super().__init__(tf.raw_ops.LMDBReader(name=name))
        self._shared_name = f"queueio_lmdb_{next(_names)}"
        self._states: dict[int, _State] = {}
        self._states_lock = threading.Lock()

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next entry.

        Args:
          queue: a queue of names (a queue object, or its handle).
          name: name of the op.

        Returns:
          A pair (key, value) of string scalars.
        """
        keys, values = self._read(queue, 1, name or "ReaderRead")
        return Record(tf.reshape(keys, []), tf.reshape(values, []))

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """The next entries of the current database.

        Args:
          queue: a queue of names (a queue object, or its handle).
          num_records: how many entries at most (int64 scalar).
          name: name of the op.

        Returns:
          A pair (keys, values) of string vectors.
        """
        return Record(*self._read(queue, num_records, name or "ReaderReadUpTo"))

    def num_records_produced(self, name: str | None = None) -> Any:
        """How many entries the reader gave so far.

        Args:
          name: name of the op.

        Returns:
          An int64 scalar.
        """
        return self._ask(lambda state: np.int64(state.records), tf.int64, name)

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """How many databases the reader finished so far.

        Args:
          name: name of the op.

        Returns:
          An int64 scalar.
        """
        return self._ask(lambda state: np.int64(state.units), tf.int64, name)

    def serialize_state(self, name: str | None = None) -> Any:
        """No state of this reader can be saved.

        Args:
          name: name of the op.

        Returns:
          A string scalar.

        Raises:
          UnimplementedError: when it is run; as in TF1.
        """
        return self._ask(_unimplemented, tf.string, name)

    def restore_state(self, state: Any, name: str | None = None) -> Any:
        """No state of this reader can be restored.

        Args:
          state: a string scalar.
          name: name of the op.

        Returns:
          The operation.

        Raises:
          UnimplementedError: when it is run; as in TF1.
        """
        return self._ask(_unimplemented, tf.string, name).op

    def reset(self, name: str | None = None) -> Any:
        """Puts the reader into its first, clean state.

        Args:
          name: name of the op.

        Returns:
          The operation.
        """
        return self._ask(lambda state: np.int64(state.reset()), tf.int64, name).op

    def _read(self, queue: Any, count: Any, name: str) -> list[Any]:
        if tf.is_tensor(queue):
            queue = v1.QueueBase([tf.string], [[]], None, queue)
        with v1.name_scope(name):
            mutex = tf.raw_ops.MutexV2(shared_name=self._shared_name)
            lock = tf.raw_ops.MutexLock(mutex=mutex)
            count = tf.cast(count, tf.int64)
            with tf.control_dependencies([lock]):
                # TF1 takes a name while it holds the reader: no two threads open one each.
                records = self._loop(queue, self._session(), count)
            with tf.control_dependencies(records):
                unlock = tf.raw_ops.ConsumeMutexLock(mutex_lock=lock)
            with tf.control_dependencies([unlock]):
                return [tf.identity(tensor) for tensor in records]

    def _loop(self, queue: Any, session: Any, count: Any) -> list[Any]:
        """Records of the current database, else takes names until one has some."""

        def step(name: Any) -> list[Any]:
            out = [tf.bool, tf.string, tf.string]
            found = tf.numpy_function(self._take, [session, count, name], out)
            return [t.set_shape(s) or t for t, s in zip(found, ([], [None], [None]), strict=True)]

        def body(*_: Any) -> list[Any]:
            return step(_existing(queue.dequeue()))

        loose = [tf.TensorShape(s) for s in ([], [None], [None])]
        with _ControlFlowV1():  # the queue's dequeue stays in sight of who walks the graph
            done = v1.while_loop(
                lambda have, *_: tf.logical_not(have), body, step(tf.constant("")), loose,
                parallel_iterations=1, back_prop=False,
            )  # fmt: skip
        return list(done[1:])

    def _session(self) -> Any:
        """A number that is the session's own: a table is a resource of its session."""
        table = tf.raw_ops.MutableHashTableV2(
            key_dtype=tf.string, value_dtype=tf.int64, shared_name=self._shared_name
        )
        fresh = tf.random.uniform([], 1, 2**62, tf.int64)
        found = tf.raw_ops.LookupTableFindV2(table_handle=table, keys="id", default_value=fresh)
        keep = tf.raw_ops.LookupTableInsertV2(table_handle=table, keys="id", values=found)
        with tf.control_dependencies([keep]):
            return tf.identity(found)

    def _ask(self, answer: Any, dtype: Any, name: str | None) -> Any:
        def run(session: np.ndarray) -> Any:
            return answer(self._state(int(session)))

        result = tf.numpy_function(run, [self._session()], dtype, name=name)
        result.set_shape([])
        return result

    def _state(self, session: int) -> _State:
        with self._states_lock:
            return self._states.setdefault(session, _State())

    def _take(self, session: np.ndarray, count: np.ndarray, name: bytes) -> tuple[Any, Any, Any]:
        state = self._state(int(session))
        if name:
            state.open(os.fsdecode(name))
        pairs = state.take(int(count))
        keys, values = zip(*pairs, strict=True) if pairs else ((), ())
        return np.bool_(bool(pairs)), np.array(keys, object), np.array(values, object)


class _State:
    """What a reader of one session is reading."""

    def __init__(self) -> None:
        self.records, self.units = 0, 0
        self._database: _Database | None = None
        self._entries: Any = iter(())

    def open(self, path: str) -> None:
        """Begins to read a database."""
        self._database = _Database.shared(path)
        self._entries = self._database.entries()

    def take(self, count: int) -> list[tuple[bytes, bytes]]:
        """Up to `count` entries; none when the database is used up."""
        pairs = list(itertools.islice(self._entries, count))
        self.records += len(pairs)
        if not pairs and self._database is not None:
            self._close()
            self.units += 1
        return pairs

    def reset(self) -> int:
        """Forgets the database and the counts."""
        self._close()
        self.records, self.units = 0, 0
        return 0

    def _close(self) -> None:
        if self._database is not None:
            self._entries.close()
            self._database.release()
            self._database = None
        self._entries = iter(())


class _Database:
    """An open database. LMDB forbids opening one twice in a process, so readers share it."""

    _open: dict[str, _Database] = {}  # noqa: RUF012 - one for the process is the purpose
    _lock = threading.Lock()

    def __init__(self, path: str) -> None:
        self._path, self._users = path, 0
        package = _package()
        try:
            self._env = package.open(
                path, readonly=True, lock=False, create=False, subdir=os.path.isdir(path)
            )
        except package.Error as error:
            reason = "it does not open as an LMDB database"
            raise ValueError(message(f"cannot read {path!r}", f"{reason}: {error}")) from error

    @classmethod
    def shared(cls, path: str) -> _Database:
        """The database at a path, for one more user."""
        path = os.path.realpath(path)
        with cls._lock:
            database = cls._open.get(path) or cls._open.setdefault(path, cls(path))
            database._users += 1
            return database

    def entries(self) -> Any:
        """All (key, value), by key."""
        with self._env.begin(buffers=False) as view:
            yield from view.cursor()

    def release(self) -> None:
        """Closes the database behind its last user."""
        with self._lock:
            self._users -= 1
            if not self._users:
                del self._open[self._path]
                self._env.close()


class _ControlFlowV1:
    """Builds control flow as ops of the graph, as TF1 does, rather than as functions."""

    def __enter__(self) -> None:
        self._v2 = v1.control_flow_v2_enabled()
        v1.disable_control_flow_v2()

    def __exit__(self, *_: object) -> None:
        if self._v2:
            v1.enable_control_flow_v2()


def _package() -> Any:
    try:
        import lmdb
    except ImportError:
        text = message(
            "LMDBReader needs the package lmdb, which is not installed",
            "TensorFlow lost its own LMDB support after 1.15",
            "Run: pip install tf-queueio[lmdb]",
        )
        raise tf.errors.UnimplementedError(None, None, text) from None
    return lmdb


def _existing(name: Any) -> Any:
    """`name`, or the NotFoundError of TensorFlow's own readers; Python could not raise one."""

    def missing(path: bytes) -> Any:
        return os.fsencode(os.devnull) if os.path.exists(path) else path

    nothing = tf.io.read_file(tf.numpy_function(missing, [name], tf.string))
    return tf.strings.join([name, nothing])  # a mere control edge would be optimised away


def _unimplemented(_: _State) -> Any:
    raise NotImplementedError("Reader SerializeState")
