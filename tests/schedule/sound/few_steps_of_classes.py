"""Two batches of a large pool: another order has other examples of the same two classes."""

import tensorflow as tf

label, number = tf.train.slice_input_producer([[0, 1] * 20, list(range(40))], shuffle=True)
batch = tf.train.shuffle_batch(
    [label, number], batch_size=2, num_threads=2, capacity=20, min_after_dequeue=8
)
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for _ in range(2):
        sess.run(batch)
    coord.request_stop()
    coord.join(threads)
