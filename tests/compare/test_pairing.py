"""Which differing example is which: where many have a value in common, and where many differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing
from queueio.compare.reading import fetch


def examples(count: int, seed: int = 0) -> dict[str, Any]:
    """Rows of which some have the default weight, and labels of ten classes."""
    rng = np.random.default_rng(seed)
    weight = rng.normal(size=count).astype(np.float32)
    weight[::8] = 1.0
    image = rng.integers(0, 256, (count, 12)).astype(np.float32)
    return {"image": image, "weight": weight, "label": np.arange(count) % 10}


def side(data: dict[str, Any], divide: bool = False, **changed: Any) -> Any:
    """A shuffled dataset; the images divided by 255, or multiplied by what is nearly the same."""
    image = data["image"] / np.float32(255) if divide else data["image"] * np.float32(1 / 255)
    whole = {**data, "image": image, **changed}
    count = len(image)
    return lambda: tf.data.Dataset.from_tensor_slices(whole).shuffle(count).batch(16)


def full(data: dict[str, Any], divide: bool = False) -> Any:
    """The same without the incomplete last batch."""
    made = side(data, divide)
    return lambda: made().unbatch().batch(16, drop_remainder=True)


def judged(old: Any, new: Any, **options: Any) -> Any:
    return comparing(old, new, cost=False, order=False, stages=False, **options)


def told(result: Any) -> list[str]:
    return [finding.code for finding in result.findings]


@pytest.mark.long
@pytest.mark.parametrize("count", [200, 700])
def test_shuffled_examples_that_differ_by_rounding_are_equal_within_the_tolerance(
    count: int,
) -> None:
    data = examples(count)
    result = judged(side(data), side(data, divide=True), rtol=1e-6)
    assert result.ok and told(result) == ["tolerance"], str(result)
    data.pop("weight")  # nothing tells the examples apart but what is rounded
    result = judged(side(data), side(data, divide=True), rtol=1e-6)
    assert result.ok and told(result) == ["tolerance"], str(result)


@pytest.mark.long
def test_examples_with_one_weight_are_not_taken_for_one_another() -> None:
    data = examples(200)
    result = judged(side(data), side(data, divide=True, label=data["label"] + 1))
    assert sorted(told(result)) == ["float-difference", "offset"], str(result)
    assert all(finding.count == 200 for finding in result.findings)


@pytest.mark.long
def test_a_changed_label_moves_nothing_between_examples_without_a_value() -> None:
    rng = np.random.default_rng(1)
    value = rng.normal(size=60)
    value[::6] = np.nan
    ids = np.where(np.arange(60) % 4 == 1, -1, np.arange(60))
    data = {"value": value, "id": ids, "name": [f"n{i % 15}" for i in range(60)]}
    label = np.arange(60) // 15  # two of each name have no value: their ids tell them apart

    def made(label: Any) -> Any:
        whole = {**data, "label": label}
        return lambda: tf.data.Dataset.from_tensor_slices(whole).shuffle(60).batch(8)

    result = judged(made(label), made(label ^ 2))
    assert told(result) == ["changed"], str(result)
    assert "label has another value in 60 examples: 0 became 2, 1 became 3" in str(result)


@pytest.mark.long
def test_of_a_sample_only_what_is_near_is_taken_for_one_example(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("queueio.compare.findings.case.FETCHED", 100)
    for limit in ("SAMPLE", "UNLIKE"):
        monkeypatch.setattr(fetch, limit, 100)
    data = examples(300)
    data.pop("weight")
    result = judged(side(data), side(data, divide=True))
    assert told(result) == ["float-difference"], str(result)
    assert "looked at (of 300 that differ)" in str(result)


@pytest.mark.long
def test_a_remainder_that_both_drop_by_chance_is_no_difference_within_the_tolerance() -> None:
    data = examples(100)
    result = judged(full(data), full(data, divide=True), rtol=1e-6)
    assert result.ok and told(result) == ["tolerance", "remainder"], str(result)
    said = [int(finding.count) for finding in result.findings]
    assert sum(said) == 96, str(result)


@pytest.mark.long
def test_what_one_side_never_delivers_is_no_remainder_that_is_left_out_by_chance() -> None:
    data = examples(100)
    fewer = {name: values[3:] for name, values in data.items()}
    result = judged(full(data), full(fewer, divide=True), rtol=1e-6)
    assert not result.ok and "missing" in told(result), str(result)


@pytest.mark.long
def test_examples_with_one_weight_of_which_all_images_are_others_have_their_labels() -> None:
    data = examples(200)
    other = np.random.default_rng(9).normal(size=(200, 12))
    result = judged(side(data), side(data, image=other.astype(np.float32)))
    assert [(f.code, f.count) for f in result.findings] == [("changed", 200)], str(result)


@pytest.mark.long
def test_a_remainder_that_both_drop_by_chance_is_no_difference_beside_changed_labels() -> None:
    data = examples(100)
    data["weight"] = np.random.default_rng(3).normal(size=100).astype(np.float32)
    default = {**data, "label": np.where(data["label"] == 0, 10, data["label"])}
    for changed in ({**data, "label": data["label"] + 1}, default):
        result = judged(full(data), full(changed))
        assert not result.ok and "remainder" in told(result), str(result)
        assert set(told(result)) <= {"offset", "changed", "remainder"}, str(result)


@pytest.mark.long
def test_what_one_side_never_delivers_is_missing_beside_changed_labels() -> None:
    data = examples(101)
    data["weight"] = np.random.default_rng(3).normal(size=101).astype(np.float32)
    first = {name: values[:100] for name, values in data.items()}
    last = {name: values[1:] for name, values in data.items()}
    last["label"] = last["label"] + 1
    result = judged(full(first), full(last))
    assert {"missing", "extra"} <= set(told(result)), str(result)


def lines(change: Any = bytes, numbered: bool = False) -> Any:
    """Shuffled lines, most of which begin as others do; changed."""
    rng = np.random.default_rng(5)
    words = [b"alpha", b"be", b"gamma-ray", b"d", b"Delta"]
    long = [b" ".join(words[i] for i in rng.integers(0, 5, n % 8 + 1)) for n in range(240)]
    made = np.array([change(b"%s %d" % (text, n)) for n, text in enumerate(long)], object)
    data = (made, np.arange(240) % 7) if numbered else made
    return lambda: tf.data.Dataset.from_tensor_slices(data).shuffle(240).batch(16)


TEXTS = {
    "newline": lambda t: t + b"\n",
    "carriage-return": lambda t: t + b"\r",
    "whitespace": lambda t: t + b" ",
    "byte-order-mark": lambda t: b"\xef\xbb\xbf" + t,
    "path": lambda t: b"/data/" + t,
    "case": bytes.upper,
}


@pytest.mark.long
@pytest.mark.parametrize("numbered", [False, True])
@pytest.mark.parametrize("code", TEXTS)
def test_texts_that_are_all_changed_in_one_way_are_not_missing(code: str, numbered: bool) -> None:
    result = judged(lines(numbered=numbered), lines(TEXTS[code], numbered))
    assert [(f.code, f.count) for f in result.findings] == [(code, 240)], str(result)


@pytest.mark.long
def test_a_line_of_words_among_others_is_no_header() -> None:
    """Only the old side has the lines of even numbers, any of which may come first."""
    keep = lambda texts: tf.reduce_any(tf.strings.regex_full_match(texts, ".*[13579]"))  # noqa: E731
    fewer = lambda: lines()().unbatch().filter(keep).batch(16)  # noqa: E731
    for _ in range(6):
        result = judged(lines(), fewer)
        assert {f.code for f in result.findings} == {"missing"}, str(result)


def test_classes_that_are_among_the_numbers_of_another_component_have_not_moved() -> None:
    """Of an inverted filter, neither the numbers nor the classes are those of the old side."""
    data = {"id": np.arange(300), "label": np.random.default_rng(0).integers(0, 10, 300)}
    low, high = ({k: v[keep] for k, v in data.items()} for keep in
                 (data["label"] < 5, data["label"] >= 5))  # fmt: skip
    sides = [lambda d=d: tf.data.Dataset.from_tensor_slices(d).shuffle(50).batch(8)
             for d in (low, high)]  # fmt: skip
    assert told(judged(*sides)) == ["filter-inverted"]


@pytest.mark.long
def test_a_difference_is_named_once_though_some_numbers_look_rounded() -> None:
    price = np.round(np.random.default_rng(0).gamma(2, 30, 300), 2).astype(np.float32)
    data = {"id": np.arange(300), "price": price}
    sides = [lambda d=d: tf.data.Dataset.from_tensor_slices(d).batch(8)
             for d in (data, {**data, "price": np.round(price)})]  # fmt: skip
    result = judged(*sides)
    assert told(result) == ["changed"], str(result)
    assert "rounded to whole numbers" in result.verdict
