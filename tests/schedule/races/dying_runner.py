"""A broken row kills the runner; what the trainer sees is the end of its data."""

import tensorflow as tf

rows = tf.train.input_producer(["1,2", "3,4", "5,x", "7,8"], num_epochs=1, shuffle=False)
first, second = tf.decode_csv(rows.dequeue(), [[0], [0]])
batch = tf.train.batch([first, second], batch_size=1)

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while not coord.should_stop():
            sess.run(batch)
    except tf.errors.OutOfRangeError:
        print("done")
    coord.request_stop()  # nobody joins: nobody is told
