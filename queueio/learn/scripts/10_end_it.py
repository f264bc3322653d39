"""Two batches are enough. The script prints them, and then it does not end."""

import tensorflow as tf

number = tf.train.range_input_producer(6, shuffle=False).dequeue()
batch = tf.train.batch([number], batch_size=3)

sess = tf.Session()
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess, coord)
print(sess.run(batch))
print(sess.run(batch))
coord.join(threads)
print("the end")
