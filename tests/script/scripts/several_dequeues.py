"""Towers: each dequeues from the same queue within one step."""
from __future__ import print_function

import tensorflow as tf

NUM_TOWERS = 3
numbers = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([numbers], batch_size=2)
prefetch = tf.FIFOQueue(6, [tf.int32], shapes=[[2]], name="prefetch_queue")
enqueue = prefetch.enqueue([batch])
tf.train.add_queue_runner(tf.train.QueueRunner(prefetch, [enqueue] * 2))

towers = []
for i in range(NUM_TOWERS):
    with tf.name_scope("tower_%d" % i):
        towers.append(tf.reduce_sum(prefetch.dequeue()))
total = tf.add_n(towers)

with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    sums = [sess.run(total), sess.run(total)]
    print(sum(sums))
    try:
        sess.run(total)
    except tf.errors.OutOfRangeError:
        print("empty")
    coord.request_stop()
    coord.join(threads)
