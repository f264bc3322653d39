"""Every public name of TensorFlow 1.15.5 resolves, or says what to use instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from queueio.compat import missing
from queueio.compat.aliases import ALIASES
from queueio.compat.rows import fitting
from tests.processes import python

RECORDED = Path(__file__).with_name("tf_1_15_5_names.txt")


def recorded_names() -> list[str]:
    """The dotted names below tf, as record_names.py wrote them."""
    names = []
    for line in RECORDED.read_text().splitlines():
        prefix, _, found = line.partition(": ")
        if not line.startswith("#"):
            names += [name if prefix == "tf" else f"{prefix}.{name}" for name in found.split()]
    return names


RESOLVE = """
import sys

sys.modules["tf_slim"] = sys.modules["tensorflow_estimator"] = None  # as not installed
import queueio.v1 as tf

for dotted in open({names!r}).read().split():
    value, path = tf, []
    try:
        for part in dotted.split("."):
            path.append(part)
            value = getattr(value, part)
    except AttributeError as error:
        print("-", dotted, "|", ".".join(path), "|", str(error).replace(chr(10), " "))
    else:
        print("+", dotted)
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str | None]:
    """For each recorded name: None where it resolves, else "first missing part | error"."""
    folder = tmp_path_factory.mktemp("names")
    names = folder / "names.txt"
    names.write_text("\n".join(recorded_names()))
    program = folder / "resolve.py"
    program.write_text(RESOLVE.format(names=str(names)))
    done = python(program, cwd=folder, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, str | None] = {}
    for line in done.stdout.splitlines():
        sign, _, rest = line.partition(" ")
        name, _, text = rest.partition(" | ")
        found[name] = text if sign == "-" else None
    return found


def test_the_recording_is_of_1_15_5_and_covers_the_namespaces_of_its_reference() -> None:
    assert "TensorFlow 1.15.5" in RECORDED.read_text().splitlines()[0]
    names = set(recorded_names())
    assert len(names) > 3500
    assert {"train.shuffle_batch", "gfile.FastGFile", "app.run", "contrib", "layers.dense"} <= names


@pytest.mark.long
def test_every_missing_name_says_what_to_use_instead(outcome: dict[str, str | None]) -> None:
    gone = [name for name, text in outcome.items() if text is not None]
    assert [name for name in gone if missing.instead(name) is None] == []
    for name in gone:
        part, _, text = str(outcome[name]).partition(" | ")
        assert f"tf.{part} does not exist" in text
        advice = missing.instead(part)
        assert advice is not None and advice.split(". ")[-1].rstrip(".") in text


def test_nothing_in_the_table_of_missing_names_resolves(outcome: dict[str, str | None]) -> None:
    # Those of keras depend on whether tf_keras is installed.
    exact = [n for n in missing.NAMES if n in outcome and not n.startswith("keras")]
    assert len(exact) > 10
    assert [name for name in exact if outcome[name] is None] == []


def test_every_pattern_in_the_table_is_needed(outcome: dict[str, str | None]) -> None:
    gone = [name for name, text in outcome.items() if text is not None]
    tables = (missing.NAMES, missing.NEEDS_ESTIMATOR, missing.NEEDS_KERAS_2)
    needed = {fitting(table, name) for table in tables for name in gone}
    # tf.examples was never in the documented API; what Keras lacks depends on which one it is.
    by_chance = ("examples", "keras", "layers")
    keys = {key for table in tables for key in table}
    patterns = {key for key in keys if "*" in key and not key.startswith(by_chance)}
    assert len(patterns) > 4 and patterns - needed == set()


def test_every_alias_of_a_tf1_name_resolves(outcome: dict[str, str | None]) -> None:
    recorded = [name for name in ALIASES if name in outcome]
    assert len(recorded) > 15
    assert [name for name in recorded if outcome[name] is not None] == []


def test_most_of_contrib_has_a_way_out_of_its_own(outcome: dict[str, str | None]) -> None:
    parts = [name for name in outcome if name.startswith("contrib.")]
    told = [name for name in parts if "r1.15 branch" not in str(missing.instead(name))]
    assert len(parts) > 60 and len(told) >= 35


def test_no_queue_name_of_tf1_is_missing(outcome: dict[str, str | None]) -> None:
    for name in ("train.batch", "train.string_input_producer", "train.queue_runner.QueueRunner",
                 "TextLineReader", "decode_csv", "io.decode_raw", "queue.FIFOQueue", "FIFOQueue",
                 "train.Coordinator", "train.limit_epochs", "image.decode_jpeg"):  # fmt: skip
        assert outcome[name] is None, outcome[name]


def test_the_migration_section_lists_every_missing_name_once() -> None:
    text = missing.markdown()
    listed = {
        **missing.NAMES,
        **missing.NEEDS_ESTIMATOR,
        **missing.NEEDS_TF_KERAS,
        **missing.RENAMED,
    }
    for name in [*listed, "contrib.slim", "contrib.layers.batch_norm"]:
        assert text.count(f"| `tf.{name}` |") == 1
