"""Where a pipeline stands: saved with the script's own checkpoints, and taken up again.

A `tf.train.Saver` writes, beside each checkpoint, one more file with what the next batches will
be: the state of the tf.data iterator (its shuffle pool included), and the batches that it had
made and nobody had taken. The file is named so that the Saver that deletes old checkpoints
deletes it as well; checkpoints without it, and its absence anywhere else, are no error.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import tempfile
import threading
import time
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import tensor_pb2, tensor_shape_pb2

from queueio.compile.kernels.budget import weigh
from queueio.data_engine.gate import Gate
from queueio.data_engine.unnoticed import unnoticed
from queueio.errors import FallbackWarning, message
from queueio.runtime.diagnosis.queues import opened
from queueio.runtime.ledger import RunnerThread

v1 = tf.compat.v1

SUFFIX = ".data-queue-of-ready"
"""Matches the `.data-?????-of-?????` that a Saver deletes with an old checkpoint."""
PATIENCE = 5.0
"""Seconds for which a save waits until the batches that are being made are there."""
_NAP = 0.002
_DEQUEUE_MS = 1000
_IGNORE = 1  # ExternalStatePolicy: variables and random ops in functions are not of the position


class NotAtGate(Exception):
    """Batches are being made and do not come, so nobody can say where the pipeline stands."""


class Position:
    """The ops that save and restore where one iterator stands.

    Attributes:
      kept: how many batches may have been made and not taken.
      heaviest: for each number of batches that a step makes, what tells the bytes of the heaviest
        of them; empty where they are not weighed.
      begins: what readies a session.
      closed: whether nothing more can go into the queue.
      waits_for_room: whether the thread that makes batches waits until some are taken.

    Args:
      iterator: the iterator.
      dtypes: those of its batches' tensors.
      ready: the queue that the batches go into.
      kept: see there.
      at_once: how many batches one step makes, between two looks at the gate.
      weighed: whether to weigh the batches.
      stacked: whether the iterator gives them in stacks of up to `at_once`.
    """

    def __init__(
        self,
        iterator: Any,
        dtypes: list[Any],
        ready: Any,
        kept: int,
        at_once: int,
        weighed: bool,
        stacked: bool = False,
    ) -> None:
        self.kept, self._stacked = kept, stacked
        self.heaviest: list[Any] = []
        self.waits_for_room = False
        self._weighed = weighed
        most = kept + at_once  # also of those that a save took out, and the thread has to put back
        self._recent = recent = tf.queue.FIFOQueue(most, dtypes, name="recent")
        self._recent_size = recent.size()
        self._count, self._arrived = _counter("batches_made"), _counter("batches_arrived")
        self._counted, self._there = self._count.read_value(), self._arrived.read_value()
        self._one = tf.constant(1, tf.int64)
        if weighed:
            self._forget = _joined(recent.dequeue())
            self._fill = recent.enqueue([tf.zeros([], dtype) for dtype in dtypes])
        missing = [most - self._recent_size]  # none where an earlier beginning failed
        fill_all = recent.enqueue_many([tf.zeros(missing, dtype) for dtype in dtypes])
        self.begins = [self._count.initializer, self._arrived.initializer, fill_all]
        self._waiting, self.closed = ready.size(), ready.is_closed()
        self._lock = threading.Lock()
        self._saving_ops: _Saving | None = None
        self._graph, self._scope = v1.get_default_graph(), v1.get_default_graph().get_name_scope()
        self._make_saving = functools.partial(
            _Saving, self, iterator._iterator_resource, recent, ready, most, stacked
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

    def leaves(self) -> Any:
        """An op that counts a batch that was taken back out of the queue."""
        return self._arrived.assign_sub(self._one, read_value=False)

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

    def keep(self, run: Any, most: int, waiting: int) -> None:
        """Keeps copies of no more than the `most` batches made last; `waiting` are not taken."""
        kept = int(run(self._recent_size))
        for _ in range(kept - most if waiting else kept):
            run(self._forget)
        for _ in range(0 if waiting else most):
            run(self._fill)

    def give_back(self, run: Any) -> None:
        """Puts the oldest batch that `read` holds back into the queue of ready ones."""
        run(self._saving.give_back)

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
        with gate.one_at_a_time:  # a Supervisor's saver thread and the program may both save
            if gate.close() and record.state == "running":
                return self._of_running(run, gate, record, patience)
            while record.state == "running":
                time.sleep(_NAP)
            return self._of_ended(run, unfinished, patience)

    def _of_ended(
        self, run: Any, unfinished: dict[str, bytes] | None, patience: float
    ) -> dict[str, bytes]:
        """The position where nobody makes batches: its queue is closed, nothing can go back."""
        made, arrived, waiting = map(int, run([self._counted, self._there, self._waiting]))
        if unfinished is not None:
            return _without(unfinished, arrived - waiting)
        # What was made and is not in the queue was in the hands of a thread that waited for room.
        return self._contents(run, waiting + made - arrived, False, patience)

    def _of_running(self, run: Any, gate: Gate, record: Any, patience: float) -> dict[str, bytes]:
        held = left = 0  # also where a call below fails: a thread that nobody lets go on never ends
        try:
            try:
                for held in self._taken(run, gate, record, patience):  # noqa: B007 - as many, if it fails
                    pass
                return self._contents(run, held, True, patience)
            finally:
                fits = min(held, self.kept - 1)
                with contextlib.suppress(tf.errors.CancelledError):  # the run is being stopped
                    for _ in range(fits):
                        run(self._saving.give_back)
                left = held - fits
        finally:
            gate.open(left)

    def _taken(self, run: Any, gate: Gate, record: Any, patience: float) -> Iterator[int]:
        """Takes the batches out of the queue until the thread stands; yields how many so far.

        It may wait for room, which this makes. Where there is some, nothing is taken: if nobody
        knows when the next batch comes, the program shall find those that are there, in order.
        """
        held, until = 0, time.monotonic() + patience
        while True:
            stands = gate.stands.is_set() or record.state != "running"
            waiting = int(run(self._waiting))
            if stands or held or self.waits_for_room or waiting >= self.kept - 1:
                while self._took_one(run):
                    held += 1
                    yield held
            if stands:
                for _ in range(gate.left):  # newer than what the queue held: to the end
                    run(self._saving.oldest[True])
                yield held + gate.left
                return
            if time.monotonic() > until:
                raise NotAtGate
            gate.stands.wait(_NAP)

    def _took_one(self, run: Any) -> bool:
        """Takes the oldest ready batch; False where there is none.

        The program may take the last one between the look and the dequeue, which then waits.
        """
        if not run(self._waiting):
            return False
        try:
            run(self._saving.hold, None, v1.RunOptions(timeout_in_ms=_DEQUEUE_MS))
        except tf.errors.DeadlineExceededError:
            return False
        return True

    def _contents(self, run: Any, pending: int, held: bool, patience: float) -> dict[str, bytes]:
        """What to save; `pending` batches are in the queue of those held, or the last made."""
        there = pending if held else int(run(self._recent_size))
        batches = [run(self._saving.oldest[held]) for _ in range(there)]
        if self._stacked and not held:
            batches = [batch for stack in batches for batch in _apart(stack)]
        batches = batches[len(batches) - pending :]
        contents = {
            f"pending/{number}/{place}": part
            for number, batch in enumerate(batches)
            for place, part in enumerate(batch)
        }
        return contents | self._iterator(run, patience)

    def _iterator(self, run: Any, patience: float) -> dict[str, bytes]:
        """The files that the iterator's state is saved in.

        That waits for what the iterator is computing, in a thread of its own, which is left alone
        when it takes too long.
        """
        done: SimpleQueue[Any] = SimpleQueue()
        saving = self._saving

        def save() -> None:
            try:
                with tempfile.TemporaryDirectory() as folder:
                    run(saving.save, {saving.path: os.path.join(folder, "state")})
                    files = [(n, os.path.join(folder, n)) for n in os.listdir(folder)]
                    done.put({name: Path(file).read_bytes() for name, file in files})
            except Exception as error:
                done.put(error)

        RunnerThread(target=save, name="queueio-position", daemon=True).start()
        try:
            found = done.get(timeout=patience)
        except Empty:
            raise NotAtGate from None
        if isinstance(found, Exception):
            raise found
        contents: dict[str, bytes] = found
        return contents

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
      hold: takes the oldest ready batch out of its queue and holds it; `give_back` puts it back.
      oldest: of those held (True) or made last (False), the components of the oldest as strings;
        it becomes the newest.
      put_back: puts `batch`, components as strings, into the queue, as if made.
      save, restore: the iterator's state, in a checkpoint at `path`.
    """

    def __init__(
        self, place: Position, resource: Any, recent: Any, ready: Any, most: int, stacked: bool
    ) -> None:
        dtypes = ready.dtypes
        held = tf.queue.FIFOQueue(most, dtypes, name="held")
        with tf.control_dependencies([held.enqueue(ready.dequeue())]):
            self.hold = place.leaves()
        self.give_back = place.arrives(ready.enqueue(held.dequeue()))
        self.oldest = {True: _oldest(held), False: _oldest(recent)}
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
    with tf.io.gfile.GFile(path + SUFFIX, "rb") as file:
        buffer = io.BytesIO(file.read())
    try:
        with zipfile.ZipFile(buffer) as archive:
            for entry in archive.namelist():
                pipeline, _, name = entry.partition(":")
                found.setdefault(pipeline, {})[name] = archive.read(entry)
    except zipfile.BadZipFile:
        told = message(
            f"{path}{SUFFIX} is no whole file",
            "it says where the input stood, which begins anew; the variables are in other files",
        )
        warnings.warn(FallbackWarning(told), stacklevel=2)
        return {}
    return found


def _counter(name: str) -> Any:
    return v1.Variable(
        tf.zeros([], tf.int64), trainable=False, collections=[], use_resource=True, name=name
    )


def _oldest(queue: Any) -> Any:
    """The components of the oldest element as strings; it becomes the newest."""
    taken = queue.dequeue()
    taken = taken if isinstance(taken, list) else [taken]
    with tf.control_dependencies([queue.enqueue(taken)]):
        return tf.stack([tf.io.serialize_tensor(tensor) for tensor in taken])


def _joined(taken: Any) -> Any:
    return tf.group(*(taken if isinstance(taken, list) else [taken]))
