"""A pool with less room than min_after_dequeue and a batch: it fills in turns, and all is well."""

import tensorflow as tf

queue = tf.RandomShuffleQueue(capacity=9, min_after_dequeue=8, dtypes=[tf.int32], shapes=[[]])
example = tf.train.range_input_producer(40, shuffle=False).dequeue()
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(example)] * 2))
batch = queue.dequeue_many(4)

with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    for _ in range(6):
        sess.run(batch)
    coord.request_stop()
    coord.join(threads)
