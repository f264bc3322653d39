"""A pool of at most 8 numbers; 4 stay behind when a batch of 2 is drawn."""

import tensorflow as tf

number = tf.train.range_input_producer(100, shuffle=False).dequeue()
batch = tf.train.shuffle_batch([number], batch_size=2, capacity=8, min_after_dequeue=4)

with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    print(sess.run(batch))
    coord.request_stop()
    coord.join(threads)
