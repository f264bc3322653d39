"""The command `queueio` itself: quick, lazy, and honest about its commands."""

from __future__ import annotations

import errno
import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from queueio.check.files import python_files
from queueio.cli import COMMANDS, main
from queueio.script.program import NotFoundError, _find, check_file, file_of_module
from tests.processes import environment, python

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip


def test_an_unknown_command_is_refused_and_the_known_ones_are_not_loaded() -> None:
    done = run("-m", "queueio", "rnu")
    assert done.returncode == 2
    assert "No such command 'rnu'" in done.stderr


def test_help_lists_every_command_without_importing_tensorflow() -> None:
    code = (
        "import sys\nfrom queueio.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('tensorflow', 'numpy', 'keras') if m in sys.modules])"
    )
    done = run("-c", code)
    *text, loaded = done.stdout.splitlines()
    assert loaded == "[]", done.stderr
    for name, (_, help_line) in COMMANDS.items():
        assert any(line.split()[:1] == [name] for line in text)
        assert help_line.split()[0] in done.stdout


def test_no_help_of_a_command_loads_tensorflow() -> None:
    code = (
        "import sys\nfrom queueio.cli import COMMANDS, main\nfor name in COMMANDS:\n"
        "    try:\n        main([name, '--help'])\n    except SystemExit:\n        pass\n"
        "    print('LOADED' if 'tensorflow' in sys.modules else 'lean', name)"
    )
    told = [
        line for line in run("-c", code).stdout.splitlines() if line.startswith(("LOA", "lean"))
    ]
    assert told == [f"lean {name}" for name in COMMANDS]


@pytest.mark.parametrize(
    ("command", "slip", "meant"),
    [
        ("convert", "--otu", "--out"),
        ("convert", "--stlye=fast", "--style"),
        ("convert", "--wirte", "--write"),
        ("explain", "--svgs", "--svg"),
        ("run", "--strcit", "--strict"),
    ],
)
def test_an_option_that_is_nearly_one_of_ours_is_not_handed_to_the_script(
    command: str, slip: str, meant: str, tmp_path: Path
) -> None:
    (tmp_path / "script.py").write_text("raise SystemExit('it ran')\n")
    done = run("-m", "queueio", command, slip, str(tmp_path / "script.py"))
    assert done.returncode == 2 and meant in done.stderr and "it ran" not in done.stderr


@pytest.mark.long
def test_options_of_the_scripts_own_and_those_behind_two_dashes_reach_it(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import sys\nraise SystemExit(f'it got {sys.argv[1:]}')\n")
    for given in (["--epochs", "3"], ["--", "--otu"]):
        done = run("-m", "queueio", "explain", str(script), *given)
        assert f"it got {[each for each in given if each != '--']}" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize(("encoding", "columns"), [("latin-1", "0"), ("ascii", "40")])
def test_what_is_printed_reaches_an_output_of_any_encoding_and_width(
    encoding: str, columns: str, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import tensorflow as tf\nnumber = tf.train.range_input_producer(3).dequeue()\n"
        "tf.Session().run(tf.train.batch([number], 2))\n"
    )
    where = environment() | {"PYTHONIOENCODING": encoding, "COLUMNS": columns}
    done = python("-m", "queueio", "explain", script, cwd=tmp_path, env=where, fresh=True)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert "Pipeline batch" in done.stdout and r"\u25bc" in done.stdout
    assert "Built by" in done.stdout


@pytest.mark.long
def test_what_is_printed_reaches_an_output_in_the_locale_c(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import tensorflow as tf\nnumber = tf.train.range_input_producer(3).dequeue()\n"
        "tf.Session().run(tf.train.batch([number], 2))\n"
    )
    where = environment() | {"LC_ALL": "C", "PYTHONUTF8": "0"}
    where.pop("PYTHONIOENCODING", None)
    done = python("-m", "queueio", "explain", "train.py", cwd=tmp_path, env=where, fresh=True)
    assert done.returncode == 0 and r"\u25bc" in done.stdout, done.stderr


@pytest.mark.long
@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_changes_no_answer(closed: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import tensorflow as tf\ntf.train.batch\n")
    command = f"{sys.executable} -m queueio check . {closed}"
    done = subprocess.run(command, shell=True, cwd=tmp_path, env=environment(), timeout=60)
    assert done.returncode == 0


def test_prints_of_a_script_that_its_output_cannot_hold_fail_as_under_python(
    tmp_path: Path,
) -> None:
    script = tmp_path / "train.py"
    script.write_text("print('\\u25bc')\n")
    where = environment() | {"PYTHONIOENCODING": "latin-1"}
    done = python("-m", "queueio", "run", script, cwd=tmp_path, env=where, fresh=True)
    assert done.returncode == 1 and "UnicodeEncodeError" in done.stderr


_TAKE_A_SCRIPT = ("explain", "convert", "watch", "step", "explore", "whatif")


def parsed(name: str, *words: str) -> dict[str, Any]:
    """The values of a command line's parameters."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    command = getattr(importlib.import_module(module), attribute)
    values: dict[str, Any] = command.make_context(name, list(words)).params
    return values


@pytest.mark.parametrize("name", _TAKE_A_SCRIPT)
def test_words_of_the_script_reach_it_whole_though_letters_of_them_are_options_of_ours(
    name: str,
) -> None:
    theirs = ("-model", "x", "-lm=0.1", "-m5", "-1", "-")
    given = parsed(name, "train.py", *theirs)
    assert (given["script"], given["arguments"]) == ("train.py", theirs)
    assert given["as_module"] is False
    assert parsed(name, "--", "-train.py", "-m")["arguments"] == ("-m",)


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        ("parser.add_argument('--seed')", ["--seed", "3"], True),
        ('flags.DEFINE_integer("seed", 1, "")', ["--seed=3"], True),
        ("seed = 1", ["--seed", "3"], False),
        ("parser.add_argument('--seed')", ["--", "--seed", "3"], False),
    ],
)
def test_an_option_of_ours_that_the_script_has_too_is_not_taken_in_silence(
    text: str, words: list[str], told: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text(text)
    script = str(tmp_path / "train.py")
    given = parsed("explore", script, *words)
    assert given["seed"] == (0 if "--" in words else 3)
    assert (f"put it behind `--`: … {script} -- --seed" in capsys.readouterr().err) is told
    parsed("explore", "--seed", "3", script)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", _TAKE_A_SCRIPT)
@pytest.mark.parametrize("option", ["--frob", "-x", "--frob=3"])
def test_an_unknown_option_before_the_script_is_not_taken_for_the_script(
    name: str, option: str
) -> None:
    with pytest.raises(click.UsageError, match=f"{option} is no option of {name}, and no script"):
        parsed(name, option, "train.py")


@pytest.mark.parametrize(
    ("name", "content", "said", "status"),
    [
        ("train.py", b"import os\nx = 1\0\n", "line 2 holds a NUL byte", 1),
        ("late.py", b"x = 1\n" * 2000 + b"\0", "line 2001 holds a NUL byte", 1),
        ("wide.py", "x = 1\n".encode("utf-16"), "it is UTF-16", 1),
        ("train.meta", b"\x12\0", "is a MetaGraph, no script. `queueio explain`", 1),
        ("-", None, "no script is read from standard input", 2),
    ],
)
def test_a_file_that_is_no_script_is_named_before_anything_runs(
    name: str, content: bytes | None, said: str, status: int, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path(name).write_bytes(content)
    with pytest.raises(NotFoundError) as refused:
        check_file(name)
    assert name in str(refused.value) and said in str(refused.value)
    assert refused.value.status == status


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("jobs/train.py", ": -m jobs.train"),
        ("jobs.train.py", ": -m jobs.train"),
        ("jobs.train", ""),
    ],
)
def test_a_file_where_a_module_is_asked_for_is_told_to_be_one(name: str, told: str) -> None:
    for find in (file_of_module, _find):
        with pytest.raises(NotFoundError) as refused:
            find(name)
        assert str(refused.value).startswith(f"No module named {name}")
        assert str(refused.value).endswith(told or name)


def test_what_may_not_be_read_is_no_missing_file(tmp_path: Path, monkeypatch: Any) -> None:
    closed, script = tmp_path / "closed", tmp_path / "closed" / "train.py"
    closed.mkdir()
    script.write_text("")
    (tmp_path / "open.py").write_text("")
    for name in ("stat", "scandir"):  # what permissions do, for root as well
        monkeypatch.setattr(os, name, _refusing(getattr(os, name), str(closed)))
    with pytest.raises(NotFoundError, match=r"train.py': permission denied"):
        check_file(str(script))
    assert python_files(tmp_path) == [closed, tmp_path / "open.py"]


def _refusing(stock: Any, folder: str) -> Any:
    def call(path: Any, *args: Any, **kwargs: Any) -> Any:
        if str(path).startswith(folder):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return stock(path, *args, **kwargs)

    return call


@pytest.mark.long
@pytest.mark.parametrize("command", ["explain --svg {} {}", "convert --out {} {}"])
def test_a_file_that_cannot_be_written_is_one_line_and_no_traceback(
    command: str, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import tensorflow as tf\nnumber = tf.train.range_input_producer(3).dequeue()\n"
        "batch = tf.train.batch([number], 2)\ntf.Session().run(batch)\n"
    )
    taken = tmp_path / ("n" * 300 + ".py")  # a name that no disk takes, not even root's
    done = run("-m", "queueio", *command.format(taken, script).split())
    assert done.returncode != 0 and "Traceback" not in done.stderr
    assert "nnn.py" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_lives_where_the_table_says(name: str) -> None:
    module = COMMANDS[name][0].partition(":")[0]
    assert importlib.util.find_spec(module) is not None


def test_help_of_run_says_where_options_go() -> None:
    done = run("-m", "queueio", "run", "--help")
    assert done.returncode == 0
    assert "Usage: queueio run [OPTIONS] SCRIPT [ARGUMENTS]..." in done.stdout
    for option in ("--engine", "--strict", "--on-stall", "--report", "-m"):
        assert option in done.stdout


def test_the_version_is_the_packages() -> None:
    import queueio

    assert run("-m", "queueio", "--version").stdout == f"queueio {queueio.__version__}\n"


def test_a_slip_in_a_commands_name_is_told_and_a_script_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    for words, told in [
        (["rum", "train.py"], "No such command 'rum'. Did you mean run?"),
        (["--engine", "data"], "No such option"),
        ([str(tmp_path / "train.py")], f"To run a script: queueio run {tmp_path / 'train.py'}"),
    ]:
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 2 and told in done.output


@pytest.mark.parametrize(
    "words",
    ["run --report", "run --html", "run --trace", "explain --svg", "compare --html",
     "compare --json", "learn --html", "demo --report", "explore --html"],
)  # fmt: skip
def test_no_command_writes_over_a_script_that_an_option_took_for_its_file(
    words: str, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text("import tensorflow as tf\n")
    done = CliRunner().invoke(main, [*words.split(), str(script), "data.csv", "out"])
    assert done.exit_code == 2 and script.read_text() == "import tensorflow as tf\n"
    option = words.split()[1]
    nameless = CliRunner().invoke(main, [*words.split(), "", str(script), "out"])
    assert nameless.exit_code == 2 and "the name of the file is empty" in nameless.output
    assert f"Give the file to write first: {option} FILE {script}" in done.output


def test_what_is_no_module_or_no_file_is_told_by_convert_as_by_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole" / "__init__.py").write_text("")
    done = CliRunner().invoke(main, ["convert", "-m", "whole"])
    assert "'whole' is a package and cannot be directly executed" in done.output
    for command in ("convert", "upgrade"):
        done = CliRunner().invoke(main, [command, "-"])
        assert "no script is read from standard input" in done.output


def test_upgrade_says_that_nothing_was_to_change_and_writes_nothing(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("print(1)\n")
    os.utime(script, (1, 1))
    done = CliRunner().invoke(main, ["upgrade", str(script)])
    assert done.exit_code == 0 and "train.py is as it was: no line" in done.output
    assert script.stat().st_mtime == 1


def test_check_takes_no_notebook_and_no_compiled_file_for_code_without_names(
    tmp_path: Path,
) -> None:
    notebook, compiled = tmp_path / "train.ipynb", tmp_path / "train.pyc"
    notebook.write_text('{"cells": [{"source": ["import tensorflow as tf; tf.flags"]}]}')
    compiled.write_bytes(b"\xa7\r\r\n\0")
    for path, told in [(notebook, "is a notebook, no script"), (compiled, "is compiled Python")]:
        done = CliRunner().invoke(main, ["check", str(path)])
        assert done.exit_code == 2 and told in done.output
        assert "0 names" not in done.output
