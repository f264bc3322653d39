"""A second initialiser, meant for metrics, sets the counter of epochs back to 0."""

import tensorflow as tf

example = tf.train.range_input_producer(4, num_epochs=2, shuffle=False).dequeue()
batch = tf.train.batch([example], batch_size=2, capacity=4)
total = tf.Variable(0, collections=[tf.GraphKeys.LOCAL_VARIABLES], name="total")
count_op = tf.assign_add(total, tf.reduce_sum(batch))

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    sess.run(tf.local_variables_initializer())  # the metrics begin at 0
    try:
        while not coord.should_stop():
            sess.run(count_op)
    except tf.errors.OutOfRangeError:
        print("done")
    finally:
        coord.request_stop()
    coord.join(threads)
