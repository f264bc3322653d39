"""Compare what some engine delivered with an entry of metagraphs/manifest.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import comparing
import values

METAGRAPHS = Path(__file__).parent / "metagraphs"
MANIFEST: list[dict[str, Any]] = json.loads((METAGRAPHS / "manifest.json").read_text())


def flat_fetches(entry: dict[str, Any]) -> dict[str, str]:
    """Tensor names by path, the parts of sparse fetches one by one."""
    flat: dict[str, str] = {}
    for path, names in entry["fetches"].items():
        parts = names if isinstance(names, dict) else {"": names}
        stem = "" if path == "0" and len(entry["fetches"]) == 1 and len(parts) > 1 else path
        flat.update({values.join(stem, part) if part else path: parts[part] for part in parts})
    return flat


def check(entry: dict[str, Any], steps: list[dict[str, Any]]) -> None:
    """Assert that `steps`, dicts of arrays by the paths of `flat_fetches`, are as in TF1."""
    got = [{path: values.plain(value) for path, value in step.items()} for step in steps]
    if entry["order"] == "exact":
        assert got == entry["steps"]
    elif entry["order"] == "steps":
        assert sorted(got, key=repr) == entry["steps"]
    else:
        assert sorted(row for step in got for row in values.rows(step)) == entry["examples"]
    delivered = [shapes(step, entry) for step in steps]
    assert comparing.shapes({**entry, "shapes": delivered}) == comparing.shapes(entry)


def shapes(step: dict[str, Any], entry: dict[str, Any]) -> dict[str, list[int]]:
    """The shapes of a step, without those that depend on which examples met in a batch."""
    known = entry["shapes"][0]
    return {path: list(np.shape(value)) for path, value in step.items() if path in known}
