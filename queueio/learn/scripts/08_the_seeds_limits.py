"""Everything that draws has a seed. Is the order of the examples fixed, then?"""

import tensorflow as tf

tf.set_random_seed(1)
number = tf.train.range_input_producer(12, num_epochs=1, shuffle=True, seed=2).dequeue()
batch = tf.train.shuffle_batch([number], 2, capacity=8, min_after_dequeue=2, seed=3)

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while not coord.should_stop():
            print(sess.run(batch))
    except tf.errors.OutOfRangeError:
        print("the end of the input")
    finally:
        coord.request_stop()
    coord.join(threads)
