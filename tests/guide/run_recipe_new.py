"""Runs new forms of the recipes, each with its Keras call: `python run_recipe_new.py SCRIPT …`.

What `dataset` gives is written beside each script as `SCRIPT.npz`; `fit` must have taken as many
steps, over one epoch, with a finite loss.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

sys.path.insert(0, str(Path(__file__).resolve().parent))
from recipe_steps import save, without_chance

without_chance(tf.image)
fit = keras.Model.fit


class Counted(keras.callbacks.Callback):
    """How many steps were taken. (The optimizer counts one more where the end was not known.)"""

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.steps += 1


def counted(counts: list[Counted]) -> Any:
    """`Model.fit` that counts its steps."""

    def run(model: Any, dataset: Any) -> Any:
        counts.append(Counted())
        return fit(model, dataset, verbose=0, callbacks=[counts[-1]])

    return run


def main() -> None:
    for script in sys.argv[1:]:
        names: dict[str, Any] = {}
        counts: list[Counted] = []
        keras.Model.fit = counted(counts)
        exec(compile(Path(script).read_text(), script, "exec"), names)
        steps = list(names["dataset"].as_numpy_iterator())
        (loss,) = names["model"].history.history["loss"]
        assert np.isfinite(loss), script
        assert [each.steps for each in counts] == [len(steps)], script
        save(Path(script).with_suffix(".npz"), steps)
    assert not any(name.partition(".")[0] == "queueio" for name in sys.modules)


main()
