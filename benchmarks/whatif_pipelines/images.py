"""JPEG images, decoded and resized: the decoding takes longest."""

import sys

import tensorflow as tf

names = tf.train.string_input_producer([sys.argv[1]])
_, data = tf.WholeFileReader().read(names)
image = tf.image.resize_images(tf.image.decode_jpeg(data, channels=3), [64, 64])
image.set_shape([64, 64, 3])
batch = tf.train.batch([image], 8, num_threads=1, capacity=64)
step = tf.reduce_mean(batch)
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    tf.train.start_queue_runners(sess, coord)
    while True:
        sess.run(step)
