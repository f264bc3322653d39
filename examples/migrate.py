"""The whole way of one script: run, explain, convert, compare, and on to `model.fit`.

    python examples/migrate.py [FOLDER]

`migrate_old.py`, beside this file, is the script of 2016; it is not touched. The new module is
written to FOLDER, or to one that is removed at the end. The commands are printed as you would type
them, and the last lines are the evidence: the same examples, and a model that learned as much.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import keras
import numpy as np

OLD = Path(__file__).resolve().parent / "migrate_old.py"
TEST = OLD.parent / "data" / "digits-test-0-of-1.csv"


def queueio(*arguments: str) -> str:
    """Runs a command, shows it, and returns what it printed; ends the program if it fails."""
    shown = " ".join(os.path.relpath(part) if os.sep in part else part for part in arguments)
    print(f"\n$ queueio {shown}", flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "queueio", *arguments], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}, check=True,
    )  # fmt: skip
    return done.stdout


def fitted(dataset: Any) -> tuple[int, float]:
    """Trains the old script's model on the new input: (steps, test accuracy)."""
    model = keras.Sequential([keras.layers.Dense(10, use_bias=False, kernel_initializer="zeros")])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(0.5), loss, metrics=["accuracy"])
    steps: list[int] = []
    count = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: steps.append(1))
    model.fit(dataset, verbose=0, callbacks=[count])
    test = np.loadtxt(TEST, delimiter=",", skiprows=1)
    _, accuracy = model.evaluate(test[:, 1:] / 16, test[:, 0], verbose=0)
    return len(steps), float(accuracy)


def migrate(folder: Path) -> None:
    new = folder / "digits_input.py"
    before = queueio("run", str(OLD))
    print(before, end="")
    print(queueio("explain", str(OLD)), end="")
    print(queueio("convert", str(OLD), "--out", str(new)), end="")
    compared = queueio("compare", f"{OLD}:inputs", f"{new}:input_fn", "--epochs", "1")
    print(compared, end="")

    sys.path.insert(0, str(folder))
    from digits_input import input_fn  # type: ignore[import-not-found]

    print("\n$ python  # from digits_input import input_fn; model.fit(input_fn())", flush=True)
    steps, accuracy = fitted(input_fn())
    old = dict(line.split(": ") for line in before.splitlines())
    print("\nevidence")
    print(f"old input and new input: {compared.splitlines()[0]}")
    print(f"steps, old script and model.fit: {old['steps']} and {steps}")
    print(f"test accuracy, old script and Keras: {old['test accuracy']} and {accuracy:.3f}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        migrate(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            migrate(Path(made))
