"""Switches of the environment, and the folders that it names."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from queueio import settings
from queueio.cli import main
from queueio.compile.kernels import budget
from queueio.learn.command import learn
from queueio.script.command import run
from tests.processes import environment, python

linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems name other folders")


@pytest.fixture
def no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user whom the system does not know, as one of a container that was given a number."""
    pwd = pytest.importorskip("pwd")

    def unknown(uid: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {uid}")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "QUEUEIO_CACHE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_home")
def test_without_a_home_nothing_is_kept() -> None:
    assert settings.current().cache is None


@linux
@pytest.mark.usefixtures("no_home")
def test_without_a_home_the_named_folder_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert settings.current().cache == "/caches/queueio/datasets"
    monkeypatch.setenv("QUEUEIO_CACHE", "/mine")
    assert settings.current().cache == "/mine"


@linux
@pytest.mark.usefixtures("no_home")
def test_without_a_home_learn_asks_for_a_folder(tmp_path: Path) -> None:
    told = CliRunner().invoke(learn, [])
    assert told.exit_code == 2
    assert "HOME is not set, and this user has no home: give --folder DIR." in told.output
    assert CliRunner().invoke(learn, ["--folder", str(tmp_path)]).exit_code == 0


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("QUEUEIO_ENGINE", "QUEUEIO_ENGINE='foo' is not known. Use one of queue, data."),
        ("QUEUEIO_ON_STALL", "QUEUEIO_ON_STALL='foo' is not known. Use one of warn, raise."),
        ("QUEUEIO_SMALL_JOB", "QUEUEIO_SMALL_JOB='foo' is not a whole number."),
        ("QUEUEIO_STRICT", "QUEUEIO_STRICT='foo' is neither 1 nor 0. Use QUEUEIO_STRICT=1 or 0."),
    ],
)
def test_run_says_which_variable_is_wrong_before_the_script_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, told: str
) -> None:
    monkeypatch.setenv(name, "foo")
    (tmp_path / "script.py").write_text("print('it ran')\n")
    ended = CliRunner().invoke(run, [str(tmp_path / "script.py")])
    assert ended.exit_code == 2
    assert told in ended.output
    assert "it ran" not in ended.output


def test_a_switch_that_says_no_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ("", "0", "false", "False", "no", "off"):
        monkeypatch.setenv("QUEUEIO_STRICT", word)
        assert not settings.current().strict, word
    for word in ("1", "true", "YES", "on"):
        monkeypatch.setenv("QUEUEIO_STRICT", word)
        assert settings.current().strict, word
    monkeypatch.setenv("QUEUEIO_CACHE", "off")
    assert settings.current().cache is None


def test_a_file_of_the_environment_is_meant_from_the_folder_where_the_program_began(
    tmp_path: Path,
) -> None:
    (tmp_path / "inner").mkdir()
    code = (
        "import os, queueio.v1; os.chdir('inner');"
        "from queueio import settings; print(settings.current().cache)"
    )
    told = environment(QUEUEIO_REPORT="report.json", QUEUEIO_CACHE="kept")
    assert python("-c", code, cwd=tmp_path, env=told, timeout=200).stdout.strip() == str(
        tmp_path / "kept"
    )
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["report.json"]
    (tmp_path / "report.json").unlink()
    (tmp_path / "script.py").write_text(
        "import os\nos.chdir('inner')\nprint(os.environ['QUEUEIO_REPORT'])\n"
    )
    ran = python("-m", "queueio", "run", "script.py", cwd=tmp_path, env=told, timeout=200)
    assert ran.stdout.strip() == str(tmp_path / "report.json")
    assert not list((tmp_path / "inner").iterdir())


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("QUEUEIO_STALL_SECONDS", "5s", "is not a number. Use QUEUEIO_STALL_SECONDS=5.0."),
        ("QUEUEIO_SMALL_JOB", "1e3", "is not a whole number. Use QUEUEIO_SMALL_JOB=4000."),
        ("QUEUEIO_STALL_SECONDS", "nan", "is not more than 0. Use a time, or inf for never."),
        ("QUEUEIO_STALL_SECONDS", "-1", "is not more than 0. Use a time, or inf for never."),
        ("QUEUEIO_STALL_SECONDS", "0", "is not more than 0. Use a time, or inf for never."),
        ("QUEUEIO_SMALL_JOB", "-5", "is not 0 or more. Use 0 for none."),
    ],
)
def test_a_number_that_is_none_is_told_with_its_name(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, told: str
) -> None:
    monkeypatch.setenv(name, text)
    with pytest.raises(ValueError) as refused:
        settings.current()
    assert str(refused.value) == f"{name}='{text}' {told}"


def test_a_number_of_a_with_block_is_told_by_its_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUEUEIO_STALL_SECONDS", "inf")
    assert settings.current().stall_seconds == float("inf")
    with pytest.raises(ValueError, match=r"^stall_seconds=-2 is not more than 0\."):
        settings.check(stall_seconds=-2)


def test_a_command_tells_a_wrong_variable_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print('it ran')\n")
    wrong = environment(QUEUEIO_STALL_SECONDS="nan")
    ended = python("-m", "queueio", "explain", "script.py", cwd=tmp_path, env=wrong)
    assert ended.returncode == 2
    assert "Error: QUEUEIO_STALL_SECONDS='nan' is not more than 0." in ended.stderr
    assert "Traceback" not in ended.stderr and "it ran" not in ended.stdout


@pytest.mark.parametrize(
    "words",
    [["whatif", "--seconds"], ["compare", "old", "new", "--rtol"]],
    ids=["whatif", "compare"],
)
def test_a_command_takes_nan_for_no_number(words: list[str]) -> None:
    ended = CliRunner().invoke(main, [*words, "nan", "script.py"])
    assert ended.exit_code == 2
    assert "'nan' is not a number." in ended.output


def test_a_system_without_affinities_uses_all_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert budget.calls() == 5
