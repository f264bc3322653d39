"""Faults planted in files and pipelines are called by their names, and nothing else is reported.

All of planted.py is run by hand, by real.py; what is said of them is also in saying_cases.py.
"""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

import queueio.compare as comparing
from tests.compare import planted

FAULTS = {fault[0]: fault[1:] for fault in planted.planted()}
SAMPLE = [
    "tail batch dropped, shuffled", "changed in one value", "labels swapped, shuffled",
    "scale applied twice", "padding value", "floats within the tolerance", "header read as data",
    "a file missing, by key", "a file read twice", "compression misread",
    "compression misread the other way", "epoch borders", "no shuffling",
    "shuffle buffer too small", "files shuffled but records not", "values under another's name",
    "different end", "a filter inverted", "torn, in another order", "random augmentation",
]  # fmt: skip
FINE = {"tolerance", "epoch-borders"}  # no fault: ok stays true


@pytest.mark.long
@pytest.mark.parametrize("name", SAMPLE)
def test_the_fault_is_named(name: str) -> None:
    old, new, code, options = FAULTS[name]
    result = comparing(old, new, cost=False, **options)
    assert [f.code for f in result.findings] == [code], str(result)
    assert result.ok == (code in FINE)
    assert result.findings[0].sentence in str(result)


def flipped(alike: bool) -> Any:
    """Flips by numbers that no run draws again, of one seed or of two."""

    def parse(number: tf.Tensor) -> Any:
        image = tf.reshape(tf.range(12.0), [3, 4]) + tf.cast(number, tf.float32)
        drawn = [tf.random.uniform([]) for _ in range(2)]
        flip = [drawn[0], drawn[0] if alike else drawn[1]]
        return number, *(tf.where(f < 0.5, image, image[:, ::-1]) for f in flip)

    return lambda: tf.data.Dataset.range(200).map(parse).batch(20)


@pytest.mark.long
def test_a_torn_pair_is_found_where_all_values_are_random() -> None:
    same = comparing(flipped(True), flipped(True), cost=False)
    assert "torn" not in [f.code for f in same.findings]
    result = comparing(flipped(True), flipped(False), cost=False)
    assert result.findings[0].code == "torn" and not result.ok, str(result)
    assert "component 1 and component 2 are equal in each" in result.verdict


def said(name: str) -> Any:
    old, new, _, options = FAULTS[name]
    return comparing(old, new, cost=False, **options).findings[0]


def test_a_changed_value_is_shown_with_its_place_and_both_values() -> None:
    (evidence,) = said("changed in one value").evidence
    assert (evidence.component, evidence.index) == ("image", (2, 2, 1))
    assert evidence.old == planted.columns()["image"][7, 2, 2, 1]
    assert evidence.new == 1


def test_a_missing_file_is_named_where_there_are_keys() -> None:
    assert "two.csv (40 examples)" in said("a file missing, by key").sentence


def test_the_scale_is_given() -> None:
    assert "= 1/255" in said("scale applied twice").sentence


def test_swapped_labels_show_both_examples() -> None:
    evidence = said("labels swapped").evidence
    assert [(e.old, e.new) for e in evidence] == [(1, 8), (8, 1)]


@pytest.mark.long
def test_the_filter_is_told_by_the_component_it_asks_for() -> None:
    assert "label is one of {0, 1, 2, 3, 4}" in said("a filter inverted").sentence
