"""The command `queueio` itself: quick, lazy, and honest about its commands."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from queueio.cli import COMMANDS

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
