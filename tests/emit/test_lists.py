"""Lists are written as a person writes them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import tensorflow as tf

import queueio
from queueio.emit.spelling.code import Code
from queueio.emit.spelling.lists import listed

v1 = tf.compat.v1


def parts(count: int) -> list[Code]:
    return [Code(f"columns[{i}]", part=("columns", i, count)) for i in range(count)]


@pytest.mark.parametrize(
    ("items", "text"),
    [
        (["[0.0]"] * 64 + ["[0]"], "[[0.0]] * 64 + [[0]]"),
        (["a", "b", "a", "b"], "[a, b, a, b]"),
        (["1"] * 3, "[1, 1, 1]"),
        (parts(9)[:-1], "columns[:-1]"),
        (parts(9)[1:], "columns[1:]"),
        (parts(9)[2:6], "columns[2:6]"),
        (parts(9), "columns"),
        (parts(9)[3:0:-1], "[columns[3], columns[2], columns[1]]"),
        ([*parts(9)[:5], "x"], "columns[:5] + [x]"),
    ],
)
def test_repetition_and_slices_are_seen(items: list[str | Code], text: str) -> None:
    assert listed(items).flat == text


def test_any_list_means_what_it_meant() -> None:
    columns, draw = [f"c{i}" for i in range(12)], random.Random(0)
    for _ in range(500):
        chosen = []
        for _ in range(draw.randint(1, 5)):
            start, count = draw.randint(0, 11), draw.randint(1, 12)
            chosen += (
                parts(12)[start : start + count] if draw.random() < 0.5 else [Code("7")] * count
            )
        wanted = [eval(item.flat, {"columns": columns}) for item in chosen]
        for brackets, kind in (("[]", list), ("()", tuple)):
            written = listed(chosen, brackets).flat
            assert eval(written, {"columns": columns}) == kind(wanted), written


def test_a_wide_csv_is_short(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(",".join(["1"] * 65) + "\n")

    def build() -> list[tf.Tensor]:
        names = v1.train.string_input_producer([str(tmp_path / "wide.csv")], num_epochs=1)
        columns = v1.decode_csv(v1.TextLineReader().read(names)[1], [[0.0]] * 64 + [[0]])
        return v1.train.batch([tf.stack(columns[:-1]), columns[-1]], 1)

    text = str(queueio.lift(build).to_source())
    assert "columns = tf.io.decode_csv(record, [[0.0]] * 64 + [[0]])" in text
    assert "tf.stack(columns[:-1]), columns[-1]" in text


def test_a_call_may_stand_before_all_columns_of_a_list(tmp_path: Path) -> None:
    (tmp_path / "four.csv").write_text("1,2,3,4\n")

    def build() -> list[tf.Tensor]:
        names = v1.train.string_input_producer([str(tmp_path / "four.csv")], num_epochs=1)
        key, line = v1.TextLineReader().read(names)
        columns = v1.decode_csv(line, [[0.0]] * 4)
        return v1.train.batch([tf.strings.regex_replace(key, ".*/", ""), *columns], 1)

    text = str(queueio.lift(build).to_source())
    assert 'return tf.strings.regex_replace(key, ".*/", ""), *columns' in text
