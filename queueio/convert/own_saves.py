"""Checkpoints that a tried run saves, taken back at its end.

`MonitoredTrainingSession(checkpoint_dir=…)`, a Supervisor and an Estimator go on from the last
checkpoint of their folder. Two runs can be compared only where both begin at the same one; and who
converts a script has not begun to train.

A run that is killed takes nothing back. Whoever ordered it does, or the next run in that folder.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_PREFIX = ".queueio-"
_TOLD = "queueio.json"
"""In a folder of what is kept: whose it is."""


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
    """What the Savers of this process write; one of a process.

    Args:
      noted: a file that gets a line for each folder with what is kept; see `recover`.
    """

    def __init__(self, noted: str) -> None:
        self._noted = noted
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
            recover(path for path in Path(path).glob(f"{_PREFIX}*") if not _at_work(path))
            kept = _kept(path, os.path.basename(save_path), state)
            self._folders[path] = _Folder(state, kept)
            with open(self._noted, "a", encoding="utf-8") as file:
                file.write(f"{kept}\n")
        return self._folders.get(path)


def _kept(path: str, name: str, state: str) -> str:
    """A new folder with links to the checkpoints of this name and to the file that tells the last.

    Savers write new files and give them the old names, so a link keeps what is there.
    """
    found = [each for each in os.listdir(path) if each == state or each.startswith(name)]
    kept = tempfile.mkdtemp(prefix=_PREFIX, dir=path)
    for each in found:
        _link(os.path.join(path, each), os.path.join(kept, each))
    told = {"name": name, "state": state, "process": os.getpid()}
    Path(kept, _TOLD).write_text(json.dumps(told), encoding="utf-8")  # last: then all is kept
    return kept


def noted(file: Path) -> list[Path]:
    """The folders with what is kept that a run noted in a file."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [Path(line) for line in lines]


def recover(left: Iterable[Path]) -> None:
    """Leaves folders of checkpoints as they were before runs that were killed.

    Args:
      left: the folders with what is kept of each; one that is not there has been taken back.
    """
    for kept in left:
        try:
            told = json.loads((kept / _TOLD).read_text(encoding="utf-8"))
            saved = re.compile(rf"{re.escape(told['name'])}(-\d+)?(\..*)?")
        except (OSError, ValueError, KeyError):  # taken back, or never begun
            continue
        written = [each for each in kept.parent.iterdir() if saved.fullmatch(each.name)]
        # It did not come to tell what it wrote: all that was not there before.
        new = {str(each) for each in written if not (kept / each.name).exists()}
        with contextlib.suppress(OSError):
            _restore(str(kept.parent), _Folder(told["state"], str(kept), new or {""}))


def _at_work(kept: Path) -> bool:
    """Whether the run is, whose folder this is."""
    try:
        os.kill(json.loads((kept / _TOLD).read_text(encoding="utf-8"))["process"], 0)
    except (ProcessLookupError, KeyError):
        return False
    except (OSError, ValueError):  # another user's, or not told yet
        return True
    return True


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
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(folder.kept, _TOLD))
    for each in os.listdir(folder.kept):
        os.replace(os.path.join(folder.kept, each), os.path.join(path, each))
    shutil.rmtree(folder.kept)  # a link to what is still there is not moved
