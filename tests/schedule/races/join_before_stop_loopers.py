"""The same with a thread that logs now and then: it turns for ever."""

import tensorflow as tf

step = tf.Variable(0, name="step")
train_op = tf.assign_add(step, 1)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    logger = tf.train.LooperThread.loop(coord, 30, lambda: print("step", sess.run(step)))
    for _ in range(10):
        sess.run(train_op)
    coord.join([logger])
    coord.request_stop()
