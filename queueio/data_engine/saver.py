"""`tf.train.Saver` also saves and restores where the pipelines of its graph stand."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import hashlib
import inspect
import itertools
import json
import numbers
import re
import threading
import warnings
from typing import Any, NamedTuple

import tensorflow as tf

from queueio.data_engine import in_step, position
from queueio.data_engine.position import Place
from queueio.errors import FallbackWarning, message
from queueio.graph.error_text import sentence
from queueio.graph.handled import handling
from queueio.graph.hanging import hanging
from queueio.graph.traits import row_of
from queueio.graph.traversal import ancestors
from queueio.runtime import ledger
from queueio.runtime.diagnosis.queues import unopened

v1 = tf.compat.v1
_installed: list[bool] = []
_OF = "task"
_writing = threading.Lock()
_by_name = contextvars.ContextVar("_by_name", default=False)
_AFTER = "after"
"""Marks the positions of a checkpoint that is being written, with what tells the one before it."""
_CHANGES = re.compile("(Resource)?(Sparse)?Apply|Assign|(Resource)?Scatter")


def add(graph: Any, runner: Any) -> None:
    """Has the position of a pipeline saved by every Saver of its graph from now on."""
    hanging(graph, "saved", list).append(runner)
    if not _installed:
        _installed.append(True)
        v1.train.Saver.save = _saves(v1.train.Saver.save)
        v1.train.Saver.restore = _restores(v1.train.Saver.restore)
        manager = v1.train.SessionManager
        manager.prepare_session = _tells_if_by_name(manager.prepare_session)


def _runners(session: Any) -> list[Any]:
    """Those whose positions the Savers of a session's graph save; eager code has no session."""
    graph = getattr(session, "graph", None)
    return [] if graph is None else hanging(graph, "saved", list)


def _saves(stock: Any) -> Any:
    @functools.wraps(stock)
    def save(
        self: Any, sess: Any, save_path: Any, global_step: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        session = ledger.innermost(sess)
        runners = _runners(session)
        task = _task(session.graph) if runners else None
        if task is None or not task.trains:
            return stock(self, sess, save_path, global_step, *args, **kwargs)
        step = global_step
        if step is not None and not isinstance(step, numbers.Integral):
            step = v1.train.global_step(sess, step)
        path = _path_of(self, save_path, step)
        found = in_step.held({runner: runner.position(session) for runner in runners})
        if self.saver_def is not None and self.saver_def.version == v1.train.SaverDef.V1:
            if any(found.values()):
                warnings.warn(FallbackWarning(_of_format_1()), stacklevel=2)
            return stock(self, sess, save_path, global_step, *args, **kwargs)
        mark = {_OF: json.dumps(task).encode()}
        known = {k: {**v, **mark} for k, v in found.items() if v is not None}
        # First the position: a process killed between the two has no checkpoint of this name, or
        # an older one, whose position stays beside the new until that checkpoint is whole.
        before = _print(path)
        _write(path, {**_under(before, _load(path)), **_under(f"{_AFTER}/{before}", known)})
        with unopened():  # a Supervisor saves in a thread, while the main one starts the runners
            result = stock(self, sess, save_path, global_step, *args, **kwargs)
        error = _write(path, _under(_print(path), known))
        if error:
            warnings.warn(FallbackWarning(_not_written(path, error)), stacklevel=2)
        return result

    return save


def _path_of(saver: Any, save_path: Any, step: Any) -> str:
    """The checkpoint's name, as a Saver makes it."""
    if step is None:
        return str(save_path)
    return f"{save_path}-{int(step):0{8 if saver._pad_step_number else 1}d}"


def _restores(stock: Any) -> Any:
    @functools.wraps(stock)
    def restore(self: Any, sess: Any, save_path: Any) -> Any:
        result = stock(self, sess, save_path)
        session = ledger.innermost(sess)
        runners = _runners(session)
        found = {}
        if runners and not _by_name.get() and tf.io.gfile.exists(f"{save_path}.index"):
            found = _load(str(save_path))
        if not (found or any(runner.is_resumed(session) for runner in runners)):
            return result
        if not _goes_on(self, save_path, session.graph):
            return result
        now = _task(session.graph)
        for runner in runners:  # also of a checkpoint before it, which this one takes the place of
            place = _place_of(runner.title, found, now) if found else ""
            if place is not None:
                runner.resume(session, place)
        return result

    return restore


def _goes_on(saver: Any, path: Any, graph: Any) -> bool:
    """Whether a Saver restores a run, and not a part of its model for another one to begin with.

    It restores all that the checkpoint holds; or the global step, where it leaves out no more than
    what can be made anew (an optimizer's moments).
    """
    reads = [
        tf.get_static_value(op.inputs[1])
        for op in ancestors([graph.get_operation_by_name(saver.saver_def.restore_op_name)])
        if row_of(op.type).restores
    ]
    if any(names is None for names in reads):
        return True  # a name that is fed: nobody knows
    restored = {name.decode() for names in reads for name in names.flat}
    step = v1.train.get_global_step(graph)
    if step is not None and step.op.name in restored:
        return True
    return restored.issuperset(tf.train.load_checkpoint(path).get_variable_to_shape_map())


def _tells_if_by_name(stock: Any) -> Any:
    """A session that trains on finds its checkpoint in a folder, one that evaluates or predicts is
    given its name, and may build all that trains, too."""

    @functools.wraps(stock)
    def prepare(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = inspect.signature(stock).bind(self, *args, **kwargs).arguments
        token = _by_name.set(given.get("checkpoint_filename_with_path") is not None)
        try:
            return stock(self, *args, **kwargs)
        finally:
            _by_name.reset(token)

    return prepare


class Task(NamedTuple):
    """What tells one program from another that restores its checkpoints.

    One that evaluates what another trained may have pipelines of the same names; it begins its
    files anew, as it did on queues. It has metrics in local variables, also where its model builds
    an optimizer.
    """

    trains: bool
    variables: list[str]


def _task(graph: Any) -> Task:
    variables = [
        *graph.get_collection(v1.GraphKeys.GLOBAL_VARIABLES),
        *graph.get_collection(v1.GraphKeys.LOCAL_VARIABLES),
    ]
    return Task(_trains(graph), sorted(variable.op.name for variable in variables))


def _place_of(title: str, found: dict[str, dict[str, bytes]], now: Task) -> Place | None:
    """Where a pipeline goes on, by a checkpoint's positions; None where that is left as it is."""
    if not now.trains:
        return None
    if title not in found:
        return f"the checkpoint holds where {_listed(sorted(found))} stood, not this one"
    then = Task(*json.loads(found[title][_OF]))
    if then != now:
        return _differ(then, now)
    over = sorted(name for name, place in found.items() if position.OVER in place)
    if title in over:  # a script that is started again to train on does so, as on the queues
        return ""
    if over:
        return f"in the checkpoint {_listed(over)} was at the end of its data, and begins anew"
    return {name: content for name, content in found[title].items() if name != _OF}


def _differ(then: Task, now: Task) -> str:
    """How the variables of two graphs differ, in words."""
    gone, more = (sorted(set(a) - set(b)) for a, b in itertools.permutations((then[1], now[1])))
    parts = [f"variable {_listed(gone)}, which this one lacks"] * bool(gone)
    parts += [f"no variable {_listed(more)}, which this one has"] * bool(more)
    return f"the graph that saved the checkpoint had {', and '.join(parts)}"


def _listed(names: list[str], most: int = 3) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def _trains(graph: Any) -> bool:
    """Whether an op changes a global variable, but for those that initialise or restore it."""
    variables = {v.op.name: v for v in graph.get_collection(v1.GraphKeys.GLOBAL_VARIABLES)}
    begins = {v.initializer.name for v in variables.values()}
    return any(
        op.inputs[0].op.name in variables and op.name not in begins and not _restored(op)
        for op in handling(graph)
        if _CHANGES.match(op.type) and len(op.inputs)
    )


def _restored(op: Any) -> bool:
    """Whether an op assigns a variable what a checkpoint holds of it."""
    return any(row_of(before.type).restores for before in ancestors([op]))


def _under(mark: str, positions: dict[str, dict[str, bytes]]) -> dict[str, dict[str, bytes]]:
    return {f"{mark}/{name}": place for name, place in positions.items()}


def _write(path: str, positions: dict[str, dict[str, bytes]]) -> str:
    """Writes positions, if any, beside a checkpoint, all or nothing; what went wrong, if it did."""

    new, old = (part + position.SUFFIX for part in (path + ".new", path))

    def write() -> str:
        with _writing:
            try:
                position.write(path + ".new", positions)
                tf.io.gfile.rename(new, old, overwrite=True)
            except tf.errors.OpError as error:
                with contextlib.suppress(tf.errors.OpError):  # no Saver would ever delete it
                    tf.io.gfile.remove(new)
                return sentence(error)
        return ""

    return position.apart_from_signals(write) if positions else ""


def _not_written(path: str, error: str) -> str:
    return message(
        f"checkpoint {path!r} does not hold where the input stands",
        f"{path}{position.SUFFIX} could not be written: {error}; a run that is restored"
        " from it begins its data anew",
    )


def _of_format_1() -> str:
    """Nothing in its files tells one such checkpoint from the next, and none deletes a position."""
    return message(
        "a checkpoint of TensorFlow's old format, V1, does not hold where the input stands",
        "no file of its kind tells it from the next; a restored run begins its data anew",
        "Leave write_version out of tf.train.Saver: its format, V2, is TF1's own since 0.12",
    )


def _load(path: str) -> dict[str, dict[str, bytes]]:
    """The positions that belong to the checkpoint as it is."""
    now, ours, after = _print(path), {}, {}
    for key, place in position.load(path).items():
        mark, _, name = key.partition("/")
        if mark == now:
            ours[name] = place
        elif mark == _AFTER:
            before, _, name = name.partition("/")
            if before != now:  # else the new one was never written
                after[name] = place
    return ours or after


def _print(path: str) -> str:
    """What tells a checkpoint from another one of its name."""
    index = path + ".index"
    if not tf.io.gfile.exists(index):
        return "none"
    with tf.io.gfile.GFile(index, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()
