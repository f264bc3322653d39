"""The arguments of a written module: the old values by default, and others where they are given."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio
from queueio.emit.facts.names import HELPERS
from tests.loading import loaded

v1 = tf.compat.v1


def written(build: Any, path: Path) -> Any:
    """The function input_fn of a pipeline's module."""
    queueio.lift(build).to_source().write(path)
    return loaded(path).input_fn


def lines(path: Path, name: str) -> str:
    path.write_text("".join(f"{name}{i}\n" for i in range(12)))
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return [lines(tmp_path / f"{name}.txt", name) for name in "abc"]


@pytest.fixture
def input_fn(files: list[str], tmp_path: Path) -> Any:
    def build() -> Any:
        names = v1.train.string_input_producer(files[:2], num_epochs=2, seed=4)
        _, line = v1.TextLineReader().read(names)
        return v1.train.shuffle_batch([line], 5, 20, 10, seed=9, allow_smaller_final_batch=True)

    return written(build, tmp_path / "pipe.py")


def delivered(dataset: Any) -> list[bytes]:
    return list(np.concatenate(list(dataset.as_numpy_iterator())))


def test_the_defaults_are_the_old_values(input_fn: Any, files: list[str]) -> None:
    given = inspect.signature(input_fn).parameters
    assert {name: p.default for name, p in given.items()} == {
        "files": tuple(files[:2]), "batch_size": 5, "num_epochs": 2,
        "shuffle_buffer": 20, "seed": 4, "seed_2": 9,
    }  # fmt: skip
    kinds = {name: p.annotation for name, p in given.items()}
    assert kinds["files"] == "Sequence[str]" and kinds["num_epochs"] == "int | None"
    assert len(delivered(input_fn())) == 48


def test_other_files_are_read(input_fn: Any, files: list[str]) -> None:
    counts = Counter(delivered(input_fn(files=files[2:])))
    assert counts == {f"c{i}".encode(): 2 for i in range(12)}


def test_another_pattern_is_matched(files: list[str], tmp_path: Path) -> None:
    def build() -> Any:
        names = queueio.train.match_filenames_once(str(tmp_path / "a*.txt"))
        queue = queueio.train.string_input_producer(names, num_epochs=1, shuffle=False)
        return v1.train.batch([v1.TextLineReader().read(queue)[1]], 4)

    input_fn = written(build, tmp_path / "glob.py")
    assert {line[:1] for line in delivered(input_fn())} == {b"a"}
    other = input_fn(file_pattern=str(tmp_path / "[bc].txt"))
    assert {line[:1] for line in delivered(other)} == {b"b", b"c"}
    with pytest.raises(FileNotFoundError, match="no file matches"):
        input_fn(file_pattern=str(tmp_path / "nothing*"))


@pytest.mark.parametrize("size", [1, 7])
def test_batches_have_another_size(input_fn: Any, size: int) -> None:
    sizes = [len(batch) for batch in input_fn(batch_size=size).as_numpy_iterator()]
    assert set(sizes[:-1]) == {size} and sum(sizes) == 48


def test_epochs_may_be_more_or_without_end(input_fn: Any) -> None:
    assert set(Counter(delivered(input_fn(num_epochs=3))).values()) == {3}
    assert len(list(input_fn(num_epochs=None).take(100))) == 100


def test_a_seed_repeats_the_order_and_none_does_not(input_fn: Any) -> None:
    fixed = [delivered(input_fn(seed=1, seed_2=2)) for _ in range(2)]
    free = [delivered(input_fn(seed=None, seed_2=None)) for _ in range(2)]
    assert fixed[0] == fixed[1] != delivered(input_fn(seed=5, seed_2=6))
    assert free[0] != free[1]


def test_arguments_of_one_kind_stand_together(tmp_path: Path) -> None:
    def build() -> Any:
        number = v1.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
        pairs = v1.train.batch([number], 2)
        return v1.train.shuffle_batch([pairs], 3, 20, 5, enqueue_many=True)

    input_fn = written(build, tmp_path / "two.py")
    names = list(inspect.signature(input_fn).parameters)
    assert names == ["batch_size", "batch_size_2", "num_epochs", "shuffle_buffer", "seed"]
    assert input_fn(batch_size=4).element_spec.shape.as_list() == [4], "the one that arrives"


def test_a_size_in_the_shapes_that_are_padded_later_is_no_argument(tmp_path: Path) -> None:
    """Of another one, the later batch had rows of zeros, or was refused by TensorFlow."""

    def build() -> Any:
        number = v1.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
        groups = v1.train.batch([tf.range(number)], 3, dynamic_pad=True)
        return v1.train.batch([groups], 2, dynamic_pad=True)

    input_fn = written(build, tmp_path / "padded.py")
    assert list(inspect.signature(input_fn).parameters) == ["batch_size", "num_epochs"]
    shapes = [batch.shape for batch in input_fn(batch_size=1).as_numpy_iterator()]
    assert shapes == [(1, 3, 2), (1, 3, 5), (1, 3, 8), (1, 3, 11)]


def test_a_batch_that_the_script_reshapes_may_have_another_size(tmp_path: Path) -> None:
    def build() -> Any:
        number = v1.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
        column = v1.train.batch([number[tf.newaxis]], 2)
        return tf.reshape(column, [2])

    input_fn = written(build, tmp_path / "flat.py")
    assert [len(batch) for batch in input_fn(batch_size=4).as_numpy_iterator()] == [4, 4, 4]


def test_a_function_is_named_after_what_it_parses(files: list[str]) -> None:
    def build() -> Any:
        queue = v1.train.string_input_producer(files, num_epochs=1)
        key, line = v1.TextLineReader().read(queue)
        (text,) = v1.decode_csv(line, [[""]])
        return v1.train.batch([text, v1.string_to_hash_bucket_fast(key, 1000)], 2)

    assert "def parse_line(key: tf.Tensor, line: tf.Tensor)" in str(queueio.lift(build).to_source())


def test_a_function_whose_parsed_columns_nobody_takes_is_named_after_what_enters_it(
    files: list[str], tmp_path: Path
) -> None:
    def build() -> Any:
        queue = v1.train.string_input_producer(files[:1], num_epochs=1, shuffle=False)
        key, line = v1.TextLineReader().read(queue)
        (text,) = v1.decode_csv(line, [[""]])
        examples = v1.FIFOQueue(4, [tf.string, tf.string], [[], []])
        enqueue = examples.enqueue([text, v1.substr(key, -5, 5)])
        v1.train.add_queue_runner(v1.train.QueueRunner(examples, [enqueue]))
        _, number = examples.dequeue()
        return v1.train.batch([number], 6)

    source = str(queueio.lift(build).to_source())
    assert "def prepare_key(key: tf.Tensor) -> tf.Tensor" in source
    assert "tf.io.decode_csv" not in source
    assert delivered(written(build, tmp_path / "keys.py")())[8:] == [
        b"txt:9", b"xt:10", b"xt:11", b"xt:12"
    ]  # fmt: skip


def pairs(shuffle: bool, also_the_number: bool = False) -> Callable[[], Any]:
    def build() -> Any:
        weights = tf.constant([[0.5, 1.0], [1.5, 2.0], [2.5, 3.0]])
        word, weight = v1.train.slice_input_producer(
            [["a", "b", "c"], weights], num_epochs=2, shuffle=shuffle, seed=3
        )
        number = weight.op.inputs[1]
        return v1.train.batch([word, weight, *([number] if also_the_number else [])], 1)

    return build


def in_step(dataset: Any) -> list[tuple[bytes, tuple[float, ...]]]:
    return [(word[0], tuple(weight[0].tolist())) for word, weight in dataset.as_numpy_iterator()]


@pytest.mark.parametrize("shuffle", [False, True])
def test_the_lists_of_a_slice_producer_are_arguments(shuffle: bool, tmp_path: Path) -> None:
    input_fn = written(pairs(shuffle), tmp_path / "pairs.py")
    given = inspect.signature(input_fn).parameters
    assert list(given)[:2] == ["words", "weights"]
    assert (
        given["words"].default == ("a", "b", "c") and given["words"].annotation == "Sequence[str]"
    )
    rows = [(b"a", (0.5, 1.0)), (b"b", (1.5, 2.0)), (b"c", (2.5, 3.0))]
    found = in_step(input_fn())
    assert sorted(found) == sorted(rows * 2) and (shuffle or found == rows * 2)
    others = input_fn(words=["x", "y"], weights=[[1, 2], [3, 4]], num_epochs=1)
    assert sorted(in_step(others)) == [(b"x", (1.0, 2.0)), (b"y", (3.0, 4.0))]


def test_long_lists_stand_beside_the_module(tmp_path: Path) -> None:
    def build() -> Any:
        names = [f"image-{i}.png" for i in range(300)]
        name, label = v1.train.slice_input_producer([names, list(range(300))], 1, shuffle=False)
        return v1.train.batch([name, label], 100)

    input_fn = written(build, tmp_path / "long.py")
    assert (tmp_path / "long.npz").exists()
    names, labels = map(np.concatenate, zip(*input_fn().as_numpy_iterator(), strict=True))
    assert names.tolist() == [f"image-{i}.png".encode() for i in range(300)]
    assert labels.tolist() == list(range(300)) and labels.dtype == np.int32


def test_numbers_that_do_more_than_pick_rows_stay_numbers(tmp_path: Path) -> None:
    input_fn = written(pairs(False, also_the_number=True), tmp_path / "numbered.py")
    assert "words" not in inspect.signature(input_fn).parameters
    assert [int(number[0]) for _, _, number in input_fn()] == [0, 1, 2, 0, 1, 2]


def test_two_statements_of_one_line_lend_none_of_their_names(tmp_path: Path) -> None:
    script = tmp_path / "two.py"
    script.write_text(
        "import tensorflow.compat.v1 as tf\n"
        "def build(rows, marks):\n"
        "    rows = tf.convert_to_tensor(rows); marks = tf.convert_to_tensor(marks)\n"
        "    pair = tf.train.slice_input_producer([rows, marks], shuffle=False)\n"
        "    half = pair[0] / 2; twice = pair[1] * 2\n"
        "    shifted = tf.exp(pair[0] + 1.0)\n"
        "    return tf.train.batch([tf.exp(half), tf.exp(tf.to_float(twice)), shifted], 2)\n"
    )
    build = loaded(script).build
    rows, marks = np.arange(8, dtype=np.float32).reshape(4, 2), np.arange(4)
    module = queueio.lift(lambda: build(rows, marks)).to_source().text
    assert "shifted = " in module
    assert "marks:" not in module and "twice = " not in module.replace("half = pair[0] / 2;", "")


@pytest.mark.parametrize("style", ["plain", "fast"])
def test_readers_that_read_several_records_otherwise_have_functions_of_their_own(
    style: Any, files: list[str], tmp_path: Path
) -> None:
    # They had the first one's: its lots and headers, or its format.
    def build() -> Any:
        lots = []
        for file, (header, count) in zip(files, [(0, 2), (5, 4), (0, 2)], strict=True):
            names = v1.train.string_input_producer([file], num_epochs=1)
            _, several = v1.TextLineReader(skip_header_lines=header).read_up_to(names, count)
            lots.append([several, tf.fill(tf.shape(several), tf.size(several))])
        return v1.train.batch_join(lots, 1, enqueue_many=True)

    module = queueio.lift(build).to_source(style=style)
    module.write(tmp_path / "lots.py")
    rows = loaded(tmp_path / "lots.py").input_fn().as_numpy_iterator()
    got = sorted((line.item().decode(), size.item()) for line, size in rows)
    whole = [(f"{name}{i}", 2) for name in "ac" for i in range(12)]
    behind_a_header = [(f"b{i}", 4 if i < 9 else 3) for i in range(5, 12)]
    assert got == sorted(whole + behind_a_header)
    assert str(module).count("def records_at_once") == 2


def test_an_argument_does_not_hide_a_function_that_the_module_calls(tmp_path: Path) -> None:
    def build() -> Any:
        numbered_lines = v1.placeholder_with_default(3, [])
        names = v1.train.string_input_producer([lines(tmp_path / "a.txt", "")], num_epochs=1)
        key, line = v1.TextLineReader().read(names)
        return v1.train.batch([key, v1.string_to_number(line, tf.int32) + numbered_lines], 4)

    input_fn = written(build, tmp_path / "numbered.py")
    assert inspect.signature(input_fn).parameters["numbered_lines_2"].default == 3
    got = [int(n) for _, numbers in input_fn(numbered_lines_2=5) for n in numbers]
    assert got == list(range(5, 17))


def test_nothing_else_has_the_name_of_a_function_that_is_written_as_it_stands() -> None:
    files = (Path(queueio.__file__).parent).rglob("*.py")
    asked = {n for f in files for n in re.findall(r'\.verbatim\("(\w+)"', f.read_text("utf-8"))}
    assert asked == HELPERS
