"""Checks folders, and runs what was checked: in a process of its own, as queueio.v1 is in it.

Usage: checked_here.py OUT FOLDER LINES. LINES is a file of one statement a line, after an import
of TensorFlow; each is checked and run by itself.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from queueio.check.checking import check_folder
from queueio.check.report import as_json
from queueio.check.verdicts import Judge
from queueio.cli import main


def command(*arguments: str) -> dict[str, Any]:
    """What `queueio check` does: its exit status and what it prints."""
    sys.argv[:] = ["queueio", "check", *arguments]  # which tf.app.flags must not parse
    done = CliRunner().invoke(main, ["check", *arguments])
    return {"status": done.exit_code, "printed": done.stdout}


def of_each_line(lines: Path) -> list[tuple[str, str | None]]:
    """The lines of a script, each with the error that it ends with, or None."""
    text = lines.read_text().splitlines()
    scope: dict[str, Any] = {}
    found: list[tuple[str, str | None]] = []
    for number, line in enumerate(text):
        try:
            exec(compile("\n" * number + line, str(lines), "exec"), scope)
        except (AttributeError, ImportError) as error:
            found.append((line, " ".join(str(error).split())))
        else:
            found.append((line, None))
    return found


def everything(folder: Path, lines: Path) -> dict[str, Any]:
    """All that the tests ask."""
    result = {
        "commands": {path.name: command(str(path), "--json") for path in folder.iterdir()},
        "quiet": command(str(folder / "wrong"), "--quiet"),
        "lines": json.loads(as_json(check_folder(lines, Judge(lines)))),
        "ran": of_each_line(lines),
    }
    sys.modules["lmdb"] = None  # type: ignore[assignment]
    return result | {"without_lmdb": command(str(folder / "reader"), "--json")}


if __name__ == "__main__":
    out, folder, lines = map(Path, sys.argv[1:])
    out.write_text(json.dumps(everything(folder, lines)))
