"""The nests that both sides deliver: a dict of old, and what model.fit wants of the new one."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import queueio.compare as comparing

RNG = np.random.default_rng(0)
DATA = {
    "label": RNG.integers(0, 9, 40),
    "size": RNG.integers(0, 9, 40),
    "image": RNG.normal(size=(40, 3)),
    "weight": RNG.normal(size=40),
}


def side(nest: Callable[..., Any] = dict) -> Any:
    return lambda: tf.data.Dataset.from_tensor_slices(DATA).map(lambda d: nest(**d)).batch(8)


def compared(old: Any, new: Any) -> Any:
    return comparing(side(old), side(new), cost=False, order=False, stages=False)


FOR_FIT: dict[str, Callable[..., Any]] = {
    "features, label and weight": lambda label, size, image, weight: (
        {"size": size, "image": image}, label, weight),
    "a dict of labels": lambda label, size, image, weight: (
        {"size": size, "image": image, "weight": weight}, {"label": label}),
    "all by place": lambda label, size, image, weight: (image, size, label, weight),
}  # fmt: skip


@pytest.mark.parametrize("name", FOR_FIT)
def test_a_dict_that_became_features_and_label_is_no_other_input(name: str) -> None:
    result = compared(dict, FOR_FIT[name])
    assert result.level == "identical stream", str(result)
    assert [f.code for f in result.findings] == ["structure"]


def test_features_and_label_that_became_a_dict_are_not_swapped() -> None:
    result = compared(FOR_FIT["features, label and weight"], dict)
    assert [f.code for f in result.findings] == ["structure"], str(result)


def test_the_place_that_stands_for_a_key_is_told() -> None:
    result = compared(dict, FOR_FIT["features, label and weight"])
    assert "Taken for one: 'label' is '1', 'weight' is '2'." in str(result)
    assert "Taken for one" not in str(compared(dict, FOR_FIT["a dict of labels"]))


@pytest.mark.long
def test_a_key_within_the_features_is_its_own_and_not_the_label() -> None:
    wrong = lambda label, size, image, weight: ({"size": size, "image": image}, label + 1, weight)  # noqa: E731
    result = compared(dict, wrong)
    assert [f.code for f in result.findings] == ["offset", "structure"], str(result)
    assert result.findings[0].sentence.startswith("label is shifted by a constant in 40 examples")


def test_only_the_keys_that_are_others_are_renamed() -> None:
    other = lambda label, size, image, weight: ({"size": size, "picture": image}, label, weight)  # noqa: E731
    result = compared(dict, other)
    assert result.findings[0].sentence == "Dict keys are renamed: 'image' is '0/picture'."


@pytest.mark.long
def test_a_weight_that_is_dropped_leaves_the_others_to_be_compared() -> None:
    dropped = lambda label, size, image, weight: ({"size": size + 1, "image": image}, label)  # noqa: E731
    result = compared(dict, dropped)
    assert [f.code for f in result.findings] == ["component-missing", "offset"], str(result)
    assert "only the old one has 'label', 'weight'; only the new one has '1'" in str(result)


def test_the_names_of_a_named_tuple_have_an_order_that_places_may_contradict() -> None:
    pair = collections.namedtuple("pair", "image label")
    old = lambda label, size, image, weight: pair(image, label)  # noqa: E731
    assert compared(old, lambda label, size, image, weight: (image, label)).findings == []
    result = compared(old, lambda label, size, image, weight: (label, image))
    assert [f.code for f in result.findings] == ["component-order"], str(result)


def test_a_tuple_whose_features_became_a_dict_is_not_swapped() -> None:
    old = lambda label, size, image, weight: (weight, image, label)  # noqa: E731
    new = lambda label, size, image, weight: ({"weight": weight, "image": image}, label)  # noqa: E731
    result = compared(old, new)
    assert [f.code for f in result.findings] == ["structure"], str(result)
    swapped = lambda label, size, image, weight: ({"weight": weight, "size": size}, label, image)  # noqa: E731
    placed = lambda label, size, image, weight: ({"weight": weight, "size": size}, image, label)  # noqa: E731
    assert [f.code for f in compared(placed, swapped).findings] == ["component-order"]
