"""Two epochs, shuffled by two threads, trained by a MonitoredTrainingSession; a tail is dropped."""

import tensorflow as tf

example = tf.train.range_input_producer(7, num_epochs=2).dequeue()
noisy = tf.cast(example, tf.float32) + tf.random_uniform([])
batch = tf.train.shuffle_batch([example, noisy], 4, capacity=12, min_after_dequeue=4, num_threads=2)
step = tf.train.get_or_create_global_step()
train_op = tf.group(tf.assign_add(step, 1), *batch)

with tf.train.MonitoredTrainingSession() as sess:
    while not sess.should_stop():
        sess.run(train_op)
