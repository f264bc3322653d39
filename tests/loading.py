"""Python files that tests wrote, as modules."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any


def loaded(path: Path) -> Any:
    """The module of a file, run anew at each call.

    Not by an import loader: of a file that is written twice within a second, with as many bytes, it
    takes the first one's bytecode.
    """
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up there
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    return module
