"""What a digit goes through before the network sees it."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import tensorflow as tf


def preprocess_for_train(image, output_height, output_width, padding=1):
    image = tf.to_float(image)
    image = tf.pad(image, [[padding, padding], [padding, padding], [0, 0]])
    image = tf.random_crop(image, [output_height, output_width, 1])
    image = tf.image.random_brightness(image, max_delta=32)
    return _scaled(image)


def preprocess_for_eval(image, output_height, output_width):
    image = tf.to_float(image)
    image = tf.image.resize_image_with_crop_or_pad(image, output_height, output_width)
    return _scaled(image)


def _scaled(image):
    return tf.multiply(tf.subtract(image, 128.0), 1.0 / 128.0)


def preprocess_image(image, output_height, output_width, is_training=False):
    if is_training:
        return preprocess_for_train(image, output_height, output_width)
    return preprocess_for_eval(image, output_height, output_width)
