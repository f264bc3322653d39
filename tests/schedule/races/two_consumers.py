"""Trainer and evaluator take from one queue: who is faster takes the other's examples."""

import threading

import tensorflow as tf

example = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([example], batch_size=2, capacity=8)
step = tf.Variable(0)
train_op = tf.group(tf.assign_add(step, tf.reduce_sum(batch)))
accuracy = tf.reduce_mean(tf.cast(batch, tf.float32))

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)

    def evaluate():
        try:
            while not coord.should_stop():
                sess.run(accuracy)
        except tf.errors.OutOfRangeError:
            pass

    evaluator = threading.Thread(target=evaluate, name="evaluator")
    evaluator.start()
    try:
        while not coord.should_stop():
            sess.run(train_op)
    except tf.errors.OutOfRangeError:
        print("trained")
    evaluator.join()
    coord.request_stop()
    coord.join(threads)
