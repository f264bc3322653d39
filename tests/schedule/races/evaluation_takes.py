"""A monitor looks at the training queue by taking from it, as long as training goes on."""

import threading

import tensorflow as tf

example = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
queue = tf.FIFOQueue(8, [tf.int32], shapes=[[]])
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(example)]))
next_example = queue.dequeue()

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)

    def monitor():
        try:
            print("a sample:", sess.run(next_example))
        except tf.errors.OutOfRangeError:
            print("no sample")

    threads.append(threading.Thread(target=monitor, name="monitor"))
    threads[-1].start()
    seen = []
    try:
        while not coord.should_stop():
            seen.append(sess.run(next_example))
    except tf.errors.OutOfRangeError:
        coord.request_stop()
    coord.join(threads)
