"""`tf.train.Saver` also saves and restores where the pipelines of its graph stand."""

from __future__ import annotations

import functools
import hashlib
import numbers
import re
import weakref
from typing import Any

import tensorflow as tf

from queueio.data_engine import position
from queueio.runtime import ledger
from queueio.runtime.diagnosis.queues import unopened

v1 = tf.compat.v1
_runners: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
_installed: list[bool] = []
_OF = "task"
_CHANGES = re.compile("(Resource)?(Sparse)?Apply|Assign(Add|Sub)|(Resource)?Scatter")


def add(graph: Any, runner: Any) -> None:
    """Has the position of a pipeline saved by every Saver of its graph from now on."""
    _runners.setdefault(graph, []).append(runner)
    if not _installed:
        _installed.append(True)
        v1.train.Saver.save = _saves(v1.train.Saver.save)
        v1.train.Saver.restore = _restores(v1.train.Saver.restore)


def _saves(stock: Any) -> Any:
    @functools.wraps(stock)
    def save(
        self: Any, sess: Any, save_path: Any, global_step: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        session = ledger.innermost(sess)
        runners = _runners.get(getattr(session, "graph", None), ())
        if not runners:
            return stock(self, sess, save_path, global_step, *args, **kwargs)
        step = global_step
        if step is not None and not isinstance(step, numbers.Integral):
            step = v1.train.global_step(sess, step)
        path = str(save_path) if step is None else f"{save_path}-{int(step)}"
        found = {runner.title: runner.position(session) for runner in runners}
        task = {_OF: _task(session.graph)}
        known = {k: {**v, **task} for k, v in found.items() if v is not None}
        # First the position: a process killed between the two has no checkpoint of this name, or
        # an older one, whose position stays beside the new until that checkpoint is whole.
        before = {f"{_print(path)}/{k}": v for k, v in _load(path).items()}
        _write(path, {**before, **known})
        with unopened():  # a Supervisor saves in a thread, while the main one starts the runners
            result = stock(self, sess, save_path, global_step, *args, **kwargs)
        if before:
            _write(path, known)
        return result

    return save


def _restores(stock: Any) -> Any:
    @functools.wraps(stock)
    def restore(self: Any, sess: Any, save_path: Any) -> Any:
        result = stock(self, sess, save_path)
        session = ledger.innermost(sess)
        runners = _runners.get(getattr(session, "graph", None), ())
        found = _load(str(save_path)) if runners else {}
        for runner in runners:
            if _goes_on(session.graph, found.get(runner.title)):
                place = found[runner.title]
                runner.resume(session, {k: v for k, v in place.items() if k != _OF})
        return result

    return restore


def _goes_on(graph: Any, place: dict[str, bytes] | None) -> bool:
    """Whether a graph goes on where the one that saved a position stopped.

    A graph that evaluates what another trained may have pipelines of the same names, and restores
    the same checkpoints; it begins its files anew, as it did on queues.
    """
    return place is not None and place.get(_OF, _task(graph)) == _task(graph)


def _task(graph: Any) -> bytes:
    """What tells training from evaluation: whether variables are changed, and which there are.

    An evaluation has metrics in local variables, also where its model builds an optimizer.
    """
    variables = [
        *graph.get_collection(v1.GraphKeys.GLOBAL_VARIABLES),
        *graph.get_collection(v1.GraphKeys.LOCAL_VARIABLES),
    ]
    names = sorted(variable.op.name for variable in variables)
    return hashlib.sha256(repr((_trains(graph), names)).encode()).hexdigest().encode()


def _trains(graph: Any) -> bool:
    """Whether an op of the graph changes a global variable step by step."""
    variables = {v.op.name for v in graph.get_collection(v1.GraphKeys.GLOBAL_VARIABLES)}
    return any(
        op.inputs[0].op.name in variables
        for op in graph.get_operations()
        if _CHANGES.match(op.type) and len(op.inputs)
    )


def _write(path: str, positions: dict[str, dict[str, bytes]]) -> None:
    """Writes positions beside a checkpoint: all or nothing."""
    position.write(path + ".new", positions)
    tf.io.gfile.rename(path + ".new" + position.SUFFIX, path + position.SUFFIX, overwrite=True)


def _load(path: str) -> dict[str, dict[str, bytes]]:
    """The positions that belong to the checkpoint as it is."""
    found = position.load(path)
    mark = f"{_print(path)}/"
    older = {k.removeprefix(mark): v for k, v in found.items() if k.startswith(mark)}
    return older or found


def _print(path: str) -> str:
    """What tells a checkpoint from another one of its name."""
    index = path + ".index"
    if not tf.io.gfile.exists(index):
        return "none"
    with tf.io.gfile.GFile(index, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()
