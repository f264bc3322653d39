"""`queueio explain` and `queueio convert` take a MetaGraph in the place of a script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from queueio import train
from queueio.script.saved_graphs import why_no_script
from tests.processes import python

v1 = tf.compat.v1
ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> Any:
    """The command's result: `returncode`, `stdout`, `stderr`; in a process that it may change."""
    return python("-m", "queueio", *arguments, cwd=ROOT, timeout=100)


@pytest.fixture
def meta(tmp_path: Path) -> Iterator[Path]:
    """A saved pipeline that writes a file for each example."""
    with tf.Graph().as_default():
        number = train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
        with tf.control_dependencies([tf.io.write_file(str(tmp_path / "seen"), "an example")]):
            doubled = number * 2
        train.batch([doubled], 4, name="doubled")
        v1.train.export_meta_graph(str(tmp_path / "saved.meta"))
    return tmp_path / "saved.meta"


@pytest.mark.long
def test_a_saved_graph_is_explained_and_its_effects_are_refused_by_name(
    meta: Path,
) -> None:
    done = run("explain", str(meta))
    assert done.returncode == 0, done.stderr
    assert "Pipeline doubled" in done.stdout and "cannot lift WriteFile op" in done.stdout
    allowed = run("explain", "--allow", "WriteFile", str(meta))
    assert "dataset.batch(4, drop_remainder=True)" in allowed.stdout


@pytest.mark.long
def test_a_saved_graph_is_converted_once_its_effects_are_allowed(
    meta: Path,
) -> None:
    out = meta.with_name("pipe.py")
    command = ("convert", str(meta), "--out", str(out))
    refused = run(*command)
    assert refused.returncode == 1 and "--allow WriteFile" in refused.stdout + refused.stderr
    assert not out.exists() and not meta.with_name("seen").exists()
    done = run(*command, "--allow", "WriteFile")
    assert done.returncode == 0, done.stderr
    assert "write_file(" in out.read_text() and not meta.with_name("seen").exists()
    refused = run(*command, "--write")
    assert refused.returncode == 2 and "no script that could be changed" in refused.stderr


@pytest.mark.parametrize("part", [0.0, 0.5, 0.99])
def test_a_meta_graph_that_is_cut_off_is_told_to_be(tmp_path: Path, part: float) -> None:
    from queueio.script.building import _imported
    from queueio.script.program import NotFoundError

    file = tmp_path / "cut.meta"
    with tf.Graph().as_default():
        train.batch([tf.constant(1)], 2)
        v1.train.export_meta_graph(str(file))
    whole = file.read_bytes()
    file.write_bytes(whole[: int(part * len(whole))])
    with pytest.raises(NotFoundError, match=r"cut.meta cannot be imported .* it is cut off"):
        _imported(str(file))


@pytest.mark.parametrize(("command", "content"), [("explain", b"no graph \xff"), ("convert", None)])
def test_what_cannot_be_imported_is_told_in_one_line(
    tmp_path: Path, command: str, content: bytes | None
) -> None:
    file = tmp_path / "broken.meta"
    if content is not None:
        file.write_bytes(content)
    done = run(command, str(file))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "broken.meta cannot be imported as a MetaGraph: " in line


@pytest.mark.parametrize("command", ["explain", "convert"])
def test_a_graph_without_queue_runners_is_told_to_be_none_of_python(
    tmp_path: Path, command: str
) -> None:
    with tf.Graph().as_default() as graph:
        train.batch([tf.constant(1)], 2)
    tf.io.write_graph(graph, str(tmp_path), "graph.pb", as_text=False)
    done = run(command, str(tmp_path / "graph.pb"))
    assert done.returncode == 2 and "SyntaxError" not in done.stderr
    (line,) = done.stderr.splitlines()
    assert "no Python source but a saved graph" in line and "export_meta_graph" in line


def test_graphs_under_other_names_are_told_from_scripts(meta: Path) -> None:
    folder = meta.parent
    with tf.Graph().as_default() as graph:
        tf.constant(1)
    tf.io.write_graph(graph, str(folder), "graph.pbtxt")
    with tf.Graph().as_default():
        v1.train.import_meta_graph(str(meta))
        v1.train.export_meta_graph(str(folder / "meta.txt"), as_text=True)
    (folder / "binary").write_bytes(meta.read_bytes())
    for name in ("graph.pbtxt", "meta.txt", "binary"):
        assert "a saved graph" in why_no_script(str(folder / name)), name
    assert f"its graph is in {meta}" in why_no_script(str(folder / "saved"))


@pytest.mark.parametrize(
    "script", ["", "node = {}\n", "# node {\nimport os\n", "versions\n", "graph_def: dict = {}\n"]
)
def test_a_script_is_no_graph(tmp_path: Path, script: str) -> None:
    path = tmp_path / "train.py"
    path.write_text(script)
    assert why_no_script(str(path)) == why_no_script(str(tmp_path / "none.py")) == ""


def test_a_notebook_is_told_from_a_script(tmp_path: Path) -> None:
    path = tmp_path / "train.ipynb"
    path.write_text('{"cells": [], "nbformat": 4}')
    said = why_no_script(str(path))
    assert f"{path} is a notebook, no script" in said and "%load_ext queueio" in said
    assert f"`jupyter nbconvert --to script {path}` writes {tmp_path}/train.py" in said


def test_compiled_python_is_no_saved_graph(tmp_path: Path) -> None:
    path = tmp_path / "train.pyc"
    path.write_bytes(b"\xa7\r\r\n\0\0\0\0")
    assert why_no_script(str(path)).endswith("reads no lines. Give the script itself")
    (tmp_path / "train.py").write_text("")
    said = why_no_script(str(path))
    assert "is compiled Python" in said and said.endswith(f"give {tmp_path / 'train.py'}")
    assert "graph" not in said
