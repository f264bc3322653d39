"""A plan becomes a dataset with nothing made that nobody asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import queueio
from queueio import train
from queueio.stages.readers.text_line import TextLines

v1 = tf.compat.v1


@pytest.mark.parametrize(("fetched", "readings"), [("value", [False]), ("key", [True])])
def test_files_are_read_once_with_keys_only_where_these_are_used(
    fetched: str, readings: list[bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n")
    asked: list[bool] = []
    chunks = TextLines.chunks

    def counted(self: TextLines, names: Any, keys: bool, dtype: Any) -> Any:
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
