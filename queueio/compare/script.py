"""Loads `script.py:name`."""

from __future__ import annotations

import os
import runpy
import sys
from typing import Any

from queueio.compare.side import CannotRun


def load(target: str) -> Any:
    """What `name` is in the script, which is run as a module, not as the main program.

    Raises:
      CannotRun: there is no such script or name, or the script fails or exits.
    """
    path, _, name = target.rpartition(":")
    if not os.path.isfile(path):
        raise CannotRun(f"{path}: no such script (asked for {target}).")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        names = runpy.run_path(path, run_name="compared")
    except (Exception, SystemExit) as problem:
        said = f"{type(problem).__name__}: {problem}"
        raise CannotRun(f"{path} failed when it was loaded: {said}") from problem
    finally:
        sys.path.pop(0)
    if name not in names:
        known = ", ".join(sorted(n for n, v in names.items() if callable(v) and n[0] != "_")[:8])
        raise CannotRun(f"{path} has no {name!r}; it defines {known or 'no function'}.")
    return names[name]
