"""A logging thread asks for the step that is initialised after it was started."""

import tensorflow as tf

step = tf.train.get_or_create_global_step()
train_op = tf.assign_add(step, 1)

with tf.Session() as sess:
    coord = tf.train.Coordinator()
    logger = tf.train.LooperThread.loop(coord, 60, lambda: print("step", sess.run(step)))
    sess.run(tf.global_variables_initializer())
    for _ in range(10):
        sess.run(train_op)
    coord.request_stop()
    coord.join([logger])
