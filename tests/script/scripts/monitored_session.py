"""MonitoredTrainingSession starts the runners and stops at the end of the input."""
from __future__ import print_function

import tensorflow as tf


class CountSteps(tf.train.SessionRunHook):

    def __init__(self):
        self.steps = 0

    def after_run(self, run_context, run_values):
        self.steps += 1


def inputs():
    with tf.name_scope("input"):
        value = tf.train.input_producer(tf.constant([1.0, 2.0, 3.0, 4.0]), num_epochs=4,
                                        shuffle=True).dequeue()
        return tf.train.shuffle_batch([value, value * 2], batch_size=4, num_threads=2,
                                      capacity=20, min_after_dequeue=8)


x, y = inputs()
w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
loss = tf.losses.mean_squared_error(y, w * x)
global_step = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss, global_step=global_step)
counter = CountSteps()
saved = []
with tf.train.MonitoredTrainingSession(hooks=[counter, tf.train.NanTensorHook(loss)]) as sess:
    while not sess.should_stop():
        _, step = sess.run([train_op, global_step])
        saved.append(int(step))
print(counter.steps, saved, [q.name for q in tf.get_collection("queue_runners")])
