"""Decodes a compressed image.

Legacy:
    reader = tf.WholeFileReader()
    _, content = reader.read(tf.train.string_input_producer(["a.png"], num_epochs=1))
    image = tf.image.decode_png(content, channels=1)

Modern:
    names = tf.data.Dataset.from_tensor_slices(["a.png"])
    dataset = names.map(lambda name: tf.io.decode_png(tf.io.read_file(name), channels=1))

Emits:
    uint8, shape (None, None, channels): the size is only known at run time

Differs:
    The same ops in both forms; one call decodes one image. A crop right after the decoder
    becomes `decode_and_crop_jpeg`, which skips the rest of the picture.

Raises:
    InvalidArgumentError: the bytes are not such an image.

Images of unequal size cannot be batched: resize or crop them to one, or pad.

Source:
    tf.image.decode_jpeg of TensorFlow 1.15
"""

from __future__ import annotations

import tensorflow as tf

from queueio.forensics.decoded import IMAGE_OPS

OPS = frozenset(IMAGE_OPS)
"""The ops that decode so."""

decode_and_crop_jpeg = tf.io.decode_and_crop_jpeg
"""Decodes a window of a JPEG image; TensorFlow's own."""

decode_bmp = tf.io.decode_bmp
"""Decodes the first frame of a BMP image; TensorFlow's own."""

decode_gif = tf.io.decode_gif
"""Decodes the frames of a GIF image; TensorFlow's own."""

decode_image = tf.compat.v1.image.decode_image
"""Decodes a BMP, GIF, JPEG or PNG image; TensorFlow's own."""

decode_jpeg = tf.io.decode_jpeg
"""Decodes a JPEG image; TensorFlow's own."""

decode_png = tf.io.decode_png
"""Decodes a PNG image; TensorFlow's own."""
