"""Three readers joined into one shuffling queue, each with its own file and slow storage."""

import sys
import time

import tensorflow as tf


def wait(line):
    """As long as a slow disk takes."""
    time.sleep(0.01)
    return line


names = tf.train.string_input_producer([sys.argv[1]])
rows = []
for _ in range(3):
    _, line = tf.TextLineReader().read(names)
    late = tf.py_func(wait, [line], tf.string)
    late.set_shape([])
    rows.append([tf.stack(tf.decode_csv(late, [[0.0]] * 20))])
batch = tf.train.shuffle_batch_join(rows, 32, capacity=400, min_after_dequeue=100)
step = tf.reduce_sum(batch)
config = tf.ConfigProto(inter_op_parallelism_threads=16)
with tf.Session(config=config) as sess:
    coord = tf.train.Coordinator()
    tf.train.start_queue_runners(sess, coord)
    while True:
        sess.run(step)
        time.sleep(0.01)
