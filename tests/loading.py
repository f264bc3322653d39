"""Python files that tests wrote, as modules."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any


def loaded(path: Path) -> Any:
    """The module of a file, run anew at each call, also where the file was written anew.

    An import loader might take the bytecode of what it held a moment ago. And `sys.modules` has it
    only while its dataclasses look themselves up: of a module that is found there, autograph takes
    source that Python has kept.
    """
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    finally:
        del sys.modules[spec.name]
    return module
