"""Makes `.venv-tf1` with real TF 1.15.5, where a Python 3.7 can be found: `make bench-tf1`."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
from pathlib import Path

VENV = Path(__file__).resolve().parent.parent / ".venv-tf1"


def python37() -> str | None:
    """A Python 3.7 that runs: on the PATH, or of pyenv."""
    pyenv = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    candidates = [shutil.which("python3.7"), *glob.glob(f"{pyenv}/versions/3.7.*/bin/python")]
    for candidate in filter(None, candidates):
        if (
            subprocess.run([candidate, "--version"], capture_output=True, check=False).returncode
            == 0
        ):
            return candidate
    return None


def main() -> None:
    """Makes the environment unless it is there."""
    if (VENV / "installed").exists():
        return
    python = python37()
    if python is None:
        sys.exit("TensorFlow 1.15.5 needs Python 3.7, which is neither on the PATH nor in pyenv.")
    subprocess.run([python, "-m", "venv", str(VENV)], check=True)
    packages = ["tensorflow==1.15.5", "protobuf<3.21"]  # later protobuf breaks its generated code
    subprocess.run([str(VENV / "bin/pip"), "install", "--quiet", *packages], check=True)
    (VENV / "installed").touch()


if __name__ == "__main__":
    main()
