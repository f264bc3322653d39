"""A pipeline of TF1's image functions, written so that TensorFlow 1.15.5 and today's run it.

`python3.7 images.py`, with TensorFlow 1.15.5, writes images.meta and images.json beside this file:
the graph that it built, and what it delivered.
"""

from __future__ import annotations

import json
import os
from typing import Any

import tensorflow.compat.v1 as tf

HERE = os.path.dirname(os.path.abspath(__file__))
SIZE = 8


def picture() -> Any:
    """An image of SIZE x SIZE pixels that is another one for each example."""
    n = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    colours = tf.reshape(tf.range(SIZE * SIZE * 3), [SIZE, SIZE, 3])
    return (colours * 7 + n * 31) % 256


def distorted(image: Any) -> Any:
    """As the CIFAR-10 tutorial distorts its images, and a few steps more, with seeds."""
    image = tf.random_crop(tf.cast(image, tf.float32), [6, 6, 3], seed=1)
    image = tf.image.random_flip_left_right(image, seed=2)
    image = tf.image.random_flip_up_down(image, seed=3)
    image = tf.image.random_brightness(image, max_delta=63, seed=4)
    image = tf.image.random_contrast(image, lower=0.2, upper=1.8, seed=5)
    return tf.image.per_image_standardization(image)


def plain(image: Any) -> Any:
    """Functions without chance."""
    image = tf.image.convert_image_dtype(tf.cast(image, tf.uint8), tf.float32)
    image = tf.image.central_crop(image, 0.5)
    image = tf.image.resize_images(image, [9, 10])
    image = tf.image.flip_up_down(tf.image.flip_left_right(image))
    image = tf.image.crop_to_bounding_box(image, 1, 2, 7, 6)
    image = tf.image.pad_to_bounding_box(image, 1, 0, 9, 7)
    image = tf.image.resize_image_with_crop_or_pad(image, 8, 9)
    image = tf.image.rgb_to_grayscale(tf.image.rot90(tf.image.transpose_image(image), 3))
    image.set_shape([8, 9, 1])
    return image


def build() -> Any:
    """The batches of both."""
    image = picture()
    return tf.train.batch({"distorted": distorted(image), "plain": plain(image)}, 3)


def main() -> None:
    batch = build()
    tf.train.export_meta_graph(os.path.join(HERE, "images.meta"), clear_devices=True)
    steps = []
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        for _ in range(2):
            steps.append({key: value.tolist() for key, value in sess.run(batch).items()})
        coord.request_stop()
        coord.join(threads)
    names = {key: tensor.name for key, tensor in batch.items()}
    with open(os.path.join(HERE, "images.json"), "w") as f:
        json.dump({"fetches": names, "steps": steps}, f)


if __name__ == "__main__":
    main()
