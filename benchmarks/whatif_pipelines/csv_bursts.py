"""Rows of a CSV file on slow storage; after each 40th step the program is away for a while."""

import sys
import time

import tensorflow as tf


def wait(line):
    """As long as a slow disk takes."""
    time.sleep(0.002)
    return line


names = tf.train.string_input_producer([sys.argv[1]])
_, line = tf.TextLineReader().read(names)
late = tf.py_func(wait, [line], tf.string)
late.set_shape([])
row = tf.stack(tf.decode_csv(late, [[0.0]] * 20))
batch = tf.train.shuffle_batch([row], 8, capacity=120, min_after_dequeue=100)
step = tf.reduce_sum(batch)
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    tf.train.start_queue_runners(sess, coord)
    for number in range(1_000_000):
        sess.run(step)
        time.sleep(0.01)  # a device computes
        if number % 40 == 39:
            time.sleep(0.5)  # it writes a checkpoint
