"""The laws of the layout."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "queueio"
FLOW = ["filenames", "readers", "decoders", "queues", "batching"]


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found


@pytest.mark.parametrize("stage", FLOW)
def test_a_stage_imports_nothing_that_lies_further_down_the_flow(stage: str) -> None:
    later = FLOW[FLOW.index(stage) + 1 :]
    for path in (PACKAGE / "stages" / stage).glob("*.py"):
        for name in imports(path):
            assert not any(name.startswith(f"queueio.stages.{other}") for other in later), (
                f"{path.name} imports {name}"
            )


@pytest.mark.parametrize("layer", ["lift", "compile", "emit", "compare"])
def test_a_layer_names_no_stage(layer: str) -> None:
    for path in (PACKAGE / layer).rglob("*.py"):
        named = {name for name in imports(path) if name.startswith("queueio.stages.")}
        assert not named, f"{path.name} imports {sorted(named)}"


def test_the_package_is_imported_without_tensorflow() -> None:
    code = "import sys, queueio, queueio.cli; sys.exit('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_no_source_file_is_called_utils() -> None:
    assert not [p for p in PACKAGE.rglob("*.py") if p.stem in ("utils", "util", "helpers", "misc")]
