"""The learner's folder: copies of the scripts, and which levels are solved."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from queueio.learn.level import LearnLevel


class Progress:
    """What a learner has and has done.

    Args:
      folder: where the copies and `progress.json` are.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / "progress.json"

    @property
    def solved(self) -> set[str]:
        """The names of the solved levels; none where the file cannot be read."""
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
            return set(json.loads(self._file.read_text(encoding="utf-8"))["solved"])
        return set()

    def solve(self, level: LearnLevel) -> None:
        """Notes that a level is solved."""
        self._write(self.solved | {level.name})

    def _write(self, solved: set[str]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        fresh = self._file.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps({"solved": sorted(solved)}) + "\n", encoding="utf-8")
        fresh.replace(self._file)  # at once: a file half written would lose all

    def reset(self, level: LearnLevel) -> None:
        """Makes a level new: its script as it was, and not solved."""
        self._write(self.solved - {level.name})
        self.copy(level).unlink()
        self.copy(level)

    def copy(self, level: LearnLevel) -> Path:
        """The learner's copy of a level's script, made where it is missing."""
        path = self.folder / level.file.name
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_text(level.script(), encoding="utf-8")
        return path
