"""Scripts as people wrote them in 2016 print under `queueio run` what TF 1.15.5 printed.

record_expected.py made the files in expected/ with TensorFlow 1.15.5 itself.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import python

HERE = Path(__file__).parent
SCRIPTS = sorted((HERE / "scripts").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_prints_what_it_printed_under_1_15_5(script: Path, tmp_path: Path) -> None:
    arguments = script.with_suffix(".args")
    rest = arguments.read_text().split() if arguments.exists() else []
    done = python("-m", "queueio", "run", script, *rest, cwd=tmp_path, timeout=90)
    printed = f"{done.stdout}exit status {done.returncode}\n"
    expected = (HERE / "expected" / f"{script.stem}.txt").read_text()
    assert printed == expected, done.stderr[-3000:]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_scripts_are_untouched_tf1_code(script: Path) -> None:
    text = script.read_text()
    assert "queueio" not in text
    assert "import tensorflow as tf\n" in text
