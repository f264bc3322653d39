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


CIRCLES = {
    "a body has branches, and a branch is a body": "emit.body emit.branches",
    "a namespace knows its aliases, which are namespaces": "compat.aliases compat.namespace",
    "a result prints itself as a report": "compare.plots compare.report compare.result",
    "a run that differs is run again stage by stage": "compare.run compare.stages",
}
"""Files that import one another, and why: to be shrunk, not to be added to."""


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path): path for path in PACKAGE.rglob("*.py")}


def imports(path: Path) -> set[str]:
    """The modules that a file imports, in its functions too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in (f"{node.module}.{alias.name}" for alias in node.names):
                found.add(name if name in MODULES else node.module)
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


def test_the_ground_floor_stands_on_nothing_but_itself() -> None:
    allowed = ("queueio.graph", "queueio.errors")
    for path in (PACKAGE / "graph").rglob("*.py"):
        above = {name for name in imports(path) if name.startswith("queueio")}
        above = {name for name in above if not name.startswith(allowed)}
        assert not above, f"{path.name} imports {sorted(above)}"


def import_circles() -> set[frozenset[str]]:
    """The modules that import one another, directly or by way of others."""
    graph = {module: imports(path) & MODULES.keys() for module, path in MODULES.items()}
    reached = {module: _reached(graph, module) for module in graph}
    circles = {frozenset(m for m in reached[one] if one in reached[m]) for one in graph}
    return set(filter(None, circles))


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    found, waiting = set[str](), [start]
    while waiting:
        more = graph[waiting.pop()] - found
        found |= more
        waiting += more
    return found


def test_files_do_not_import_one_another_but_for_those_named_here() -> None:
    known = [{f"queueio.{name}" for name in names.split()} for names in CIRCLES.values()]
    for circle in import_circles():
        assert any(circle <= names for names in known), f"a circle: {sorted(circle)}"


def fields_of_nodes() -> set[str]:
    """The names of the parameters that stages have, which only some of them have."""
    found: set[str] = set()
    for path in (PACKAGE / "stages").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            bases = {ast.unparse(base) for base in getattr(node, "bases", [])}
            if isinstance(node, ast.ClassDef) and bases & {"Node", "ExampleQueue"}:
                own = (s.target for s in node.body if isinstance(s, ast.AnnAssign))
                found |= {target.id for target in own if isinstance(target, ast.Name)}
    return found


def test_a_stage_says_what_it_is_and_nobody_probes_it() -> None:
    names = fields_of_nodes() - {"input"}  # other things have an input, too
    assert {"batch_size", "num_epochs", "capacity", "takes"} <= names
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            probes = isinstance(node, ast.Call) and ast.unparse(node.func) in ("hasattr", "getattr")
            asked = node.args[1] if probes and len(node.args) > 1 else None
            name = asked.value if isinstance(asked, ast.Constant) else ""
            assert name not in names, f"{path.name}:{node.lineno} probes for {name!r}"
