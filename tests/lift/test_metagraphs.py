"""MetaGraphs that TensorFlow 1.15.5 saved are lifted, and deliver what they did there."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf
import values
from expected import MANIFEST, METAGRAPHS, check, flat_fetches

from queueio import lift_meta_graph
from tests.turns import by_turns

v1 = tf.compat.v1


def fetches_of(entry: dict[str, Any]) -> Any:
    return entry["fetches"]


@pytest.mark.parametrize("scope", [None, "imported"])
@pytest.mark.parametrize("entry", by_turns(MANIFEST), ids=lambda entry: entry["name"])
def test_a_metagraph_of_tf1_is_lifted(
    entry: dict[str, Any], scope: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(METAGRAPHS)
    plan = lift_meta_graph(entry["meta"], fetches_of(entry), import_scope=scope)
    steps = [
        {path: part.numpy() for path, part in values.flatten(tf, element).items()}
        for element in plan.to_dataset()
    ]
    known = flat_fetches(entry)
    check(entry, [{path.removeprefix("0/") if path not in known else path: value
                   for path, value in step.items()} for step in steps])  # fmt: skip


def test_a_name_that_is_not_in_the_metagraph_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(METAGRAPHS)
    with pytest.raises(KeyError, match="no_such_batch"):
        lift_meta_graph(MANIFEST[0]["meta"], ["no_such_batch:0"])
