"""Recordings from TensorFlow 1.15.5 are compared with today's pipelines."""

from __future__ import annotations

import ast
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing
from queueio import recorder
from queueio.compare.sides.recording import RecordingSide

DATA = Path(__file__).parent / "data"
ORDERED = DATA / "tf1.15.5.recording"
SHUFFLED = DATA / "tf1.15.5-shuffled.recording"
RECORDER = Path(recorder.__file__)


def new(change: Callable[..., Any] | None = None, epochs: int = 2, skip: int = 1) -> Any:
    def parse(line: tf.Tensor) -> dict[str, tf.Tensor]:
        number, root, word = tf.io.decode_csv(line, [[0], [0.0], [""]])
        return {"number": number, "root": root, "word": word}

    def make() -> tf.data.Dataset:
        made = tf.data.TextLineDataset(str(DATA / "numbers.csv")).skip(skip).map(parse)
        if change is not None:
            made = made.map(change)
        return made.repeat(epochs).batch(8)

    return make


def test_a_recording_of_tf1_says_where_it_comes_from() -> None:
    side = RecordingSide(str(ORDERED))
    assert side.versions()["tensorflow"] == "1.15.5"
    assert [str(c) for c in side.schema.components] == [
        "number: int32 [?]",
        "root: float32 [?]",
        "word: string [?]",
    ]


def test_what_tf1_delivered_is_what_tf_data_delivers() -> None:
    result = comparing(str(ORDERED), new(), cost=False)
    assert result.level == "identical stream", str(result)


def test_a_shuffled_recording_has_the_same_examples() -> None:
    result = comparing(str(SHUFFLED), new(epochs=1), cost=False)
    assert result.level == "identical examples", str(result)


@pytest.mark.long
def test_a_value_that_differs_from_the_recorded_one_is_shown() -> None:
    def change(row: dict[str, tf.Tensor]) -> dict[str, tf.Tensor]:
        return row | {"root": tf.where(row["number"] == 9, 3.5, row["root"])}

    result = comparing(str(ORDERED), new(change), cost=False)
    assert [f.code for f in result.findings] == ["changed"]
    (evidence, *_) = result.findings[0].evidence
    assert (evidence.component, float(evidence.old), float(evidence.new)) == ("root", 3.0, 3.5)


def test_the_cost_of_a_recording_is_the_recorded_one() -> None:
    result = comparing(str(ORDERED), new(), cost_seconds=0.01)
    done = RecordingSide(str(ORDERED)).done
    assert result.old.cost is not None and result.new.cost is not None
    assert result.old.cost.rate == pytest.approx(done["examples"] / done["seconds"])
    assert result.old.cost.cpu_per_thousand == pytest.approx(
        1000 * done["cpu_seconds"] / done["examples"]
    )
    assert "as recorded" in str(result) and not result.new.cost.note


def test_two_recordings_are_compared_without_running_anything() -> None:
    assert comparing(str(ORDERED), str(ORDERED)).level == "identical stream"
    result = comparing(str(ORDERED), str(SHUFFLED))
    assert [f.code for f in result.findings] == ["epochs"], str(result)


@pytest.mark.long
def test_the_recorder_runs_on_this_tensorflow_too(tmp_path: Path, run_python: Any) -> None:
    script = (DATA / "old_pipeline.py").read_text()
    (tmp_path / "old.py").write_text(script.replace("tf.train.b", "tf.train.b"))
    shutil.copy(DATA / "numbers.csv", tmp_path)
    done = run_python(RECORDER, "old.py:input_fn", "new.recording", "--epochs", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "100 examples, end: clean" in done.stdout
    result = comparing(str(ORDERED), str(tmp_path / "new.recording"))
    assert result.level == "identical stream", str(result)
    assert result.new.cost is not None and result.new.cost.first_batch_seconds > 0

    again = run_python(RECORDER, "old.py:input_fn", "new.recording", cwd=tmp_path)
    assert again.returncode == 2
    assert "exists: use --force" in again.stderr

    failed = run_python(RECORDER, "old.py:nothing", "other.recording", cwd=tmp_path)
    assert failed.returncode == 2
    assert not (tmp_path / "other.recording").exists()
    assert not list(tmp_path.glob("*.partial"))


def test_a_recorded_batch_comes_back_whole() -> None:
    text = np.array([[b"a\0", b""], ["ü".encode(), b"b"]], object)
    sparse = recorder.Sparse([[0, 1], [1, 0]], np.array([3, 4]), [2, 5])
    ragged = recorder.Ragged(recorder.Ragged(np.arange(4), [0, 1, 4]), [0, 1, 2])
    payload = recorder.sample_payload(7, [text, sparse, ragged, np.float32([1, 2])])
    line, _, raw = payload.partition(b"\n")
    from queueio.compare.sides.recording import _values

    values = _values(__import__("json").loads(line)["values"], raw)
    assert values[0].tolist() == text.tolist()
    assert values[1].indices.tolist() == [[0, 1], [1, 0]]
    assert values[2].row_splits.tolist() == [0, 1, 2]
    assert values[2].values.row_splits.tolist() == [0, 1, 4]
    assert values[3].dtype == np.float32


def test_a_script_of_tensorflow_1_is_told_what_to_do_on_tensorflow_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "old_names.py"
    script.write_text("import tensorflow as tf\ndef f(): return tf.train.batch([1], 2)\n")
    assert recorder.main([f"{script}:f", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert "has no attribute 'batch'. This is TensorFlow 2." in told
    assert "`import tensorflow.compat.v1 as tf`" in told


def test_the_recorder_is_python_2_7() -> None:
    python = shutil.which("python2.7")
    if python is not None:
        check = subprocess.run([python, "-c", "1"], capture_output=True, timeout=60)
        python = python if check.returncode == 0 else None
    if python is not None:
        code = "import sys; compile(open(sys.argv[1]).read(), 'recorder.py', 'exec')"
        subprocess.run([python, "-c", code, str(RECORDER)], check=True, timeout=60)
    tree = ast.parse(RECORDER.read_text())
    new_syntax = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.AsyncFunctionDef, ast.Starred)
    for node in ast.walk(tree):
        assert not isinstance(node, new_syntax), f"line {getattr(node, 'lineno', '?')}"
        if isinstance(node, ast.FunctionDef):
            assert not node.args.kwonlyargs and node.returns is None
            assert all(a.annotation is None for a in node.args.args)


def test_the_recorder_imports_nothing_but_numpy_and_tensorflow() -> None:
    import sys

    tree = ast.parse(RECORDER.read_text())
    found = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert found - set(sys.stdlib_module_names) == {"numpy", "tensorflow"}


@pytest.mark.parametrize("name", ["input_fn", "shuffled"])
def test_the_recorded_script_itself_is_compared_with_its_recording(name: str) -> None:
    recording = ORDERED if name == "input_fn" else SHUFFLED
    epochs = 2 if name == "input_fn" else 1
    side = f"{DATA / 'old_pipeline.py'}:{name}"
    assert comparing(str(recording), side, epochs=epochs, cost=False).ok
