"""Where a pipeline stands: saved with the script's own checkpoints, and taken up again.

A `tf.train.Saver` writes, beside each checkpoint, one more file with what the next batches will
be: the state of the tf.data iterator (its shuffle pool included), and the batches that it had
made and nobody had taken. The file is named so that the Saver that deletes old checkpoints
deletes it as well; checkpoints without it, and its absence anywhere else, are no error.
"""

from __future__ import annotations

import functools
import io
import math
import os
import tempfile
import threading
import time
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import tensorflow as tf
from tensorflow.core.framework import tensor_pb2, tensor_shape_pb2

from queueio.compile.kernels.budget import weigh
from queueio.data_engine.gate import Gate
from queueio.errors import FallbackWarning, message
from queueio.graph.error_text import sentence
from queueio.graph.unnoticed import unnoticed
from queueio.runtime import calls
from queueio.runtime.diagnosis.queues import opened
from queueio.runtime.ledger import RunnerThread

v1 = tf.compat.v1
_T = TypeVar("_T")

SUFFIX = ".data-queue-of-ready"
"""Matches the `.data-?????-of-?????` that a Saver deletes with an old checkpoint."""
PATIENCE = 5.0
"""Seconds for which a save waits until the batches that are being made are there."""
OVER = "over"
"""Is in a position where nothing is left."""
Place = dict[str, bytes] | str
"""A position, as the contents of files; or why there is none, "" where nobody needs to be told."""
_NAP = 0.002
_IGNORE = 1  # ExternalStatePolicy: variables and random ops in functions are not of the position


class NotAtGate(Exception):
    """A batch is being made and does not come, so nobody can say where the pipeline stands."""


class Position:
    """The ops that save and restore where one iterator stands.

    Attributes:
      most: how many batches may wait ready.
      heaviest: for each number of batches that a step makes, what tells the bytes of the heaviest
        of them; empty where they are not weighed.
      begins: what readies a session.
      waiting, closed: how many batches are ready; whether nothing more can go into their queue.

    Args:
      iterator: the iterator.
      dtypes: those of its batches' tensors.
      ready: the queue that the batches go into.
      most: see there.
      weighed: whether to weigh the batches.
      stacked: whether the iterator gives them in stacks.
    """

    def __init__(
        self,
        iterator: Any,
        dtypes: list[Any],
        ready: Any,
        most: int,
        weighed: bool,
        stacked: bool = False,
    ) -> None:
        self.most, self._stacked = most, stacked
        self.heaviest: list[Any] = []
        self._weighed = weighed
        copies = most + 1  # one more where the queue was closed before it came in
        self._recent = recent = tf.queue.FIFOQueue(copies, dtypes, name="recent")
        self._recent_size = recent.size()
        self._count, self._arrived = _counter("batches_made"), _counter("batches_arrived")
        self._counted, self._there = self._count.read_value(), self._arrived.read_value()
        self._one = tf.constant(1, tf.int64)
        if weighed:
            self._forget = _joined(recent.dequeue())
            self._fill = recent.enqueue([tf.zeros([], dtype) for dtype in dtypes])
        missing = [copies - self._recent_size]  # none where an earlier beginning failed
        fill_all = recent.enqueue_many([tf.zeros(missing, dtype) for dtype in dtypes])
        self.begins = [self._count.initializer, self._arrived.initializer, fill_all]
        self.waiting, self.closed = ready.size(), ready.is_closed()
        self._lock = threading.Lock()
        self._saving_ops: _Saving | None = None
        self._graph, self._scope = v1.get_default_graph(), v1.get_default_graph().get_name_scope()
        self._make_saving = functools.partial(
            _Saving, self, iterator._iterator_resource, recent, ready, stacked
        )

    @property
    def _saving(self) -> _Saving:
        """The ops for a save or a restore; most programs do neither, and wait for their batches."""
        with self._lock:
            if self._saving_ops is None:
                with (
                    opened(self._graph, f"{self._scope}/"),
                    self._graph.device(self._recent.queue_ref.device),
                    unnoticed(self._graph),
                ):
                    self._saving_ops = self._make_saving()
            return self._saving_ops

    def advance(self, made: list[Any]) -> list[Any]:
        """Ops that keep a copy of a batch and count it; to run before enqueueing it.

        To be called for each batch of a step, in their order.
        """
        if self._weighed:
            before = self.heaviest[-1] if self.heaviest else tf.constant(0, tf.int64)
            self.heaviest.append(tf.maximum(before, weigh(tuple(made))))
        return self._kept(made, self._one)

    def advance_many(self, made: list[Any], number: Any = None) -> list[Any]:
        """The same of a stack of `number` batches (int64; 1), each tensor [number, ...]."""
        return self._kept(made, self._one if number is None else number)

    def _kept(self, made: list[Any], number: Any) -> list[Any]:
        with tf.control_dependencies(made):  # at the end of the data nothing shall leave
            oldest = self._recent.dequeue()
        with tf.control_dependencies(oldest if isinstance(oldest, list) else [oldest]):
            counted = self._count.assign_add(number, read_value=False)
            return [self._recent.enqueue(made), counted]

    def arrives(self, enqueue: Any, number: Any = None) -> Any:
        """An op that runs `enqueue`, which puts a batch into the queue, and then counts it.

        `number`: of batches, one or none, where that is not told before.
        """
        with tf.control_dependencies([enqueue]):
            one = self._one if number is None else number
            return self._arrived.assign_add(one, read_value=False)

    def made(self, run: Any) -> int:
        """How many batches the iterator has made since it began."""
        return int(run(self._counted))

    def keep(self, session: Any, most: int, waiting: int) -> None:
        """Keeps copies of no more than the `most` batches made last; `waiting` are not taken."""
        run = functools.partial(calls.run_unwatched, session)
        kept = int(run(self._recent_size))
        for _ in range(kept - most if waiting else kept):
            run(self._forget)
        for _ in range(0 if waiting else most):
            run(self._fill)

    def read(
        self, run: Any, gate: Gate, record: Any, unfinished: dict[str, bytes] | None = None,
        patience: float = PATIENCE,
    ) -> dict[str, bytes]:  # fmt: skip
        """The position as the contents of files.

        Args:
          run: the session's `run`, not watched.
          gate: where the thread that makes the batches stops.
          record: the record of that thread.
          unfinished: what it is taking up, or was when it was stopped.
          patience: seconds to wait for it to come to the gate.

        Raises:
          NotAtGate: it did not.
        """
        saving = self._saving

        def read() -> dict[str, bytes]:
            with gate.one_at_a_time:  # a Supervisor's saver thread and the program may both save
                try:
                    until = time.monotonic() + (patience if gate.close() else math.inf)
                    while record.state == "running" and not gate.stands.is_set():
                        if time.monotonic() > until:
                            raise NotAtGate
                        gate.stands.wait(_NAP)
                    counts = [self._counted, self._there, self.waiting]
                    made, arrived, waiting = map(int, run(counts))
                    if unfinished is not None and not gate.stands.is_set():
                        return _without(unfinished, arrived - waiting)
                    # What was made and has not arrived was not let in: the queue had been closed.
                    pending = self._pending(run, saving, waiting + made - arrived)
                    # This waits for what the iterator is computing, which may take too long.
                    return pending | apart_from_signals(lambda: _state(run, saving), patience)
                finally:
                    gate.open()

        return apart_from_signals(read)

    def _pending(self, run: Any, saving: _Saving, pending: int) -> dict[str, bytes]:
        kept = int(run(self._recent_size))
        # A stack may hold but one batch, so all are looked at.
        skipped = 0 if self._stacked else max(0, kept - pending)
        for _ in range(skipped):
            run(saving.turn)
        batches = [run(saving.oldest) for _ in range(kept - skipped)]
        if self._stacked:
            batches = [batch for stack in batches for batch in _apart(stack)]
        return {
            f"pending/{number}/{place}": part
            for number, batch in enumerate(batches[len(batches) - pending :])
            for place, part in enumerate(batch)
        }

    def take_up(self, run: Any, contents: dict[str, bytes]) -> Iterator[None]:
        """Puts the iterator where it was and the batches into the queue; yields at each of them."""
        with tempfile.TemporaryDirectory() as folder:
            for name in (n for n in contents if n.startswith("state")):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(contents[name])
            saving = self._saving
            run(saving.restore, {saving.path: os.path.join(folder, "state")})
        count = 0
        while f"pending/{count}/0" in contents:
            places = range(saving.batch.shape[0])
            parts = [contents[f"pending/{count}/{place}"] for place in places]
            run(saving.put_back, {saving.batch: parts})
            count += 1
            yield


class _Saving:
    """The ops that take batches back, and save and restore an iterator.

    Attributes:
      oldest: of the copies of the batches made last, the components of the oldest as strings; it
        becomes the newest. `turn` does the same and tells nothing.
      put_back: puts `batch`, components as strings, into the queue, as if made.
      save, restore: the iterator's state, in a checkpoint at `path`.
    """

    def __init__(
        self, place: Position, resource: Any, recent: Any, ready: Any, stacked: bool
    ) -> None:
        dtypes = ready.dtypes
        taken = recent.dequeue()
        taken = taken if isinstance(taken, list) else [taken]
        self.turn = recent.enqueue(taken)
        with tf.control_dependencies([self.turn]):
            self.oldest = tf.stack([tf.io.serialize_tensor(tensor) for tensor in taken])
        self.batch = v1.placeholder(tf.string, [len(dtypes)], name="batch")
        parts = [tf.io.parse_tensor(self.batch[i], d) for i, d in enumerate(dtypes)]
        alone = [part[tf.newaxis] for part in parts] if stacked else parts
        with tf.control_dependencies(place.advance_many(alone)):
            put_back = ready.enqueue(parts)
        self.put_back = place.arrives(put_back)
        self.path = v1.placeholder(tf.string, [], name="path")
        state = tf.raw_ops.SerializeIterator(
            resource_handle=resource, external_state_policy=_IGNORE
        )
        self.save = tf.raw_ops.SaveV2(
            prefix=self.path, tensor_names=["iterator"], shape_and_slices=[""], tensors=[state]
        )
        (again,) = tf.raw_ops.RestoreV2(
            prefix=self.path, tensor_names=["iterator"], shape_and_slices=[""],
            dtypes=[tf.variant],
        )  # fmt: skip
        self.restore = tf.raw_ops.DeserializeIterator(resource_handle=resource, serialized=again)


def apart_from_signals(read: Callable[[], _T], patience: float | None = None) -> _T:
    """What `read` returns or raises in a thread that ends on its own.

    An exception out of a signal handler, which comes in the main thread, does not stop it halfway.

    Raises:
      NotAtGate: it took longer than `patience` seconds.
    """
    done: SimpleQueue[Any] = SimpleQueue()

    def work() -> None:
        try:
            done.put(read())
        except Exception as error:
            done.put(error)

    RunnerThread(target=work, name="queueio-position", daemon=True).start()
    try:
        found = done.get(timeout=patience)
    except Empty:
        raise NotAtGate from None
    if isinstance(found, Exception):
        raise found
    made: _T = found
    return made


def _state(run: Any, saving: _Saving) -> dict[str, bytes]:
    """The files that the iterator's state is saved in."""
    with tempfile.TemporaryDirectory() as folder:
        run(saving.save, {saving.path: os.path.join(folder, "state")})
        files = [(name, os.path.join(folder, name)) for name in os.listdir(folder)]
        return {name: Path(file).read_bytes() for name, file in files}


def _apart(stack: Iterable[bytes]) -> Iterator[list[bytes]]:
    """The batches of a stack of numbers, each component as a string; none of what only fills."""
    parts = [tensor_pb2.TensorProto.FromString(part) for part in stack]
    shape = parts[0].tensor_shape.dim
    for number in range(shape[0].size if shape else 0):
        yield [_at(part, number).SerializeToString() for part in parts]


def _at(stack: Any, number: int) -> Any:
    """One of the tensors of which a tensor consists."""
    first, *rest = stack.tensor_shape.dim
    size = len(stack.tensor_content) // first.size
    content = stack.tensor_content[number * size : (number + 1) * size]
    shape = tensor_shape_pb2.TensorShapeProto(dim=rest)
    return tensor_pb2.TensorProto(dtype=stack.dtype, tensor_shape=shape, tensor_content=content)


def _without(contents: dict[str, bytes], taken: int) -> dict[str, bytes]:
    """A position without the first `taken` batches of those that were made ahead."""
    left = {}
    for name, content in contents.items():
        kind, *place = name.split("/")
        if kind == "pending":
            number, part = map(int, place)
            if number < taken:
                continue
            name = f"pending/{number - taken}/{part}"
        left[name] = content
    return left


def write(path: str, positions: dict[str, dict[str, bytes]]) -> None:
    """Writes the positions of the pipelines, by name, beside the checkpoint `path`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for pipeline, contents in positions.items():
            for name, content in contents.items():
                archive.writestr(f"{pipeline}:{name}", content)
    with tf.io.gfile.GFile(path + SUFFIX, "wb") as file:
        file.write(buffer.getvalue())


def load(path: str) -> dict[str, dict[str, bytes]]:
    """What `write` wrote; nothing where it wrote nothing."""
    found: dict[str, dict[str, bytes]] = {}
    if not tf.io.gfile.exists(path + SUFFIX):
        return found
    try:
        with tf.io.gfile.GFile(path + SUFFIX, "rb") as file:
            buffer = io.BytesIO(file.read())
        with zipfile.ZipFile(buffer) as archive:
            for entry in archive.namelist():
                pipeline, _, name = entry.partition(":")
                found.setdefault(pipeline, {})[name] = archive.read(entry)
    except (zipfile.BadZipFile, tf.errors.OpError) as error:
        unread = isinstance(error, tf.errors.OpError)
        what = f"could not be read: {sentence(error)}" if unread else "is no whole file"
        told = message(
            f"{path}{SUFFIX} {what}",
            "it says where the input stood, which begins anew; the variables are in other files",
        )
        warnings.warn(FallbackWarning(told), stacklevel=2)
        return {}
    return found


def _counter(name: str) -> Any:
    return v1.Variable(
        tf.zeros([], tf.int64), trainable=False, collections=[], use_resource=True, name=name
    )


def _joined(taken: Any) -> Any:
    return tf.group(*(taken if isinstance(taken, list) else [taken]))
