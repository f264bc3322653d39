"""A plan becomes a dataset with nothing made that nobody asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.compile.kernels.keys import KeyForm
from queueio.stages.readers.text_line import TextLines

v1 = tf.compat.v1


@pytest.mark.parametrize(
    ("fetched", "readings"), [("value", [KeyForm.NONE]), ("key", [KeyForm.PARTS])]
)
def test_files_are_read_once_with_keys_only_where_these_are_used(
    fetched: str, readings: list[KeyForm], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n")
    asked: list[KeyForm] = []
    chunks = TextLines.chunks

    def counted(self: TextLines, names: Any, keys: KeyForm, dtype: Any) -> Any:
        asked.append(keys)
        return chunks(self, names, keys, dtype)

    def build() -> Any:
        files = train.string_input_producer([str(tmp_path / "a.txt")], num_epochs=1)
        key, value = v1.TextLineReader().read(files)
        number = tf.strings.to_number(value)
        return train.batch([key if fetched == "key" else number, number], 2)

    monkeypatch.setattr(TextLines, "chunks", counted)
    ((_, numbers),) = queueio.lift(build).to_dataset()
    assert numbers.numpy().tolist() == [1.0, 2.0]
    assert asked == readings


@pytest.mark.parametrize("width", [0, 2])
def test_equal_elements_are_batched_where_the_queue_would_pad(width: int) -> None:
    def build() -> Any:
        number = train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
        return train.batch([tf.fill([width], number)], 4, dynamic_pad=True)

    plan = queueio.lift(build)
    for vectorise in (False, True):
        batches = [
            batch.tolist() for batch in plan.to_dataset(vectorise=vectorise).as_numpy_iterator()
        ]
        assert batches == [[[n] * width for n in range(start, start + 4)] for start in (0, 4)]


@pytest.mark.parametrize("style", ["chunks", "plain", "fast"])
@pytest.mark.parametrize("checked", [[1.0, 2.0], [1.0, float("nan")]])
def test_what_all_examples_share_may_be_checked(checked: list[float], style: str) -> None:
    def build() -> Any:
        number = train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
        return train.batch([number, tf.debugging.check_numerics(tf.constant(checked), "odd")], 2)

    plan = queueio.lift(build)
    made: dict[str, Any] = {"input_fn": plan.to_dataset, "__name__": "written"}
    if style != "chunks":
        exec(str(plan.to_source(style=style)), made)
    batches = made["input_fn"]().as_numpy_iterator()
    if checked[1] == checked[1]:
        assert [shared.tolist() for _, shared in batches] == [[checked] * 2] * 2
    else:
        with pytest.raises(tf.errors.InvalidArgumentError, match="odd"):
            next(batches)
