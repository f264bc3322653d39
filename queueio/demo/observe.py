"""Look at a running TF1 script from outside: what its queues hold, and what its readers read.

The script is not changed, and the names in its graph stay what they are. Two of its calls are
seen on their way:

- `reader.read(queue)`: each key is also put into a queue of the observer's own;
- `start_queue_runners(sess)`: now the graph is complete and there is a session, so a thread
  begins to fetch the sizes of the queues, twenty times a second.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import tensorflow.compat.v1 as tf

SECONDS_BETWEEN_LOOKS = 0.05
UNBOUNDED = 2**31 - 1


@dataclass(frozen=True)
class Queue:
    """A queue that a queue runner fills."""

    pipeline: str
    """The scope it was built in: what its name begins with."""
    kind: str
    """`filename queue` or `example queue`."""
    name: str
    capacity: int
    min_after_dequeue: int | None


@dataclass(frozen=True)
class Reader:
    """A reader whose keys are copied."""

    pipeline: str
    name: str
    keys: Any


@dataclass(frozen=True)
class Look:
    """What one look saw, `seconds` after the queue runners were started."""

    seconds: float
    sizes: dict[Queue, int]
    closed: frozenset[Queue]
    read: dict[str, int]
    """Records read until now, by pipeline."""
    step: int | None
    """The script's global step, if it has one."""


@dataclass
class Witness:
    """Everything that was seen of one run. `on_look` is called after each look, in its thread."""

    on_look: Callable[[Look], None] = lambda look: None
    looks: list[Look] = field(default_factory=list)
    keys: dict[str, list[str]] = field(default_factory=dict)
    """The keys in the order in which they were read, by pipeline."""
    _readers: list[Reader] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @contextmanager
    def watching(self, legacy: Any) -> Iterator[Witness]:
        """Watch what is built and started through the module `legacy`, for a `with` block."""
        reader, train = legacy.TFRecordReader, legacy.train
        read, start = reader.read, train.start_queue_runners
        reader.read = self._copying_keys(read)
        train.start_queue_runners = self._then_looking(start)
        try:
            yield self
        finally:
            reader.read, train.start_queue_runners = read, start
            self._end()

    def _copying_keys(self, read: Callable[..., Any]) -> Callable[..., Any]:
        def read_and_copy_key(reader: Any, queue: Any, name: str | None = None) -> Any:
            key, value = read(reader, queue, name=name)
            # A scope of the observer's own leaves the script's ops the names they always had.
            with tf.name_scope("observer/"):
                keys = tf.FIFOQueue(UNBOUNDED, [tf.string], shapes=[[]])
                with tf.control_dependencies([keys.enqueue([key])]):
                    value = tf.identity(value)
            self._readers.append(Reader(_pipeline(key.op.name), key.op.name, keys))
            return key, value

        return read_and_copy_key

    def _then_looking(self, start: Callable[..., Any]) -> Callable[..., Any]:
        def look_and_start(sess: Any = None, *args: Any, **kwargs: Any) -> Any:
            if self._thread is None:
                self._begin(sess or tf.get_default_session())
            return start(sess, *args, **kwargs)

        return look_and_start

    def _begin(self, sess: Any) -> None:
        fetches = _fetches(sess.graph, self._readers)
        close = sess.close

        def look_and_close() -> None:
            self._end()  # The last look: after it the session can no more be asked.
            close()

        sess.close = look_and_close
        self._thread = threading.Thread(
            target=self._look_on, args=(sess, fetches), name="observer", daemon=True
        )
        self._thread.start()

    def _end(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _look_on(self, sess: Any, fetches: dict[str, Any]) -> None:
        begin = time.perf_counter()
        # Errors of a session that somebody else closes are not the observer's to report.
        with suppress(tf.errors.OpError, RuntimeError):
            last = False
            while not last:
                last = self._stop.is_set()
                seen = sess.run(fetches)
                look = Look(
                    time.perf_counter() - begin,
                    seen["sizes"],
                    frozenset(queue for queue, closed in seen["closed"].items() if closed),
                    self._take_keys(sess, seen["read"]),
                    seen.get("step"),
                )
                self.looks.append(look)
                self.on_look(look)
                self._stop.wait(SECONDS_BETWEEN_LOOKS)

    def _take_keys(self, sess: Any, waiting: dict[Reader, int]) -> dict[str, int]:
        """Empty the queues of keys; returns how many keys there were so far, by pipeline."""
        for reader, n in waiting.items():
            taken = sess.run(reader.keys.dequeue_many(n)) if n else []
            self.keys.setdefault(reader.pipeline, []).extend(key.decode() for key in taken)
        return {pipeline: len(keys) for pipeline, keys in self.keys.items()}


def _pipeline(name: str) -> str:
    return name.partition("/")[0]


def _fetches(graph: Any, readers: list[Reader]) -> dict[str, Any]:
    """The tensors that one look evaluates."""
    with graph.as_default(), tf.name_scope("observer/"):
        runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        queues = {_describe(runner): runner.queue for runner in runners}
        step = tf.train.get_global_step()
        return {
            "sizes": {queue: actual.size() for queue, actual in queues.items()},
            "closed": {queue: actual.is_closed() for queue, actual in queues.items()},
            "read": {reader: reader.keys.size() for reader in readers},
            **({} if step is None else {"step": step}),
        }


def _describe(runner: Any) -> Queue:
    op = runner.queue.queue_ref.op
    reads = any(_comes_from_reader(enqueue) for enqueue in runner.enqueue_ops)
    attributes = op.node_def.attr
    least = attributes["min_after_dequeue"].i if "min_after_dequeue" in attributes else None
    kind = "example queue" if reads else "filename queue"
    return Queue(_pipeline(op.name), kind, op.name, attributes["capacity"].i, least)


def _comes_from_reader(op: Any) -> bool:
    seen, todo = set(), [op]
    while todo:
        op = todo.pop()
        if op.type.startswith("ReaderRead"):
            return True
        if op not in seen:
            seen.add(op)
            todo += [*(tensor.op for tensor in op.inputs), *op.control_inputs]
    return False
