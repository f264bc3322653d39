"""A logger looks at batches of the trainer's queue. What it takes, the trainer does not get."""

import threading

import tensorflow as tf

number = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], batch_size=2)
loss = tf.reduce_sum(batch)

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()

    def log():
        with coord.stop_on_exception():
            while True:
                print("logger ", sess.run(batch))

    logger = threading.Thread(target=log, name="logger")
    logger.start()
    threads = tf.train.start_queue_runners(sess, coord)
    with coord.stop_on_exception():
        while True:
            print("trainer", sess.run(loss))
    coord.join([*threads, logger])
