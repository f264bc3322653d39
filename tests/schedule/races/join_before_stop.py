"""Waits for threads that wait to be asked to stop."""

import tensorflow as tf

example = tf.train.range_input_producer(10, shuffle=True).dequeue()
batch = tf.train.shuffle_batch([example], batch_size=4, capacity=20, min_after_dequeue=8)

with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    for _ in range(5):
        sess.run(batch)
    coord.join(threads)
    coord.request_stop()
