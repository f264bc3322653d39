"""The pipeline stands, and a batch is asked for. It never comes."""

import tensorflow as tf

number = tf.train.range_input_producer(6, shuffle=False).dequeue()
batch = tf.train.batch([number], batch_size=3)

with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = []
    print(sess.run(batch))
    coord.request_stop()
    coord.join(threads)
