"""Pages of real runs, made for the site: the course, and an example's run to play again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = {
    "course.html": ("learn", "--html", "{page}"),
    "replay.html": ("run", "--html", "{page}", "examples/train_digits.py"),
}


def write(folder: Path) -> None:
    """Runs what each page shows, and writes the page to a folder.

    Args:
      folder: where the pages go.

    Raises:
      subprocess.CalledProcessError: a run failed; what it printed is on standard error.
    """
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    for name, words in PAGES.items():
        command = [word.format(page=folder / name) for word in words]
        subprocess.run(
            [sys.executable, "-m", "queueio", *command],
            cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
