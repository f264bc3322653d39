"""What cannot be compared is refused with one clear error, and nothing is written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from click.testing import CliRunner

import queueio.compare as comparing
from queueio.compare.command import compare as command
from queueio.compare.sides.side import CannotRun
from queueio.recorder import MAGIC

DATA = Path(__file__).parent / "data"
RECORDING = DATA / "tf1.15.5.recording"
META_GRAPH = DATA.parent.parent / "golden/metagraphs/batch_read_up_to.meta"


def two() -> tf.data.Dataset:
    return tf.data.Dataset.from_tensor_slices(np.arange(10)).batch(4)


def damaged(tmp_path: Path, change: Callable[[bytes], bytes]) -> str:
    path = tmp_path / "damaged.recording"
    path.write_bytes(change(RECORDING.read_bytes()))
    return str(path)


def fails() -> Any:
    raise KeyError("no such column")


@pytest.mark.parametrize(
    ("side", "said"),
    [
        (lambda: None, "returned nothing"),
        (lambda: 42, "returned 42"),
        (fails, "KeyError: 'no such column'"),
        (42, "int, which cannot be compared"),
        ("no_such_file.recording", "no such recording"),
        ("no_such_script.py:f", "no such script"),
        (f"{DATA / 'old_pipeline.py'}:nothing", "it defines input_fn, shuffled"),
        (str(DATA / "numbers.csv"), "is not a recording"),
        (str(META_GRAPH), "is a MetaGraph.* script.py:name that calls .*import_meta_graph"),
        (str(DATA), "is a folder"),
        (str(DATA / "old_pipeline.py"), "Name its function too: .*:input_fn"),
        (f"{DATA / 'old_pipeline.py'}:", "names no function"),
        (lambda path: path, "'path'. It is called with num_epochs at most"),
    ],
)
def test_a_side_that_is_none_is_refused_by_name(side: Any, said: str) -> None:
    with pytest.raises(CannotRun, match=said):
        comparing(side, two, cost=False)


def batches() -> Any:
    yield np.arange(4)


def nest_of_arrays() -> Any:
    return {"x": np.arange(4)}, np.arange(4)


class Sequence:
    """As Keras has it."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Any:
        return np.arange(4)


@pytest.mark.parametrize(
    ("side", "way"),
    [
        (batches, "from_generator"),
        (batches(), "from_generator"),
        (Sequence(), "from_generator"),
        (Sequence, "from_generator"),
        ([np.arange(4)], "from_generator"),
        (nest_of_arrays, "from_tensor_slices"),
        (nest_of_arrays(), "from_tensor_slices"),
        (np.arange(4), "from_tensor_slices"),
    ],
)
def test_what_gives_examples_is_refused_with_the_way_to_a_dataset(side: Any, way: str) -> None:
    with pytest.raises(CannotRun, match=way):
        comparing(two, side, cost=False)


def test_what_gives_none_is_shown_no_way() -> None:
    with pytest.raises(CannotRun) as refused:
        comparing(two, 42, cost=False)
    assert "from_" not in str(refused.value)


@pytest.mark.parametrize(
    ("side", "what"),
    [
        (lambda: two().window(2), "Dataset as component 0"),
        (lambda: two().map(tf.experimental.Optional.from_value), "Optional as component 0"),
        (lambda: two().map(lambda x: (x, None)), "None as component 1"),
        (lambda: two().map(lambda x: {"q": tf.cast(x, tf.qint8)}), "qint8 as component q"),
        (lambda: tf.cast(tf.compat.v1.placeholder(tf.int64), tf.qint8), "qint8 as component 0"),
    ],
)
def test_a_component_that_holds_no_values_is_refused_by_its_name(side: Any, what: str) -> None:
    with pytest.raises(CannotRun, match=f"delivers {what}, which cannot be compared"):
        comparing(two, side, cost=False)


def ends_the_program() -> Any:
    sys.exit(0)


def ends_it_within_a_map() -> Any:
    return two().map(lambda x: sys.exit(0))


@pytest.mark.parametrize("side", [ends_the_program, ends_it_within_a_map])
def test_a_side_that_exits_does_not_end_the_comparison_as_if_all_were_the_same(side: Any) -> None:
    with pytest.raises(CannotRun, match=r"new failed.*it ends the program \(SystemExit: 0\)"):
        comparing(two, side, cost=False)


def test_a_side_that_fails_in_a_later_call_of_its_function_is_refused_by_name() -> None:
    calls = []

    def now_and_then() -> tf.data.Dataset:
        calls.append(1)
        if len(calls) > 2:
            raise KeyError("no such column")
        return tf.data.Dataset.range(100).shuffle(100).batch(4)

    with pytest.raises(CannotRun, match="new failed: KeyError: 'no such column'"):
        comparing(lambda: tf.data.Dataset.range(100).shuffle(100).batch(4), now_and_then)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda raw: raw[:-100], "cut off"),
        (lambda raw: raw[: raw.rindex(b"DONE")], "incomplete"),
        (lambda raw: raw[:500] + bytes([raw[500] ^ 1]) + raw[501:], "damaged"),
        (lambda raw: raw.replace(MAGIC + b"1", MAGIC + b"9", 1), "version 9"),
    ],
)
def test_a_recording_that_cannot_be_trusted_is_refused(
    tmp_path: Path, change: Callable[[bytes], bytes], said: str
) -> None:
    with pytest.raises(CannotRun, match=said):
        comparing(damaged(tmp_path, change), two, cost=False)


def test_two_sides_that_deliver_nothing_are_not_called_identical() -> None:
    empty = two().take(0)
    with pytest.raises(CannotRun, match="Nothing was compared"):
        comparing(empty, empty)


def test_sides_without_a_common_component_are_refused() -> None:
    other = tf.data.Dataset.from_tensor_slices({"a": [1], "b": [2]}).batch(1)
    with pytest.raises(ValueError, match="no component in common"):
        comparing(two, other)


def test_a_key_that_is_no_component_is_refused() -> None:
    with pytest.raises(ValueError, match="key='x' is none of the components"):
        comparing(two, two, key="x")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nowhere.py:f", str(RECORDING)],
        [str(RECORDING), "{script}:broken"],
        [str(DATA / "numbers.csv"), str(RECORDING)],
        ["{failing}:f", str(RECORDING)],
    ],
)
def test_the_command_ends_with_2_and_overwrites_nothing(
    tmp_path: Path, arguments: list[str]
) -> None:
    script, failing, html = (tmp_path / n for n in ("side.py", "failing.py", "report.html"))
    script.write_text("def broken():\n    return 1 / 0\n")
    failing.write_text("raise SystemExit(3)\n")
    html.write_text("the report of yesterday")
    filled = [a.format(script=script, failing=failing) for a in arguments]
    done = CliRunner().invoke(command, [*filled, "--html", str(html)])
    assert done.exit_code == 2
    assert done.output.startswith("queueio compare: ")
    assert "Traceback" not in done.output
    assert html.read_text() == "the report of yesterday"


def test_a_report_is_never_written_over_a_recording(tmp_path: Path) -> None:
    target = tmp_path / "x.recording"
    done = CliRunner().invoke(command, [str(RECORDING), str(RECORDING), "--html", str(target)])
    assert done.exit_code == 2
    assert not target.exists()
