"""`tf.train.Saver` also saves and restores where the pipelines of its graph stand."""

from __future__ import annotations

import functools
import hashlib
import numbers
import weakref
from typing import Any

import tensorflow as tf

from queueio.data_engine import position
from queueio.runtime import ledger

v1 = tf.compat.v1
_runners: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
_installed: list[bool] = []


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
        known = {k: v for k, v in found.items() if v is not None}
        # First the position: a process killed between the two has no checkpoint of this name, or
        # an older one, whose position stays beside the new until that checkpoint is whole.
        before = {f"{_print(path)}/{k}": v for k, v in _load(path).items()}
        _write(path, {**before, **known})
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
            if runner.title in found:
                runner.resume(session, found[runner.title])
        return result

    return restore


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
