"""The example that goes the whole way: each step is shown, and the evidence is so."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.long
def test_the_whole_way_ends_in_the_same_examples_and_as_good_a_model(
    run_python: Run, tmp_path: Path
) -> None:
    done = run_python(EXAMPLES / "migrate.py", str(tmp_path), timeout=300, starts=True)
    assert done.returncode == 0, done.stdout + done.stderr
    shown = re.findall(r"^\$ (queueio \w+|python)", done.stdout, re.MULTILINE)
    assert shown == ["queueio run", "queueio explain", "queueio convert", "queueio compare",
                     "python"]  # fmt: skip
    said, steps, accuracy = done.stdout.partition("evidence\n")[2].splitlines()
    assert said.endswith(
        "Identical examples: the same 1,437 examples on both sides, in another order."
    )
    # 1,437 images, twenty times over, in batches of 50: 574 full ones and a last one of 40.
    assert steps.endswith(": 575 and 575")
    assert all(float(each) > 0.9 for each in re.findall(r"\d\.\d+", accuracy))
    assert len(re.findall(r"\d\.\d+", accuracy)) == 2
    assert imports(tmp_path / "digits_input.py") == {"tensorflow"}


def imports(module: Path) -> set[str]:
    nodes = ast.walk(ast.parse(module.read_text()))
    return {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}


def test_the_table_names_every_example_and_nothing_else() -> None:
    table = re.findall(r"^\| \[(\w+\.py)\]\(\1\)", (EXAMPLES / "README.md").read_text(), re.M)
    assert sorted(table) == sorted(path.name for path in EXAMPLES.glob("*.py"))
