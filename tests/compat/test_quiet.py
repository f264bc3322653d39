"""An import whose greeting is held back works wherever the import itself does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import environment

HELD = """
import contextlib, os, sys, tempfile
from queueio.compat.quiet import quiet_stderr
{before}
with quiet_stderr(), contextlib.suppress(OSError):
    os.write(2, b"I0000 a greeting\\na word of TensorFlow's\\n")
{after}
sys.exit(3)
"""
CASES = {
    "it is closed": ("", "", "2>&-"),
    "all are closed": ("", "", "<&- >&- 2>&-"),
    "a file of the program's has its number": (
        "file = open('own.txt', 'wb', 0); assert file.fileno() == 2",
        "assert open('own.txt', 'rb').read().count(b'\\n') == 2",
        "2>&-",
    ),
    "the program closed it": ("os.close(2)", "", ""),
    "the program's own stream only writes": (
        "sys.stderr = type('Log', (), {'write': lambda self, text: None})()",
        "sys.stderr = sys.__stderr__",
        "",
    ),
    "nothing can be written to it": ("", "", "2>/dev/full"),
    "no temporary file can be made": ("tempfile.tempdir = '/no/such/folder'", "", ""),
}


@pytest.mark.skipif(os.name == "nt", reason="written for a POSIX shell")
@pytest.mark.parametrize("case", CASES)
def test_the_import_works_where_standard_error_cannot_be_held_back_since(
    case: str, tmp_path: Path
) -> None:
    before, after, closed = CASES[case]
    program = tmp_path / "program.py"
    program.write_text(HELD.format(before=before, after=after))
    command = f"{sys.executable} {program} {closed}"
    done = subprocess.run(
        command, shell=True, cwd=tmp_path, env=environment(), timeout=60, capture_output=True
    )
    assert done.returncode == 3, done.stderr


def test_only_the_greeting_is_left_out(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(HELD.format(before="", after=""))
    done = subprocess.run(
        [sys.executable, program], env=environment(), timeout=60, capture_output=True, check=False
    )
    assert done.stderr == b"a word of TensorFlow's\n"
