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
    LMDB library, so this one reads through the Python package `lmdb`, some hundred entries at a
    time; the graph cannot be saved as a MetaGraph and run elsewhere. A process may have a database
    open only once, and so may a pipeline that is written as above.

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

import contextlib
import itertools
import os
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import tensorflow as tf

from queueio.compile.kernels.as_written import flat_mapped, mapped, unbatched
from queueio.compile.kernels.budget import CHUNK_BYTES
from queueio.compile.kernels.keys import KeyForm
from queueio.eager import refuse_eager_reader
from queueio.errors import message
from queueio.forensics.location import Budget
from queueio.forensics.records import FileRecord
from queueio.graph.traversal import stand_for
from queueio.plan import Walk, lifts
from queueio.stages.readers.reader import ReaderBase, Record, Records, handle_of

if TYPE_CHECKING:
    from queueio.emit.writer import Writer

_MOST_ENTRIES = 1024
_OPENED = '''
DATABASES: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


def opened(path: bytes) -> lmdb.Environment:
    """The database at a path: a process may have it open only once."""
    path = os.path.realpath(path)
    found = DATABASES.get(path)
    if found is None:
        found = lmdb.open(path, readonly=True, lock=False, create=False, subdir=os.path.isdir(path))
        DATABASES[path] = found
    return found
'''
_ENTRIES = '''
def entries(path: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Pairs of key and value, sorted by key."""
    with opened(path).begin() as view:
        yield from view.cursor()
'''
_ENTRIES_OF = '''
def entries_of(file: tf.Tensor) -> tf.data.Dataset:
    """The entries of an LMDB database."""
    text = tf.TensorSpec([], tf.string)
    return tf.data.Dataset.from_generator(entries, args=(file,), output_signature=(text, text))
'''

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
        refuse_eager_reader("LMDBReader")
        # TF1's op is there, but its kernel is a stub: what keeps threads apart takes its place.
        self._shared_name = f"queueio_lmdb_{next(_names)}"
        mutex = tf.raw_ops.MutexV2(shared_name=self._shared_name, name=name or "LMDBReader")
        super().__init__(mutex)
        stand_for("LMDBReader", mutex.op)
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
        record = self._read(queue, name=name, stands_for="ReaderReadV2")
        return self._checked(Record(*record))

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """The next entries of the current database.

        Args:
          queue: a queue of names (a queue object, or its handle).
          num_records: how many entries at most (int64 scalar).
          name: name of the op.

        Returns:
          A pair (keys, values) of string vectors.
        """
        count = tf.convert_to_tensor(num_records, tf.int64)
        records = self._read(queue, count, name=name, stands_for="ReaderReadUpToV2")
        return self._checked(Record(*records))

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

    def _read(self, queue: Any, *count: Any, name: str | None, stands_for: str) -> list[Any]:
        """One op with the inputs and outputs of TF1's, whose kernel is gone.

        Args:
          queue: a queue of names, or its handle.
          count: how many entries at most; none for one.
          name: the op's name; None for its type.
          stands_for: the type of TF1's op.
        """
        args = [self._reader_ref, handle_of(queue), *count]
        specs = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in args]
        body = tf.function(self._records, autograph=False).get_concrete_function(*specs)
        read = tf.raw_ops.StatefulPartitionedCall(
            args=args, Tout=[tf.string, tf.string], f=body, name=name or stands_for
        )
        stand_for(stands_for, read[0].op)
        for tensor in read:
            tensor.set_shape([None] if count else [])
        return list(read)

    def _records(self, mutex: Any, queue: Any, *count: Any) -> list[Any]:
        """Keys and values."""
        lock = tf.raw_ops.MutexLock(mutex=mutex)
        with tf.control_dependencies([lock]):
            # TF1 takes a name while it holds the reader: no two threads open one each.
            records = self._loop(queue, self._session(), *(count or (tf.constant(1, tf.int64),)))
        with tf.control_dependencies(records):
            unlock = tf.raw_ops.ConsumeMutexLock(mutex_lock=lock)
        with tf.control_dependencies([unlock]):
            return [tf.identity(each) if count else tf.reshape(each, []) for each in records]

    def _loop(self, queue: Any, session: Any, count: Any) -> list[Any]:
        """Records of the current database, else takes names until one has some."""

        def step(name: Any) -> list[Any]:
            out = [tf.bool, tf.string, tf.string]
            found = tf.numpy_function(self._take, [session, count, name], out)
            return [t.set_shape(s) or t for t, s in zip(found, ([], [None], [None]), strict=True)]

        def body(*_: Any) -> list[Any]:
            (name,) = tf.raw_ops.QueueDequeueV2(handle=queue, component_types=[tf.string])
            return step(_existing(tf.ensure_shape(name, [])))

        loose = [tf.TensorShape(s) for s in ([], [None], [None])]
        done = tf.while_loop(
            lambda have, *_: tf.logical_not(have), body, step(tf.constant("")), loose,
            parallel_iterations=1,
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
        return np.bool_(bool(pairs)), *_columns(pairs)


class _State:
    """What a reader of one session is reading."""

    def __init__(self) -> None:
        self.records, self.units = 0, 0
        self._entries: Iterator[tuple[bytes, bytes]] | None = None

    def open(self, path: str) -> None:
        """Begins to read a database."""
        self._entries = _entries(_opened(path))

    def take(self, count: int) -> list[tuple[bytes, bytes]]:
        """Up to `count` entries; none when the database is used up."""
        pairs = list(itertools.islice(self._entries or (), count))
        self.records += len(pairs)
        if not pairs and self._entries is not None:
            self._entries = None
            self.units += 1
        return pairs

    def reset(self) -> int:
        """Forgets the database and the counts."""
        self.records, self.units, self._entries = 0, 0, None
        return 0


@dataclass(frozen=True)
class Databases(Records):
    """LMDB databases, read in Python."""

    resumes: ClassVar[bool] = False

    def dataset(self, name: Any) -> Any:
        """The entries one by one."""
        return unbatched(self._of_name(name))

    def chunks(self, names: Any, keys: KeyForm, dtype: Any) -> Any:
        """Entries as many as a chunk may hold."""
        if dtype not in (None, tf.string):
            return None
        lots = flat_mapped(names, self._of_name)
        return lots if keys else mapped(lots, lambda _, values: (values,))

    def to_source(self, writer: Writer, keys: bool) -> tuple[str | None, str]:
        """A generator's entries."""
        writer.packages.add("lmdb")
        writer.imports |= {"os", "weakref"}
        writer.verbatim("opened", _OPENED)
        writer.verbatim("entries", _ENTRIES)
        name = writer.verbatim("entries_of", _ENTRIES_OF)
        return None, name if keys else f"{name}(file).map(lambda _, value: value)"

    def walk(self, file: str) -> Iterator[FileRecord]:
        """The entries."""
        os.stat(file)
        with contextlib.suppress(ValueError):
            for place, (_, value) in enumerate(_entries(_opened(file))):
                yield FileRecord(file, place, value)

    def count(self, file: str, budget: Budget) -> int | None:
        """As the database itself says."""
        os.stat(file)
        with contextlib.suppress(ValueError):
            return int(_opened(file).stat()["entries"])
        return 0

    @staticmethod
    def _of_name(name: Any) -> Any:
        text = tf.TensorSpec([None], tf.string)
        return tf.data.Dataset.from_generator(
            _lots, args=(_existing(name),), output_signature=(text, text)
        )


_open: Any = weakref.WeakValueDictionary()
_opening = threading.Lock()


def _opened(path: str) -> Any:
    """The database at a path; readers share it, and it is closed when none holds it any more."""
    path, package = os.path.realpath(path), _package()
    with _opening:
        found = _open.get(path)
        if found is None:
            how = {"subdir": os.path.isdir(path), "readonly": True, "lock": False, "create": False}
            try:
                with _unguarded():
                    found = package.open(path, **how)
            except package.Error as error:
                reason = "it does not open as an LMDB database"
                raise ValueError(message(f"cannot read {path!r}", f"{reason}: {error}")) from error
            _open[path] = found
        return found


def _entries(database: Any) -> Iterator[tuple[bytes, bytes]]:
    """All (key, value), by key."""
    with database.begin() as view:
        yield from view.cursor()


def _lots(path: bytes) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Keys and values [C] of so many entries or bytes."""
    lot: list[tuple[bytes, bytes]] = []
    held = 0
    for entry in _entries(_opened(os.fsdecode(path))):
        lot.append(entry)
        held += len(entry[1])
        if len(lot) == _MOST_ENTRIES or held >= CHUNK_BYTES:
            yield _columns(lot)
            lot, held = [], 0
    if lot:
        yield _columns(lot)


@contextlib.contextmanager
def _unguarded() -> Iterator[None]:
    """Has a database opened that this process has open already.

    The package forbids it, since a second one would share the first one's locks. This one takes
    none, and a program, or the other side of a comparison, may hold the database itself.
    """
    try:
        from lmdb import _envid
    except ImportError:  # an older version: two at a time are an error there
        yield
        return
    known, here = _envid.env_keys, threading.get_ident()

    def keys(*given: Any) -> Any:
        return () if threading.get_ident() == here else known(*given)

    _envid.env_keys = keys
    try:
        yield
    finally:
        _envid.env_keys = known


def _columns(pairs: list[tuple[bytes, bytes]]) -> tuple[np.ndarray, np.ndarray]:
    keys, values = zip(*pairs, strict=True) if pairs else ((), ())
    return np.array(keys, object), np.array(values, object)


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


@lifts("LMDBReader")
def lift(op: Any, walk: Walk) -> Records:
    """An LMDB reader, of TF1 or what stands for it here."""
    _package()
    return Databases()
