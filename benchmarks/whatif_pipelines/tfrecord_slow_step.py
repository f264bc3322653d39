"""Examples of a TFRecord file; the step takes long, whatever the size of its batch."""

import sys
import time

import tensorflow as tf

names = tf.train.string_input_producer([sys.argv[1]])
_, record = tf.TFRecordReader().read(names)
row = tf.parse_single_example(record, {"x": tf.FixedLenFeature([3000], tf.float32)})["x"]
batch = tf.train.batch([row], 8, num_threads=2, capacity=64)
step = tf.reduce_sum(batch)
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    tf.train.start_queue_runners(sess, coord)
    while True:
        sess.run(step)
        time.sleep(0.02)  # a device computes
