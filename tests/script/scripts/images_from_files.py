"""Whole image files, decoded, resized and batched by several readers."""
from __future__ import print_function

import os

import numpy as np
import tensorflow as tf

if not os.path.isdir("images"):
    os.makedirs("images")
with tf.Session() as sess:
    pixels = tf.placeholder(tf.uint8, [None, None, 3])
    png = tf.image.encode_png(pixels)
    for i in range(6):
        with tf.gfile.GFile("images/%d.png" % i, "wb") as f:
            f.write(sess.run(png, {pixels: np.full([4 + i, 5, 3], 10 * i, np.uint8)}))


def read_image(filename_queue):
    reader = tf.WholeFileReader()
    key, contents = reader.read(filename_queue)
    image = tf.image.decode_png(contents, channels=3)
    image = tf.image.resize_images(image, [4, 4])
    image.set_shape([4, 4, 3])
    return [image, key]


files = tf.train.match_filenames_once("images/*.png")
queue = tf.train.string_input_producer(files, num_epochs=1)
images, keys = tf.train.batch_join([read_image(queue) for _ in range(2)], batch_size=3)
h, w = images.get_shape()[1].value, int(images.get_shape()[2])
print(images.get_shape(), h, w, images.dtype.name)
mean = tf.reduce_mean(images, [1, 2, 3])

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    pairs = []
    try:
        while not coord.should_stop():
            k, m = sess.run([keys, mean])
            pairs.extend(zip([os.path.basename(x.decode()) for x in k], m.tolist()))
    except tf.errors.OutOfRangeError:
        print("done")
    finally:
        coord.request_stop()
        coord.join(threads)
    print(sorted(pairs))
