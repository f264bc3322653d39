"""A training script of slim's shape, of three files and untouched: it trains, and converts."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.processes import environment, python

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("tf_slim") is None, reason="the package tf_slim is not installed"
)
SLIM = Path(__file__).resolve().parents[2] / "examples" / "slim"
SCRIPT = SLIM / "train_image_classifier.py"


def queueio(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in `folder`, which is also where the script keeps its data."""
    return python(
        "-m", "queueio", *arguments, cwd=folder, env=environment(TMPDIR=str(folder)), timeout=120
    )  # fmt: skip


def test_it_knows_nothing_of_queueio() -> None:
    assert not [path.name for path in SLIM.glob("*.py") if "queueio" in path.read_text()]


@pytest.mark.long
@pytest.mark.parametrize("engine", ["queue", "data"])
def test_it_trains_on_either_engine(engine: str, tmp_path: Path) -> None:
    strict = ("--strict",) if engine == "data" else ()
    run = ("run", "--engine", engine, *strict, "--report", "report.json", str(SCRIPT))
    done = queueio(tmp_path, *run, "--max_number_of_steps=150")
    told = re.search(r"loss after 150 steps: (\S+)", done.stdout)
    assert done.returncode == 0 and told, done.stderr[-3000:]
    assert float(told[1]) < 1.5  # guessing among ten digits costs 2.3
    (pipeline,) = json.loads((tmp_path / "report.json").read_text())["pipelines"]
    assert (pipeline["engine"], pipeline["batches"]) == (engine, 150)


@pytest.mark.long
def test_what_convert_writes_delivers_the_same_examples(tmp_path: Path) -> None:
    written = queueio(tmp_path, "convert", str(SCRIPT))
    assert written.returncode == 0, written.stderr[-3000:]
    assert written.stderr == ""
    # As `queueio compare` does, but for the minute in which it judges what is drawn: a machine with
    # other work takes longer, and the command then says that it could not be judged.
    code = (
        "import queueio\n"
        f"same = queueio.compare({f'{SCRIPT}:inputs'!r}, 'input_fn.py:input_fn', epochs=1, "
        "cost=False, order=False, draw_seconds=180.0)\n"
        "print(same)\nraise SystemExit(not same.ok)\n"
    )
    same = python("-c", code, cwd=tmp_path, env=environment(TMPDIR=str(tmp_path)), timeout=240)
    assert same.returncode == 0, same.stdout + same.stderr[-3000:]
    assert "Identical examples: the same 1,440 examples on both sides" in same.stdout
