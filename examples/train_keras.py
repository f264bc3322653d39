"""Trains a Keras 3 model on a TF1 input pipeline, lifted into tf.data.

    python examples/train_keras.py

`old_input_fn` is a TF1 input pipeline as it was written in 2016. `queueio.lift` reads the graph
that it builds; `to_dataset` is what `model.fit` takes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import tensorflow.compat.v1 as tf

import queueio

DATA = Path(__file__).parent / "data"


def old_input_fn(pattern: str = "digits-train-*.tfrecord", num_epochs: int = 1) -> Any:
    """A batch of images (float32 [64, 8, 8]) and labels (int64 [64]), shuffled."""
    names = sorted(str(path) for path in DATA.glob(pattern))
    queue = tf.train.string_input_producer(names, num_epochs=num_epochs)
    _, record = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(
        record,
        {"image": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)},
    )
    image = tf.reshape(tf.decode_raw(features["image"], tf.uint8), [8, 8])
    image = tf.cast(image, tf.float32) / 16.0
    return tf.train.shuffle_batch(
        [image, features["label"]], 64, capacity=1000, min_after_dequeue=500, num_threads=4,
        allow_smaller_final_batch=True,
    )  # fmt: skip


def main() -> None:
    keras.utils.set_random_seed(0)
    plan = queueio.lift(old_input_fn)
    print(plan)
    test = queueio.lift(lambda: old_input_fn("digits-test-*.tfrecord")).to_dataset()
    model = keras.Sequential(
        [keras.layers.Flatten(), keras.layers.Dense(64, "relu"), keras.layers.Dense(10)]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    model.fit(plan.to_dataset(), epochs=12, verbose=0)
    _, accuracy = model.evaluate(test, verbose=0)
    print(f"test accuracy {accuracy:.1%}")


if __name__ == "__main__":
    main()
