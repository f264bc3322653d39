"""What queueio writes: whole or not at all, and told by name where it cannot be."""

from __future__ import annotations

import errno
import io
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from queueio import outputs
from queueio.cli import main
from queueio.convert.refusals import write_text
from queueio.emit.module import Module
from queueio.schedule.child import Order
from queueio.schedule.prompt import Prompt
from queueio.schedule.step import _strategy
from tests.processes import environment, python

FULL = Path("/dev/full")
needs_a_full_device = pytest.mark.skipif(not FULL.exists(), reason="a device of Linux")


@pytest.fixture
def room_for_1000_bytes() -> Iterator[None]:
    """No file can grow beyond that, as on a disk that is nearly full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_script_that_cannot_be_written_whole_stays_as_it_was(
    tmp_path: Path, room_for_1000_bytes: None
) -> None:
    script = tmp_path / "train.py"
    script.write_text("import tensorflow as tf\n")
    with pytest.raises(OSError) as raised:
        write_text(script, "import queueio.v1 as tf\n" * 100)
    assert raised.value.errno == errno.EFBIG
    assert raised.value.filename == str(script)
    assert script.read_text() == "import tensorflow as tf\n"
    assert [each.name for each in tmp_path.iterdir()] == ["train.py"]


def test_what_queueio_writes_is_whole_or_not_there_and_what_was_there_stays(
    tmp_path: Path, room_for_1000_bytes: None
) -> None:
    old = tmp_path / "report.html"
    old.write_text("<html>")
    made = Module("# a module\n", {"table": np.random.default_rng(0).integers(0, 9, 9999)})
    for path, write in [
        (old, lambda path: outputs.write(path, "new\n" * 500)),
        (tmp_path / "input_fn.py", Module("x = 1\n" * 500, {}).write),
        (tmp_path / "input_fn.npz", lambda path: made.write(path.with_suffix(".py"))),
    ]:
        with pytest.raises(OSError) as raised:
            write(path)
        assert raised.value.errno == errno.EFBIG and raised.value.filename == str(path)
    assert old.read_text() == "<html>"
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_a_file_is_written_where_its_folder_takes_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.html"
    target.write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    outputs.write(target, "new")
    assert target.read_text() == "new"
    with pytest.raises(OSError, match="permission denied"):  # half a script would be worse
        outputs.replace(target, b"newer")
    monkeypatch.undo()

    def busy(fresh: Path, real: Path) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy", str(real))

    monkeypatch.setattr(Path, "replace", busy)
    outputs.write(target, "newest")
    assert target.read_text() == "newest" and len(list(tmp_path.iterdir())) == 1


def test_what_is_no_regular_file_is_not_replaced_by_one(tmp_path: Path) -> None:
    pipe = tmp_path / "train.py"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="it is no regular file") as raised:
        outputs.replace(pipe, b"import queueio.v1 as tf\n")
    assert raised.value.filename == str(pipe) and pipe.is_fifo()
    for command in (["upgrade"], ["convert", "--write"]):
        said = CliRunner().invoke(main, [*command, str(pipe)])
        assert said.exit_code and "is no regular file" in said.output
        assert pipe.is_fifo()


def test_a_script_that_cannot_be_written_is_not_called_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "train.py"
    script.write_text("import tensorflow as tf\n")

    def denied(path: Path, content: bytes) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(outputs, "replace", denied)
    said = CliRunner().invoke(main, ["upgrade", str(script)])
    assert said.exit_code == 1 and "permission denied" in said.output
    assert "changed" not in said.output
    monkeypatch.undo()
    assert "changed line 1" in CliRunner().invoke(main, ["upgrade", str(script)]).output


def test_a_script_behind_a_link_is_changed_where_it_is_and_stays_executable(tmp_path: Path) -> None:
    script, link = tmp_path / "train.py", tmp_path / "link.py"
    script.write_text("old\n")
    script.chmod(0o750)
    link.symlink_to(script)
    write_text(link, "new\n")
    assert link.is_symlink()
    assert script.read_text() == "new\n"
    assert script.stat().st_mode & 0o777 == 0o750


@needs_a_full_device
def test_the_error_of_a_full_disk_names_the_file() -> None:
    with pytest.raises(OSError) as raised:
        outputs.write(FULL, "<html>")
    assert raised.value.filename == str(FULL)


@needs_a_full_device
def test_a_command_whose_lines_nobody_can_take_says_so_without_a_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "queueio", "learn", "--folder", str(tmp_path)]
    with FULL.open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: what is printed")
    assert "Traceback" not in done.stderr


@needs_a_full_device
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_what_the_command_says_of_itself_needs_room_too(
    option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(FULL, "wb", buffering=0) as full:
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(full, write_through=True))
        with pytest.raises(click.ClickException, match="what is printed"):
            main.make_context("queueio", [option])
        monkeypatch.undo()


def test_a_step_without_any_input_takes_turns_and_a_prompt_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert _strategy(None, None, 0) == "round-robin"
    assert Prompt(Order("train.py"))._read(["A"], 0) == ["x"]


def test_a_command_that_is_interrupted_ends_with_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("queueio.learn.command._list", interrupted)
    done = CliRunner().invoke(main, ["learn"])
    assert done.exit_code == 130  # 1 is "not solved yet"
    assert done.stderr.strip() == "Interrupted."


def test_a_report_that_cannot_be_written_at_the_end_is_told_without_a_traceback(
    tmp_path: Path,
) -> None:
    told = environment(QUEUEIO_REPORT="none/report.json")
    done = python("-c", "import queueio.v1", cwd=tmp_path, env=told)
    assert f"queueio: the report {tmp_path}/none/report.json cannot be written: " in done.stderr
    assert "Traceback" not in done.stderr and done.returncode == 0
