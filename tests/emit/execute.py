"""Runs emitted modules in a process that has no queueio: `python execute.py FOLDER JOBS.json`.

JOBS.json says how many steps of each module to take at most. RESULTS.json in FOLDER then has, for
each module, its steps, shapes and end.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))

import values


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def outcome(path: Path, limit: int) -> dict[str, Any]:
    """What `input_fn()` of a module delivers."""
    steps: list[Any] = []
    shapes: list[Any] = []
    end: str | None = None
    try:
        iterator = iter(load(path).input_fn())
        while len(steps) < limit:
            flat = values.flatten(tf, next(iterator))
            arrays = {key: np.asarray(part.numpy()) for key, part in flat.items()}
            steps.append({key: values.plain(part) for key, part in arrays.items()})
            shapes.append({key: list(part.shape) for key, part in arrays.items()})
    except StopIteration:
        end = "OutOfRangeError"
    except Exception as error:
        end = f"{type(error).__name__}: {error}"
    return {"steps": steps, "shapes": shapes, "end": end}


def main() -> None:
    folder, jobs = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
    results = {name: outcome(folder / f"{name}.py", limit) for name, limit in jobs.items()}
    assert not [name for name in sys.modules if name.startswith("queueio")]
    (folder / "RESULTS.json").write_text(json.dumps(results))


main()
