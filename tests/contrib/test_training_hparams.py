"""tf.contrib.training.HParams does what it did in TensorFlow 1.15.5."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import tensorflow as tf

from queueio.contrib import training
from tests.contrib.hparam_cases import outcomes

RECORDED = json.loads((Path(__file__).parent / "hparams_of_tf1.json").read_text())
NOW = outcomes(SimpleNamespace(HParams=training.HParams, parse_values=training.parse_values))


@pytest.mark.parametrize("case", sorted(RECORDED))
def test_hparams_do_what_they_did_in_tf1(case: str) -> None:
    assert NOW[case] == RECORDED[case]


def test_no_case_is_without_its_recording() -> None:
    assert NOW.keys() == RECORDED.keys()


def test_a_meta_graph_keeps_them() -> None:
    with tf.Graph().as_default() as graph:
        graph.add_to_collection("hparams", training.HParams(rate=0.5, layers=[4, 2]))
        saved = tf.compat.v1.train.export_meta_graph()
    with tf.Graph().as_default() as graph:
        tf.compat.v1.train.import_meta_graph(saved)
        (found,) = graph.get_collection("hparams")
    assert found.values() == {"rate": 0.5, "layers": [4, 2]}


def test_what_is_no_message_is_refused() -> None:
    with pytest.raises(AssertionError, match="must be an HParamDef: 'hello'"):
        training.HParams(hparam_def="hello")
