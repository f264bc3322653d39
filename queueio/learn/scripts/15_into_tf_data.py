"""The last queues: the same batches shall come out of tf.data, with no queue and no thread."""

import tensorflow as tf

number = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([number * number], batch_size=3, allow_smaller_final_batch=True)

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while not coord.should_stop():
            print(sess.run(batch).tolist())
    except tf.errors.OutOfRangeError:
        pass
    finally:
        coord.request_stop()
    coord.join(threads)
