"""Runners are started before the counter of epochs is initialised."""

import tensorflow as tf

example = tf.train.range_input_producer(6, num_epochs=2, shuffle=False).dequeue()
batch = tf.train.batch([example], batch_size=3)

with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    sess.run(tf.global_variables_initializer())
    sess.run(tf.local_variables_initializer())
    try:
        while not coord.should_stop():
            sess.run(batch)
    except tf.errors.OutOfRangeError:
        print("done")
    finally:
        coord.request_stop()
    coord.join(threads)
