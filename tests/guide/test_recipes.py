"""The guide's recipes: the old script, its tf.data form and the Keras call run, and agree."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.processes import python

sys.path.insert(0, str(Path(__file__).resolve().parent))
import recipe_data

HERE = Path(__file__).resolve().parent
GUIDE = HERE.parent.parent / "MIGRATION.md"
PART = re.compile(r"<!-- recipes -->(.*?)<!-- end recipes -->", re.DOTALL)
BLOCK = re.compile(r"```python (\w+)\n(.*?)```", re.DOTALL)


def recipes() -> dict[str, dict[str, str]]:
    """By the name of a recipe, its code by kind: old, new, keras."""
    (part,) = PART.findall(GUIDE.read_text())
    pieces = re.split(r"^### Recipe \d: (.+)$", part, flags=re.MULTILINE)
    return {
        head: dict(BLOCK.findall(text))
        for head, text in zip(pieces[1::2], pieces[2::2], strict=True)
    }


RECIPES = recipes()


@pytest.fixture(scope="module")
def delivered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """By kind and recipe, the file of what was delivered."""
    folder = tmp_path_factory.mktemp("recipes")
    recipe_data.write(folder)
    found = {}
    for kind, parts in (("old", ["old"]), ("new", ["new", "keras"])):
        files = []
        for number, code in enumerate(RECIPES.values()):
            files.append(folder / f"{kind}{number}.py")
            files[-1].write_text("\n".join(code[part] for part in parts))
        _run(HERE / f"run_recipe_{kind}.py", files)
        for head, file in zip(RECIPES, files, strict=True):
            found[kind, head] = np.load(file.with_suffix(".npz"))
    return found


def _run(runner: Path, files: list[Path]) -> None:
    done = python(runner, *files, cwd=files[0].parent, timeout=240)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]


def rows(steps: Any) -> list[bytes]:
    """The examples, each as the bytes of all its components, in an order of their own."""
    parts = [steps[name] for name in steps.files if name != "sizes"]
    return sorted(b"".join(part[n].tobytes() for part in parts) for n in range(len(parts[0])))


def test_there_are_five_recipes_each_whole() -> None:
    assert list(RECIPES) == ["CSV", "TFRecord", "a list of images", "CIFAR", "own threads"]
    for code in RECIPES.values():
        assert list(code) == ["old", "new", "keras"]
        assert "tf.Session()" in code["old"] and "model.fit(dataset)" in code["keras"]


@pytest.mark.parametrize("head", RECIPES)
def test_old_script_and_new_input_deliver_the_same(head: str, delivered: dict[str, Any]) -> None:
    old, new = delivered["old", head], delivered["new", head]
    assert len(old["sizes"]) > 1
    assert list(new["sizes"]) == list(old["sizes"])
    assert [new[n].dtype for n in new.files] == [old[n].dtype for n in old.files]
    assert rows(new) == rows(old)
