"""The user's folders for what queueio keeps, as the system wants them.

A dependency for these lines is not worth it. A user whom the system does not know, as in many a
container, has no home where HOME does not name one.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def data_folder() -> Path | None:
    """For what shall stay, as a learner's progress; `XDG_DATA_HOME` and `APPDATA` are heeded.

    None where nothing tells it.
    """
    if os.name == "nt":
        return _folder(os.environ.get("APPDATA"), "AppData", "Roaming")
    if sys.platform == "darwin":
        return _folder(None, "Library", "Application Support")
    return _folder(os.environ.get("XDG_DATA_HOME"), ".local", "share")


def cache_folder() -> Path | None:
    """For what can be made again; `XDG_CACHE_HOME` and `LOCALAPPDATA` are heeded.

    None where nothing tells it.
    """
    if os.name == "nt":
        return _folder(os.environ.get("LOCALAPPDATA"), "AppData", "Local")
    if sys.platform == "darwin":
        return _folder(None, "Library", "Caches")
    return _folder(os.environ.get("XDG_CACHE_HOME"), ".cache")


def _folder(named: str | None, *in_home: str) -> Path | None:
    if named:
        return Path(named) / "queueio"
    try:
        return Path.home().joinpath(*in_home, "queueio")
    except RuntimeError:
        return None
