"""Ten numbers, in batches of four."""

import tensorflow as tf

number = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], batch_size=4)

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
