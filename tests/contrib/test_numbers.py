"""tf.contrib's losses, metrics, layers, initialisers, images and sounds give 1.15.5's numbers."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contrib.number_cases import CASES
from tests.processes import ONEDNN, environment, python

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "numbers_of_tf1.json").read_text())
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("tf_slim") is None, reason="most of them are tf_slim's"
)
OF_KERAS = ("layer_batch_norm_in_training", "layer_batch_norm_of_moving_averages")
RUN = """
import json, sys
import queueio.v1 as tf
from tests.contrib.number_cases import CASES, numbers
tf.logging.set_verbosity(tf.logging.ERROR)
CASES = {name: CASES[name] for name in sys.argv[1:]}
told = {name: [numbers(tf, name, seed) for seed in (1, 2, 3)] for name in CASES}
print("NUMBERS" + json.dumps(told))
"""


def runs() -> list[str]:
    """The cases that can run: for a few, tf_slim needs the Keras of that time."""
    old = importlib.util.find_spec("tf_keras") is not None
    return [name for name in sorted(CASES) if old or name not in OF_KERAS]


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> Any:
    keras = "1" if set(OF_KERAS) & set(runs()) else None
    env = environment(TF_USE_LEGACY_KERAS=keras, **{ONEDNN: "1"})
    here = tmp_path_factory.mktemp("numbers")
    ran = python("-c", RUN, *runs(), cwd=here, env=env, timeout=180)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout.partition("NUMBERS")[2])


@pytest.mark.parametrize("name", runs())
def test_numbers_are_those_of_tf1(name: str, now: Any) -> None:
    for told, got in zip(RECORDED[name], now[name], strict=True):
        assert got.keys() == told.keys()
        for part, value in told.items():
            ours, tf1s = np.asarray(got[part]), np.asarray(value)
            assert (ours.shape, ours.dtype) == (tf1s.shape, tf1s.dtype)
            np.testing.assert_allclose(ours, tf1s, rtol=1e-5, atol=1e-6)


def test_no_case_is_without_its_recording() -> None:
    assert CASES.keys() == RECORDED.keys()
