"""Scripts in other encodings, and with characters that end a line for some and not for others."""

from __future__ import annotations

import codecs
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from queueio.cli import main
from queueio.convert.file_text import decoded, difference, difference_of_file, lines_of
from queueio.convert.other_queues import more_queues
from queueio.convert.source import Script

IMPORT, UPGRADED = "import tensorflow as tf", "import queueio.v1 as tf"
WORDS = {"gbk": "读取数据", "euc-kr": "학습", "latin-1": "déjà vu", "shift_jis": "表"}


@pytest.mark.parametrize("encoding", WORDS)
def test_a_script_in_the_encoding_that_it_declares_is_changed_and_stays_in_it(
    encoding: str, tmp_path: Path
) -> None:
    word = WORDS[encoding]
    old = f"# -*- coding: {encoding} -*-\r\n{IMPORT}  # {word}\r\nx = '{word}'\r\n"
    script = tmp_path / "train.py"
    script.write_bytes(old.encode(encoding))
    assert Script(str(script)).text == old.replace("\r\n", "\n")
    done = CliRunner().invoke(main, ["upgrade", str(script)])
    assert done.exit_code == 0, done.output
    assert script.read_bytes() == old.replace(IMPORT, UPGRADED).encode(encoding)


@pytest.mark.parametrize("encoding", WORDS)
def test_a_difference_is_in_the_encoding_of_the_script_for_patch_compares_bytes(
    encoding: str, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    head, word = f"# -*- coding: {encoding} -*-\n", f"# {WORDS[encoding]}\n"
    script.write_bytes(f"{head}{word}{IMPORT}\n".encode(encoding))
    done = CliRunner().invoke(main, ["upgrade", "--diff", str(script)])
    changed = f"@@ -1,3 +1,3 @@\n {head} {word}-{IMPORT}\n+{UPGRADED}\n"
    assert changed.encode(encoding) in done.stdout_bytes


def test_a_difference_has_the_mark_before_the_script(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_bytes(codecs.BOM_UTF8 + f"{IMPORT}  # é\n".encode())
    done = CliRunner().invoke(main, ["upgrade", "--diff", str(script)])
    assert b"\n-" + script.read_bytes() + b"+" + codecs.BOM_UTF8 in done.stdout_bytes


def test_a_mark_before_the_script_stays(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_bytes(codecs.BOM_UTF8 + f"{IMPORT}  # é\n".encode())
    assert CliRunner().invoke(main, ["upgrade", str(script)]).exit_code == 0
    assert script.read_bytes() == codecs.BOM_UTF8 + f"{UPGRADED}  # é\n".encode()


WRONG = {
    b"# coding: klingon\n": "unknown encoding: klingon. Save it as UTF-8.",
    b"\n\nx = '\xe9'\n": "byte 7 is not UTF-8. Save it as UTF-8, or declare its encoding",
    b"# coding: ascii\nx = '\xe9'\n": "byte 21 is not ascii.",
}


@pytest.mark.parametrize("raw", WRONG)
def test_a_script_that_python_cannot_read_is_refused_with_its_encoding(
    raw: bytes, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_bytes(raw)
    done = CliRunner().invoke(main, ["upgrade", str(script)])
    assert done.exit_code == 2 and f"is no Python script: {WRONG[raw]}" in done.output
    assert script.read_bytes() == raw


def test_queues_are_found_in_a_module_of_another_encoding(tmp_path: Path) -> None:
    """The second byte of this letter is a backslash in ASCII, behind which no string ends."""
    text = "# coding: shift_jis\nNAME = '表'\ndef inputs():\n    return tf.train.batch([x], 4)\n"
    (tmp_path / "readers.py").write_bytes(text.encode("shift_jis"))
    assert more_queues("import readers", tmp_path).startswith("readers.py, line 4")


def test_lines_are_those_that_python_counts() -> None:
    assert lines_of("a\fb\n\f\n'\u2028'\r\n\rc\x85") == [
        "a\fb\n",
        "\f\n",
        "'\u2028'\r\n",
        "\r",
        "c\x85",
    ]
    assert lines_of("") == [] and lines_of("\n") == ["\n"]


def test_a_difference_says_where_a_file_ends_without_a_newline() -> None:
    """Without, the last line of one file and the next line of the other are one."""
    end = "\\ No newline at end of file\n"
    both = difference("a.py", "x = 1\ny = 2", "a.py", "x = 1\ny = 3")
    assert both.endswith(f"@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n{end}+y = 3\n{end}")
    assert difference("a.py", "x\ny", "a.py", "x\ny\n").endswith(f" x\n-y\n{end}+y\n")
    assert difference("/dev/null", "", "a.py", "x\n") == (
        "--- /dev/null\n+++ a.py\n@@ -0,0 +1 @@\n+x\n"
    )


def test_patch_finds_a_file_with_a_blank_in_its_name(tmp_path: Path) -> None:
    (tmp_path / "train v1.py").write_text("x = 1\n")
    told = difference("train v1.py", "x = 1\n", "train v1.py", "x = 2\n")
    assert told.startswith("--- train v1.py\t\n+++ train v1.py\t\n")  # as git writes it
    if patch := shutil.which("patch"):
        subprocess.run([patch, "-p0"], input=told, text=True, cwd=tmp_path, check=True)
        assert (tmp_path / "train v1.py").read_text() == "x = 2\n"


def test_only_newlines_end_the_lines_of_a_difference() -> None:
    """`patch` counts no others: a hunk with a form feed was longer than its head said."""
    told = difference("a.py", "x\f1\ny\r\n", "a.py", "x\f1\nz\u2028\r\n")
    assert told.endswith("@@ -1,2 +1,2 @@\n x\f1\n-y\r\n+z\u2028\r\n")


@pytest.mark.parametrize(
    "raw",
    [
        "# coding: latin-1\nx = 'été'\ny = 1\n".encode("latin-1"),
        "# coding: gbk\r\nx = '数据'\r\ny = 1\r\n".encode("gbk"),
        "x = 'été'\ny = 1\n".encode("utf-8-sig"),
    ],
    ids=["latin-1", "gbk", "a mark"],
)
def test_a_difference_has_the_bytes_of_the_file(raw: bytes) -> None:
    """`patch` compares bytes: a line in another encoding, or without the mark, is no line of it."""
    text = decoded(raw)
    told = difference_of_file(raw, "数.py", text, text.replace("y = 1", "y = 2"))
    head, *body = told.splitlines(keepends=True)[1:]
    assert head == "+++ 数.py\n".encode() and body[0].startswith(b"@@")
    assert b"".join(line[1:] for line in body[1:] if line[:1] in b" -") == raw
    after = b"".join(line[1:] for line in body[1:] if line[:1] in b" +")
    assert after == raw.replace(b"y = 1", b"y = 2")
    assert difference_of_file(raw, "a.py", text, text) == b""


def test_spaces_before_a_colon_stay_in_the_lines_that_do_not_change(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    old = f"{IMPORT}\r\ntry :\r\n\tf()\r\nexcept A : pass\r\ntry: f()\r\nexcept A: pass\r\n"
    script.write_bytes(old.encode())
    assert CliRunner().invoke(main, ["upgrade", str(script)]).exit_code == 0
    assert script.read_bytes() == old.replace(IMPORT, UPGRADED).encode()


def test_they_stay_where_a_batch_call_is_replaced() -> None:
    from types import SimpleNamespace
    from typing import Any

    from queueio.convert.batch_calls import Replacement
    from queueio.convert.patch import patched

    found: Any = SimpleNamespace(name="batch", module="", given=None)
    rest = "try : f(x)\nexcept A : pass\n"
    text = f"{IMPORT}\nx = tf.train.batch([1], 2)\n{rest}"
    new = patched(text, [Replacement(2, "input_fn", found)], all_found=True).text
    assert "input_fn.input_fn()" in new and new.endswith(rest)
