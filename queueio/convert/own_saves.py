"""Checkpoints that a tried run saves, taken back at its end.

`MonitoredTrainingSession(checkpoint_dir=…)`, a Supervisor and an Estimator go on from the last
checkpoint of their folder. Two runs can be compared only where both begin at the same one; and who
converts a script has not begun to train.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import tempfile
import threading
from dataclasses import dataclass, field
from typing import Any


@dataclass
class _Folder:
    """A folder of checkpoints, as it was before the first save into it.

    Attributes:
      state: the name of the file that tells the last checkpoint.
      kept: another folder, in this one, with links to what was there.
      written: the paths of the checkpoints saved since.
    """

    state: str
    kept: str
    written: set[str] = field(default_factory=set)


class Saves:
    """What the Savers of this process write; one of a process."""

    def __init__(self) -> None:
        self._folders: dict[str, _Folder] = {}
        self._lock = threading.RLock()

    def install(self) -> None:
        """Has every save pass through here."""
        import tensorflow as tf

        saver = tf.compat.v1.train.Saver
        stock = saver.save

        @functools.wraps(stock)
        def save(
            self_: Any, sess: Any, save_path: Any, global_step: Any = None,
            latest_filename: Any = None, *args: Any, **kwargs: Any
        ) -> Any:  # fmt: skip
            with self._lock:
                folder = self._folder(os.fspath(save_path), latest_filename or "checkpoint")
                path = stock(self_, sess, save_path, global_step, latest_filename, *args, **kwargs)
                if folder is not None and path:
                    folder.written.add(os.path.abspath(path))
                return path

        saver.save = save

    def take_back(self) -> None:
        """Leaves the folders as they were. Whoever would save after this waits for ever."""
        self._lock.acquire()
        for path, folder in self._folders.items():
            with contextlib.suppress(OSError):  # somebody else's by now
                _restore(path, folder)

    def _folder(self, save_path: str, state: str) -> _Folder | None:
        path = os.path.dirname(os.path.abspath(save_path))
        if path not in self._folders and os.path.isdir(path):  # else remote, or an error to come
            self._folders[path] = _Folder(state, _kept(path, os.path.basename(save_path), state))
        return self._folders.get(path)


def _kept(path: str, name: str, state: str) -> str:
    """A new folder with links to the checkpoints of this name and to the file that tells the last.

    Savers write new files and give them the old names, so a link keeps what is there.
    """
    found = [each for each in os.listdir(path) if each == state or each.startswith(name)]
    kept = tempfile.mkdtemp(prefix=".queueio-", dir=path)
    for each in found:
        _link(os.path.join(path, each), os.path.join(kept, each))
    return kept


def _link(old: str, new: str) -> None:
    if os.path.isfile(old):
        try:
            os.link(old, new)
        except OSError:  # a file system without
            shutil.copy2(old, new)


def _restore(path: str, folder: _Folder) -> None:
    there = {os.path.join(path, each) for each in os.listdir(path)}
    for prefix in folder.written:
        for each in there:
            if each == prefix or each.startswith(f"{prefix}."):
                os.unlink(each)
    if folder.written and os.path.join(path, folder.state) in there:
        os.unlink(os.path.join(path, folder.state))
    for each in os.listdir(folder.kept):
        os.replace(os.path.join(folder.kept, each), os.path.join(path, each))
    shutil.rmtree(folder.kept)  # a link to what is still there is not moved
