"""What is said of a name of `tf.contrib` holds: it is where the advice says, or nowhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from queueio.compat.contrib import SINGLE, WAYS_OUT, way_out
from queueio.compat.contrib_gone import NOWHERE
from queueio.compat.rows import InWords
from tests.processes import python

HERE = Path(__file__).parent
NAMES = {
    room: names.split()
    for room, _, names in (
        line.partition(": ")
        for line in (HERE / "contrib_1_15_5_names.txt").read_text().splitlines()[1:]
    )
}
# Parts whose advice tells of renamings in words, which cases of tests/v1/advice_cases.py execute.
IN_WORDS = {"mixed_precision", "opt", "stateless"}
RENAMED = {
    "checkpoint": {"List", "Mapping"},
    "eager": {"Saver", "Checkpoint", "Iterator", "Sequential"},
    "nn": {name for name in NAMES["nn"] if name.startswith("deprecated_flipped_")},
}
ROOMS = {
    room: text for room, text in WAYS_OUT.items()
    if not isinstance(text, InWords) and room not in IN_WORDS and NAMES.get(room)
}  # fmt: skip
HOME = re.compile(r"\btf((?:\.[a-z]\w*)+)")
PROGRAM = """
import importlib.util, json, sys
import queueio.v1 as tf
from queueio.compat.contrib_names import LIBRARIES, find

def resolves(path):
    value = tf
    try:
        for part in filter(None, path.split(".")):
            value = getattr(value, part)
    except (AttributeError, ImportError):
        return False
    return True

names, homes = json.load(open(sys.argv[1]))
json.dump({f"{room}.{name}": [resolves(f"contrib.{room}.{name}")]
           + [resolves(f"{home}.{name}") for home in homes[room]]
           for room in homes for name in names[room]}, open(sys.argv[2], "w"))
"""
HOMES = {room: [found.strip(".") for found in HOME.findall(text)] for room, text in ROOMS.items()}
HOMES["eager"] += ["", "compat.v2"]  # "of the top level"
HOMES["rnn"] += ["nn"]  # where tf.nn.static_rnn is


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[bool]]:
    """Of each name whether contrib has it here, and whether each home has one called the same."""
    folder = tmp_path_factory.mktemp("names")
    (folder / "asked.json").write_text(json.dumps([NAMES, HOMES]))
    done = python("-c", PROGRAM, "asked.json", "found.json", cwd=folder, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    told: dict[str, list[bool]] = json.loads((folder / "found.json").read_text())
    return told


def is_nowhere(name: str) -> bool:
    return "has no successor" in way_out(f"contrib.{name}")[0]


def has_own_row(name: str) -> bool:
    room, _, rest = name.partition(".")
    return name in SINGLE or (room == "slim" and f"layers.{rest}" in SINGLE)


@pytest.mark.long
def test_a_name_that_is_sent_to_a_module_is_in_it(found: dict[str, list[bool]]) -> None:
    pytest.importorskip("tf_slim")
    wrong = [
        name for name, places in found.items()
        if not any(places) and not has_own_row(name) and not is_nowhere(name)
        and name.partition(".")[2] not in RENAMED.get(name.partition(".")[0], ())
    ]  # fmt: skip
    assert wrong == []


def test_no_name_is_said_to_have_no_successor_that_has_one(found: dict[str, list[bool]]) -> None:
    pytest.importorskip("tf_slim")
    assert [name for name, (here, *_) in found.items() if here and is_nowhere(name)] == []
    assert [name for name, places in found.items() if any(places) and is_nowhere(name)] == []
    listed = {f"{room}.{name}" for room, names in NOWHERE.items() for name in names.split()}
    assert len(found) > 700 and listed <= set(found)


def test_old_columns_are_sent_to_the_new_ones_by_either_name() -> None:
    for room in ("layers", "slim"):
        why, do = way_out(f"contrib.{room}.real_valued_column")
        assert "tf.feature_column.numeric_column(name, shape=(dimension,))" in do
        assert "tf_slim" not in why + do


def test_what_nothing_keeps_alive_is_not_said_to_be_in_tf_slim() -> None:
    why, do = way_out("contrib.layers.scattered_embedding_column")
    assert "has no successor" in why and "tf_slim" not in do and "r1.15" in do


def test_the_audio_ops_are_not_sent_to_what_else_their_part_held() -> None:
    room = "contrib.framework.python.ops.audio_ops"
    for name in (room, f"{room}.mfcc"):
        why, do = way_out(name)
        assert "tf.audio.decode_wav" in do and "tf_slim" not in why + do


@pytest.mark.parametrize("name", sorted({*WAYS_OUT, *SINGLE}))
def test_what_is_to_be_used_is_a_thing_and_no_command(name: str) -> None:
    _, do = way_out(f"contrib.{name}")
    first, *_ = do.removeprefix("Use ").split()
    assert first not in ("pip", "write", "copy", "drop", "run", "install"), do
