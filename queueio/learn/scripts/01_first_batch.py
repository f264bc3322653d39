"""A pipeline that is built, fed and stopped. One thing is missing: nobody takes from it."""

import tensorflow as tf

number = tf.train.range_input_producer(6, shuffle=False).dequeue()
batch = tf.train.batch([number], batch_size=3)

with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    # Take a batch, and print it.
    coord.request_stop()
    coord.join(threads)
