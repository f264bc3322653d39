"""Two threads, each with its own sparse tensors: a queue holds numbers that stand for them."""

import tensorflow as tf


def example(first):
    number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue() + first
    indices = tf.cast(tf.reshape(number, [1, 1]), tf.int64)
    return number, tf.SparseTensor(indices, tf.reshape(number, [1]), [20])


numbers, cells = tf.train.batch_join([example(0), example(10)], batch_size=2)

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while not coord.should_stop():
            found = sess.run([numbers, cells])
            assert list(found[0]) == list(found[1].values)
    except tf.errors.OutOfRangeError:
        coord.request_stop()
    coord.join(threads)
