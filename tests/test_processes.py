"""A process that is forked from one with TensorFlow in it shows what a fresh one shows."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import forked
from tests.processes import environment, python

PROGRAMS = {
    "fails": "def f():\n    raise ValueError('of its own')\nprint('before')\nf()\n",
    "says why it ends": "import sys\nsys.exit('no more')\n",
    "is the main module": "import sys\nprint(__name__, __file__, sys.argv, sys.path[0])\n"
    "print(sys.modules['__main__'].__dict__ is globals())\n",
    "has threads that go on": "import atexit, threading, time\natexit.register(print, 'last')\n"
    "threading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start()\n",
    "imports from its folder": "import beside\nprint(beside.__file__)\n",
    "reads no input": "import sys\nprint(repr(sys.stdin.read()))\n",
    "is ended by a signal": "import os\nos.kill(os.getpid(), 15)\n",
    "writes into its own temporary folder": "import tempfile\nprint(tempfile.gettempdir())\n",
    "has its variables": "import os\nprint(os.environ['OF_ITS_OWN'], 'HOME' in os.environ)\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "beside.py").write_text("")
    return tmp_path


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_forked_program_prints_and_ends_as_a_fresh_one(name: str, folder: Path) -> None:
    (folder / "program.py").write_text(PROGRAMS[name])
    env = environment(OF_ITS_OWN="1", HOME=None, TMPDIR=str(folder))
    runs = [("program.py", "a", "--b"), ("-m", "program", "a"), ("-c", PROGRAMS[name])]
    for arguments in runs if "__file__" not in PROGRAMS[name] else runs[:2]:
        forked, fresh = (
            python(*arguments, cwd=folder, env=env, fresh=fresh) for fresh in (False, True)
        )
        assert (forked.stdout, forked.returncode) == (fresh.stdout, fresh.returncode)
        assert without_runpy(forked.stderr) == without_runpy(fresh.stderr)


def without_runpy(text: str) -> list[str]:
    """The lines of a traceback, but those of the frames of runpy that `-m` has above it."""
    return [line for line in text.splitlines() if "<frozen runpy>" not in line]


def test_a_program_that_goes_on_is_ended_when_its_time_is_up(folder: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired) as late:
        python(
            "-c", "print('began', flush=True)\nimport time\ntime.sleep(60)", cwd=folder, timeout=1
        )
    assert late.value.stdout == "began\n"
    assert python("-c", "print('the next')", cwd=folder).stdout == "the next\n"


@pytest.mark.long
def test_a_program_that_asks_for_certain_hashes_has_them_and_tensorflow_too(folder: Path) -> None:
    asks = "import sys; print(hash('text'), {*'abcdefgh'}, 'tensorflow' in sys.modules)"
    env = environment(PYTHONHASHSEED="0")
    own, fresh = (python("-c", asks, cwd=folder, env=env, fresh=it).stdout for it in (False, True))
    assert own == fresh.replace("False", "True") != fresh


STARTS = """
import os, signal, subprocess, sys
def told(*command, **how):
    return subprocess.run([sys.executable, *command], text=True, capture_output=True, **how)
print(told("-m", "program", "a", cwd="sub", env={**os.environ, "OF_ITS_OWN": "2"}))
print(told("program.py", input="one\\ntwo\\n"))
print(told("-c", "import sys; print('to its error', file=sys.stderr)"))
print(told("-c", "import os; print(os.getppid() == int(os.environ['OF']))",
           env={**os.environ, "OF": str(os.getpid())}))
print(told("-X", "utf8", "-c", "print(1)"), told("-c", "print(2)", env={"TF_OF": "x"}))
print(subprocess.run([sys.executable, "-c", "raise SystemExit(7)"]).returncode)
own = "import os; print(os.getpgid(0) == os.getpid(), os.getsid(0) == os.getpid())"
print(told("-c", own, start_new_session=True), told("-c", own))
nested = "import subprocess, sys; print(subprocess.run([sys.executable, 'program.py', 'x']))"
print(told("-c", nested))
waits = [sys.executable, "-c", "import time\\nprint(1, flush=True)\\ntime.sleep(60)"]
with subprocess.Popen(waits, stdout=subprocess.PIPE) as process:
    process.stdout.readline()
    assert process.poll() is None
    process.kill()
print(process.returncode)
"""
STARTED = """
import os, sys
print(sys.argv, os.path.basename(os.getcwd()), os.environ.get("OF_ITS_OWN"), sys.stdin.read())
"""


@pytest.fixture
def starting(folder: Path) -> Path:
    (folder / "sub").mkdir()
    for place in (folder, folder / "sub"):
        (place / "program.py").write_text(STARTED)
    (folder / "starts.py").write_text(STARTS)
    return folder


@pytest.mark.long
def test_programs_that_a_forked_one_starts_do_as_those_of_a_fresh_one(starting: Path) -> None:
    env = environment(OF_ITS_OWN="1")
    own, fresh = (
        python("starts.py", cwd=starting, env=env, starts=starts, fresh=not starts)
        for starts in (True, False)
    )
    assert own.returncode == 0, own.stderr
    assert (own.stdout, own.stderr) == (fresh.stdout, fresh.stderr)


def test_a_program_that_a_forked_one_starts_has_tensorflow_already(folder: Path) -> None:
    asks = "import sys; print('tensorflow' in sys.modules)"
    code = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {asks!r}])"
    told = [python("-c", code, cwd=folder, starts=starts).stdout for starts in (True, False)]
    assert told == [f"{forked.CAN}\n", "False\n"]
