"""Chains of float ops deliver in chunks and by example the bits that a session delivers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SEEDS = (10, 18)


def test_chains_of_float_ops_keep_every_bit(tmp_path: Path) -> None:
    out, script = tmp_path / "found.json", Path(__file__).with_name("float_chains.py")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run(
        [sys.executable, str(script), str(out), *map(str, SEEDS)],
        capture_output=True, text=True, timeout=400, env=environment, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(out.read_text())
    assert {way: found[way]["differ"] for way in ("chunks", "examples")} == {
        "chunks": 0,
        "examples": 0,
    }
