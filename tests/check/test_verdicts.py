"""What is said to run, runs; what is not, says what the error of a run says."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from queueio.check.checking import CodeBase
from queueio.check.files import CannotReadError, parsed
from queueio.check.report import text
from queueio.cli import main
from tests.processes import ROOT, python
from tests.v1.test_names import recorded_names

FOLDERS = {"examples": ROOT / "examples", "scripts": ROOT / "tests/script/scripts"}
WRONG = """\
import tensorflow as tf

if tf.gone_for_ever:
    tf.train.SummaryWriter("logs")
try:
    from tensorflow.contrib import crf
except ImportError:
    crf = None
"""
DEEPER = """\
tf.contrib.slim.of_nobody
tf.contrib.layers.of_nobody
tf.train.Saver.of_nobody
tf.data.Dataset.from_tensor_slices
tf.errors.OutOfRangeError.of_nobody
tf.python.ops.control_flow_ops.of_nobody
tf.python.training.queue_runner.QueueRunner
tf.compat.v1.train.shuffle_batch
tf.compat.v2.strings.length
tf.estimator.inputs.numpy_input_fn
tf.examples.tutorials.mnist.input_data
import tensorflow.python.ops.array_ops
import tensorflow.python.of_nobody
import tensorflow.contrib.of_nobody
from tensorflow.python.framework import ops
from tensorflow.python.platform import of_nobody
from tensorflow.core.example import example_pb2
from tensorflow.python.tpu import tpu_embedding
tpu_embedding.TPUEmbedding
from tensorflow.python.distribute import estimator_training
estimator_training.train_and_evaluate
from tensorflow.python.layers.normalization import BatchNormalization
from tensorflow.contrib import of_nobody
from tensorflow.train import shuffle_batch
from tensorflow.keras.layers import Dense
import tf_slim
""".splitlines()


REFUSING = ("tpu_embedding.TPUEmbedding", "estimator_training.train_and_evaluate")


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What checked_here.py found, of the examples, the scripts, and every name of TF 1.15.5."""
    folder = tmp_path_factory.mktemp("check")
    for name, code in (("wrong", WRONG), ("reader", "import tensorflow as tf\ntf.LMDBReader\n")):
        (folder / "checked" / name).mkdir(parents=True)
        (folder / "checked" / name / "train.py").write_text(code)
    for name, real in FOLDERS.items():
        (folder / "checked" / name).symlink_to(real)
    lines = folder / "lines.py"
    names = [f"tf.{name}" for name in recorded_names()]
    lines.write_text("\n".join(["import tensorflow as tf", *names, *DEEPER]))
    out = folder / "out.json"
    program = ROOT / "tests" / "check" / "checked_here.py"
    done = python(program, out, folder / "checked", lines, cwd=folder, timeout=240)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def verdicts(result: dict[str, Any]) -> dict[int, tuple[str, str]]:
    """(verdict, advice) of each line of the script of all names."""
    return {n["line"]: (n["verdict"], n.get("advice", "")) for n in result["lines"]["names"]}


def number_of(line: str, result: dict[str, Any]) -> int:
    """Where a line stands in that script."""
    return [line for line, _ in result["ran"]].index(line) + 1


@pytest.mark.long
def test_what_is_said_to_run_runs_and_what_is_refused_or_missing_fails(
    result: dict[str, Any],
) -> None:
    told, wrong = verdicts(result), []
    for number, (line, error) in enumerate(result["ran"], start=1):
        verdict, _ = told.get(number, ("runs", ""))
        refuses = line in REFUSING and verdict == "refused"
        if (
            verdict != "needs an extra"
            and not refuses
            and (verdict == "runs") is not (error is None)
        ):
            wrong.append((line, verdict, error))
    assert len(told) > 3500 and wrong == []


@pytest.mark.long
def test_a_refused_name_comes_with_the_advice_that_a_run_gives(result: dict[str, Any]) -> None:
    told = verdicts(result)
    ran = result["ran"]
    refused = {tuple(ran[n - 1]): advice for n, (kind, advice) in told.items() if kind == "refused"}
    assert len(refused) > 100
    for (line, error), advice in refused.items():
        _, _, last = advice.rstrip(".").rpartition(". ")
        assert error is None if line in REFUSING else last in error, (line, advice, error)


def test_what_is_there_only_to_refuse_is_refused(result: dict[str, Any]) -> None:
    for line in REFUSING:
        verdict, advice = verdicts(result)[number_of(line, result)]
        assert verdict == "refused" and advice.startswith(("TPUEmbedding: TensorFlow", "TensorFl"))


def test_names_that_nobody_knows_are_missing(result: dict[str, Any]) -> None:
    ran, told = result["ran"], verdicts(result)
    missing = {ran[number - 1][0] for number, (kind, _) in told.items() if kind == "missing"}
    assert missing >= {
        "tf.train.Saver.of_nobody",
        "tf.errors.OutOfRangeError.of_nobody",
        "tf.python.ops.control_flow_ops.of_nobody",
        "import tensorflow.python.of_nobody",
    }


@pytest.mark.parametrize(
    ("line", "package"),
    [("tf.keras.layers.Dense", "tf_keras"), ("import tf_slim", "tf_slim"),
     ("from tensorflow.keras.layers import Dense", "tf_keras"),
     ("from tensorflow.python.layers.normalization import BatchNormalization", "tf_keras")],
)  # fmt: skip
def test_what_an_installation_brings_back_says_which(
    line: str, package: str, result: dict[str, Any]
) -> None:
    verdict, advice = verdicts(result)[number_of(line, result)]
    if importlib.util.find_spec(package) is None:
        line = {"tf_slim": "'tf-queueio[slim]'"}.get(package, package)
        assert verdict == "needs an extra" and f"pip install {line}" in advice
    else:
        assert verdict == "runs"


def test_a_reader_of_lmdb_needs_its_package(result: dict[str, Any]) -> None:
    with_it, without = result["commands"]["reader"], result["without_lmdb"]
    assert json.loads(with_it["printed"])["names"][0]["verdict"] == "runs"
    told = json.loads(without["printed"])["names"][0]
    assert (told["verdict"], told["advice"]) == ("needs an extra", "pip install 'tf-queueio[lmdb]'")
    assert with_it["status"] == without["status"] == 0


@pytest.mark.parametrize("name", FOLDERS)
def test_everything_that_the_examples_and_scripts_use_runs(
    name: str, result: dict[str, Any]
) -> None:
    done = result["commands"][name]
    report = json.loads(done["printed"])
    assert done["status"] == 0 and report["files"] == len(list(FOLDERS[name].rglob("*.py")))
    assert {each["verdict"] for each in report["names"]} == {"runs"}
    places = {(Path(each["file"]).name, each["name"]) for each in report["names"]}
    known = {"examples": ("migrate_old.py", "tf.train.shuffle_batch"),
             "scripts": ("supervisor.py", "tf.train.Supervisor")}  # fmt: skip
    assert known[name] in places


def test_a_missing_name_fails_the_command_and_is_told_by_file_and_line(
    result: dict[str, Any],
) -> None:
    done = result["commands"]["wrong"]
    assert done["status"] == 1
    report = json.loads(done["printed"])
    told = {(each["line"], each["name"], each["verdict"]) for each in report["names"]}
    assert told >= {
        (3, "tf.gone_for_ever", "missing"),
        (4, "tf.train.SummaryWriter", "refused"),
        (6, "tf.contrib.crf", "guarded"),
    }
    printed = result["quiet"]["printed"]
    assert "train.py:3: tf.gone_for_ever: missing" in printed and ": runs" not in printed
    assert "Use tf.summary.FileWriter" in printed


@pytest.mark.parametrize("make", ["nothing", "empty"])
def test_a_folder_without_python_files_is_bad_usage(make: str, tmp_path: Path) -> None:
    folder = tmp_path / make
    if make == "empty":
        folder.mkdir()
    done = CliRunner().invoke(main, ["check", str(folder)])
    assert done.exit_code == 2 and str(folder) in done.output


def test_a_file_that_cannot_be_parsed_has_a_line_only_where_there_is_one(tmp_path: Path) -> None:
    checked = CodeBase()
    for name, content in {"binary.py": b"x = 1\n\0", "coded.py": b"# coding: klingon\n"}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(CannotReadError) as refused:
            parsed(tmp_path / name)
        checked.unread.append((Path(name), refused.value))
    binary, coded, *_ = text(checked).splitlines()
    assert binary.startswith("binary.py: Python cannot parse it: ")
    assert coded.startswith("coded.py: Python cannot parse it: ") and "klingon" in coded
