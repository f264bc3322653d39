"""Each sentence of a report is said where it is true, and not where its neighbour is."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing
from queueio.compare import findings
from queueio.compare.findings.codes import CODES, check
from queueio.compare.findings.values import _SAID
from queueio.compare.reading import progress
from queueio.compare.sides.side import CannotRun

FOLDER = Path(findings.__file__).parent
COUNT = 200
RNG = np.random.default_rng(5)
IMAGE = RNG.random((COUNT, 4, 5, 3)).astype(np.float32)
DARK = np.where(np.arange(60).reshape(4, 5, 3) == 2, np.float32(1e-6), IMAGE)
LASTS = np.stack([np.arange(COUNT), np.arange(COUNT) * 3, np.arange(COUNT) % 5], 1)


def said_in_the_code() -> set[str]:
    """The literals that are a finding's first argument."""
    found = set()
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding":
                first = node.args[0]
                parts = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
                found |= {p.value for p in parts if isinstance(p, ast.Constant)}
    return found


def test_the_table_has_every_finding_and_no_other() -> None:
    named = (said_in_the_code() | set(_SAID) | {"changed"}) - {"values", "places"}
    assert named | {"missing", "extra", "not-compared"} == set(CODES)


def test_a_code_that_is_none_is_an_error_with_the_nearest_one() -> None:
    check(["random", "torn"])
    with pytest.raises(ValueError, match="Did you mean 'weak-shuffle'"):
        check(["weakshuffle"])
    with pytest.raises(ValueError, match="There are: batch-size"):
        comparing(dataset(), dataset(), ignore=["xyz"])


def dataset(
    image: Any = IMAGE, label: Any = None, repeat: int = 1, **more: Any
) -> Callable[[], tf.data.Dataset]:
    """Slices, cut, shuffled, repeated and batched as asked for."""
    label = np.arange(COUNT) if label is None else label

    def make() -> tf.data.Dataset:
        made = tf.data.Dataset.from_tensor_slices((image, label)).skip(more.get("skip", 0))
        if "shuffle" in more:
            made = made.shuffle(more["shuffle"], reshuffle_each_iteration=more.get("again", True))
        if more.get("after"):
            return made.batch(20).repeat(repeat)
        return made.repeat(repeat).batch(20, drop_remainder=more.get("drop", False))

    return make


def failing(after: int) -> Callable[[], tf.data.Dataset]:
    def make() -> tf.data.Dataset:
        def fail(image: Any, label: Any) -> Any:
            with tf.control_dependencies([tf.debugging.assert_less(label, np.int64(after))]):
                return image * 2, label

        return dataset()().unbatch().map(fail).batch(20)

    return make


MIXED = dataset(repeat=3, shuffle=COUNT)
CASES: dict[str, tuple[Any, Any, str, str]] = {
    "a linear relation": (
        dataset(), dataset(IMAGE * 0.25 - 0.5), "linear", r"new = old × 0.25 − 0.5"),
    "one channel that is shifted by little": (
        dataset(DARK), dataset(DARK + np.float32([0, 0, 4e-6])), "changed", "other values in 200"),
    "one channel that is scaled by little": (
        dataset(), dataset(IMAGE * np.float32([1, 1, 1.0002])), "float-difference", "a little in"),
    "a last number that is no padding": (
        dataset(LASTS), dataset(LASTS + [0, 0, 1]), "changed", "in one value in 200"),
    "left to right": (dataset(), dataset(IMAGE[:, :, ::-1]), "flipped", "left to right"),
    "top to bottom": (dataset(), dataset(IMAGE[:, ::-1]), "flipped", "top to bottom"),
    "channels": (dataset(), dataset(IMAGE[..., ::-1]), "channels", "channels in reverse"),
    "a column for a vector": (
        dataset(label=np.arange(COUNT)[:, None]), dataset(), "shape", r"\[1\].*\[\]"),
    "a crop": (dataset(), dataset(IMAGE[:, :3, 1:]), "shape", r"\[4, 5, 3\].*\[3, 4, 3\]"),
    "one record too many skipped": (
        dataset(skip=1), dataset(skip=2), "first-missing", "skip\\(2\\) for skip\\(1\\)"),
    "the same, where the last batch is dropped": (
        dataset(skip=3, drop=True), dataset(skip=4, drop=True), "first-missing", "first record"),
    "torn": (
        dataset(shuffle=COUNT), dataset(label=RNG.permutation(COUNT), shuffle=COUNT), "torn",
        "pairs are torn: component 1"),
    "an error first": (dataset(), failing(100), "end", "InvalidArgument"),
    "ten epochs": (dataset(), dataset(repeat=10), "epochs", r"1 time in.* 10 times.*num_epochs"),
    "no end": (dataset(), dataset(repeat=-1), "never-ends", "goes on and on"),
    "each epoch alike": (
        MIXED, dataset(repeat=3, shuffle=COUNT, again=False), "same-epochs",
        "reshuffle_each_iteration=False"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_it_is_said_where_it_is_true(name: str) -> None:
    old, new, code, text = CASES[name]
    result = comparing(old, new, cost=False)
    assert result.findings[0].code == code, str(result)
    assert re.search(text, result.findings[0].sentence), str(result)
    assert {f.code for f in result.findings} <= {code, "scale", "static-shape"}, str(result)


def test_epochs_that_are_repeated_after_batching_are_sharp_at_two_epochs() -> None:
    result = comparing(
        dataset(repeat=2, shuffle=90), dataset(repeat=2, shuffle=90, after=True), cost=False
    )
    assert [s.mixing.borders for s in (result.old, result.new) if s.mixing] == ["sharp", "sharp"]
    assert result.ok and {f.code for f in result.findings} <= {"batch-size"}, str(result)


def test_epochs_shuffled_together_are_blurred_at_two_epochs() -> None:
    def mixed() -> tf.data.Dataset:
        made = tf.data.Dataset.from_tensor_slices((IMAGE, np.arange(COUNT)))
        return made.repeat(2).shuffle(60).batch(20)

    result = comparing(mixed, dataset(repeat=2, shuffle=60), cost=False)
    assert result.old.mixing is not None and result.old.mixing.borders == "blurred"
    assert "Epoch borders are blurred in the old side and sharp in the new one" in str(result)


def test_no_pool_is_told_where_the_input_is_no_longer_than_a_few() -> None:
    numbers = {"image": np.arange(1000), "label": np.arange(1000)}
    shuffled = dataset(shuffle=1000, **numbers)
    result = comparing(shuffled, dataset(**numbers), cost=False)
    assert [f.code for f in result.findings] == ["no-shuffle"]
    assert "like a pool that holds much of the input" in result.verdict


def test_both_sides_failing_alike_is_said() -> None:
    result = comparing(failing(100), failing(100), cost=False)
    assert [f.code for f in result.findings] == ["both-fail"]
    assert "what would follow was not compared" in str(result)


def test_after_ten_seconds_the_side_that_goes_on_is_named() -> None:
    said: list[str] = []
    notice = progress.Notice(said.append, seconds=0)
    notice(100, 5000, None, [True, False])
    notice(100, 6000, None, [True, False])
    assert len(said) == 1
    assert "the new side goes on after 5,000 examples; the old one ended after 100" in said[0]
    assert "--limit" in said[0] and "--epochs" in said[0]
    later = progress.Notice(said.append, seconds=60)
    later(1, 1, None, [False, False])
    assert len(said) == 1


def test_a_slow_side_is_not_said_to_have_ended() -> None:
    said: list[str] = []
    progress.Notice(said.append, seconds=0)(7, 9, None, [False, False])
    assert "both sides go on, after 7 and 9 examples" in said[0]


def test_an_example_missing_from_a_single_batch_is_no_tail_batch() -> None:
    def short(count: int) -> Any:
        return lambda: tf.data.Dataset.range(count).batch(16)

    result = comparing(short(5), short(4), cost=False)
    assert [f.code for f in result.findings] == ["missing"], str(result)


def sliced(values: Any) -> Any:
    return lambda: tf.data.Dataset.from_tensor_slices(values).batch(4)


@pytest.mark.long
def test_complex_numbers_of_which_none_is_common_are_told() -> None:
    numbers = np.arange(20) + 1j
    for count in (3, 20):
        result = comparing(sliced(numbers[:count]), sliced(numbers.conj()[:count]), cost=False)
        assert "none of them common" in str(result) or "(2+1j)} in the old side" in str(result)


@pytest.mark.long
def test_values_that_are_all_others_are_no_file_that_is_not_read() -> None:
    numbers = np.arange(20, dtype=np.float32)
    result = comparing(sliced(numbers), sliced(np.log(numbers + 1)), cost=False)
    assert "19 examples of the old side are missing" in str(result), str(result)
    assert "19 examples of the new side are not in the old one" in str(result), str(result)
    assert "file" not in str(result)
    fewer = comparing(sliced(numbers), sliced(np.delete(numbers, [7, 8, 9, 10, 11])), cost=False)
    assert "number 7 to 11 in a row, as when a file is not read" in str(fewer), str(fewer)


@pytest.mark.long
def test_a_few_rows_of_truth_values_look_neither_flipped_nor_padded_by_chance() -> None:
    hot = np.random.default_rng(4).integers(0, 4, (60, 6)) == 0
    for other in (np.roll(hot, 1, axis=1), hot & (np.cumsum(hot, axis=1) == 1)):
        ids = np.arange(60)
        result = comparing(sliced((ids, hot)), sliced((ids, other)), cost=False)
        assert [f.code for f in result.findings] == ["changed"], str(result)


@pytest.mark.long
def test_letters_beyond_ascii_differ_in_case_too() -> None:
    names = ["Ångström", "Ñandú", "ÉCLAIR", "Жук", "straße"]
    made = (names, [n.lower() for n in names]), (names, [n.upper() for n in names])
    for both in made:
        old, new = ([f"{name} {i}" for i, name in enumerate(side)] for side in both)
        result = comparing(sliced(old), sliced(new), cost=False)
        assert [f.code for f in result.findings] == ["case"], str(result)


@pytest.mark.long
@pytest.mark.parametrize("twice", ["old", "new"])
def test_a_file_that_one_side_reads_twice_is_named(twice: str, tmp_path: Path) -> None:
    names = [str(tmp_path / f"{name}.txt") for name in ("one", "two")]
    for name in names:
        Path(name).write_text("".join(f"{Path(name).stem} {n}\n" for n in range(12)))
    read = {"old": names, "new": names, twice: [*names, names[1]]}

    def old() -> Any:
        queue = tf.compat.v1.train.string_input_producer(read["old"], 1, shuffle=False)
        line = tf.compat.v1.TextLineReader().read(queue)[1]
        return tf.compat.v1.train.batch([line], 4)

    result = comparing(old, lambda: tf.data.TextLineDataset(read["new"]).batch(4), cost=False)
    assert f"1 file read 2 times on the {twice} side: {names[1]} (12 examples" in str(result)


@pytest.mark.long
def test_labels_out_of_step_are_told_by_the_records_where_both_sides_shuffle(
    tmp_path: Path,
) -> None:
    file = tmp_path / "rows.csv"
    labels = np.random.default_rng(0).integers(0, 5, 120)
    file.write_text("".join(f"{n}.5,{label}\n" for n, label in enumerate(labels)))
    v1 = tf.compat.v1

    def old() -> Any:
        queue = v1.train.string_input_producer([str(file)], 2, shuffle=False)
        x, y = v1.decode_csv(v1.TextLineReader().read(queue)[1], [[0.0], [0]])
        return v1.train.shuffle_batch([x, y], 8, 100, 40)

    def new() -> tf.data.Dataset:
        lines = tf.data.TextLineDataset(str(file)).repeat(2)
        rows = lines.map(lambda line: tuple(tf.io.decode_csv(line, [[0.0], [0]])))
        both = tf.data.Dataset.zip((rows, rows.skip(2)))
        return both.map(lambda a, b: (a[0], b[1])).shuffle(41).batch(8)

    torn = comparing(old, new, cost=False, order=False).findings[0]
    assert torn.code == "torn", torn
    assert "that of the one 2 places further on, as with skip(2)" in torn.sentence


def test_sides_that_both_deliver_nothing_are_named(tmp_path: Path) -> None:
    script = tmp_path / "sides.py"
    script.write_text("""import tensorflow as tf
def old():
    return tf.data.Dataset.range(9).filter(lambda n: n > 9).batch(2)
def new():
    return tf.data.Dataset.range(0).batch(2)
""")
    with pytest.raises(CannotRun, match=r"sides\.py:old ended with .*sides\.py:new with "):
        comparing(f"{script}:old", f"{script}:new", cost=False)


def test_single_examples_beside_full_batches_lack_a_tail() -> None:
    def full() -> Any:
        return tf.data.Dataset.range(20).batch(8, drop_remainder=True)

    result = comparing(lambda: tf.data.Dataset.range(20).batch(8), full, cost=False)
    assert "tail-batch" in [f.code for f in result.findings], str(result)


@pytest.mark.long
@pytest.mark.parametrize("shuffle", [12, 60])
def test_a_filter_that_takes_out_as_many_as_fill_no_batch_drops_no_tail(shuffle: int) -> None:
    def of(keep: Any, drop: bool) -> Any:
        def make() -> tf.data.Dataset:
            kept = tf.data.Dataset.range(43).filter(keep).shuffle(shuffle)
            return kept.batch(10, drop_remainder=drop)

        return make

    whole = of(lambda n: n >= 0, False)
    filtered = of(lambda n: n % 14 != 7, False)
    for sides, code in ((whole, filtered), "missing"), ((filtered, whole), "extra"):
        result = comparing(*sides, cost=False)
        assert [f.code for f in result.findings] == [code], str(result)
    dropped = comparing(whole, of(lambda n: n >= 0, True), cost=False)
    assert [f.code for f in dropped.findings] == ["tail-batch"], str(dropped)


@pytest.mark.long
@pytest.mark.parametrize("shuffle", [1, 90])
def test_what_a_last_batch_that_ends_elsewhere_leaves_out_is_not_missing(shuffle: int) -> None:
    """Of 90 numbers 88 come in batches of 8, of the 84 that are left 80: 6 kept back or others."""

    def of(keep: Any) -> Any:
        def make() -> tf.data.Dataset:
            numbers = tf.data.Dataset.range(90).filter(keep).shuffle(shuffle)
            return numbers.batch(8, drop_remainder=True)

        return make

    whole, filtered = of(lambda n: n >= 0), of(lambda n: n % 14 != 7)
    for sides, code in ((whole, filtered), "missing"), ((filtered, whole), "extra"):
        found = comparing(*sides, cost=False, order=False, stages=False).findings
        assert {f.code for f in found} == {code, "remainder"}, found
        assert 4 <= found[0].count <= 6, found  # the two that the 88 lack may be of them, too


def test_batches_of_several_sizes_are_not_said_to_have_the_commonest_one() -> None:
    def new() -> tf.data.Dataset:
        return (
            tf.data.Dataset.range(32)
            .batch(4)
            .concatenate(tf.data.Dataset.range(64).skip(32).batch(16))
        )

    result = comparing(lambda: tf.data.Dataset.range(64).batch(8), new, cost=False)
    assert "The batch size is 8 in the old side, 4 to 16 in the new one." in str(result)


def of_sizes(*sizes: int) -> Callable[[], tf.data.Dataset]:
    """Numbers from 0 on, in batches of such sizes one after another."""
    starts = np.cumsum([0, *sizes[:-1]])
    return lambda: tf.data.Dataset.from_tensor_slices((starts, starts + sizes)).map(tf.range)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ([10, 10, 10, 10, 5], [10, 10, 20, 5], "is 10 in the old side, 10, 20 in the new one."),
        ([8, 8, 8, 4, 4, 2, 2], [8, 8, 8, 4, 4, 4], "is 2, 4, 8 in the old side, 4, 8 in the new"),
    ],
    ids=["one bucket of larger batches", "one bucket of smaller batches"],
)
def test_other_sizes_than_the_usual_one_are_compared_too(
    old: list[int], new: list[int], said: str
) -> None:
    result = comparing(of_sizes(*old), of_sizes(*new), cost=False)
    assert [f.code for f in result.findings] == ["batch-size"], str(result)
    assert said in str(result) and not result.ok


@pytest.mark.parametrize("old", [[10, 10, 10, 5], [10, 10, 10, 3, 2]])
def test_a_rest_in_another_place_is_no_other_batch_size(old: list[int]) -> None:
    assert comparing(of_sizes(*old), of_sizes(10, 10, 10, 4, 1), cost=False).ok


def test_single_examples_and_batches_of_one_are_two_forms() -> None:
    numbers = tf.data.Dataset.range(5)
    result = comparing(lambda: numbers, lambda: numbers.batch(1), cost=False)
    assert [f.code for f in result.findings] == ["batch-size"], str(result)
    assert "The old side delivers single examples, the other one batches of 1." in str(result)
