"""The Keras example trains a Keras 3 model on a lifted TF1 pipeline."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "train_keras.py"


@pytest.mark.long
def test_a_keras_model_learns_the_digits_from_a_lifted_pipeline(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = run_python(EXAMPLE, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "ShuffleQueue" in done.stdout, "it shows the plan"
    accuracy = re.search(r"test accuracy ([\d.]+)%", done.stdout)
    assert accuracy and float(accuracy.group(1)) > 90
