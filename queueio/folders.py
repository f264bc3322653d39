"""The user's folders for what queueio keeps, as the system wants them.

A dependency for these lines is not worth it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def data_folder() -> Path:
    """For what shall stay, as a learner's progress; `XDG_DATA_HOME` and `APPDATA` are heeded."""
    home = Path.home()
    if os.name == "nt":
        base = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return base / "queueio"


def cache_folder() -> Path:
    """For what can be made again; `XDG_CACHE_HOME` and `LOCALAPPDATA` are heeded."""
    home = Path.home()
    if os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "queueio"
