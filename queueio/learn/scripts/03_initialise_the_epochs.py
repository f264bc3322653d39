"""The numbers 0 to 5 shall come once each. As it stands, no batch comes."""

import tensorflow as tf

number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number], batch_size=3)

with tf.Session() as sess:
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
