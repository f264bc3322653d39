"""A Python function that waits for a server and computes a little: py_func, one thread."""

import time

import numpy as np
import tensorflow as tf


def fetch(number):
    """A row, from far away."""
    time.sleep(0.008)
    return np.sin(np.arange(2000) + number).astype(np.float32)


number = tf.train.range_input_producer(1000).dequeue()
row = tf.py_func(fetch, [number], tf.float32)
row.set_shape([2000])
batch = tf.train.batch([row], 16, num_threads=1, capacity=64)
step = tf.reduce_sum(batch)
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    tf.train.start_queue_runners(sess, coord)
    while True:
        sess.run(step)
