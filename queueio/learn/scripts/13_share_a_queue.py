"""Two workers shall share the numbers 0 to 7. As it stands, each of them gets all."""

import threading
import time

import tensorflow as tf


def pipeline():
    number = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
    return tf.train.batch([number], batch_size=1)


batches = [pipeline(), pipeline()]

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)

    def work(name, batch):
        with coord.stop_on_exception():
            while True:
                print(name, sess.run(batch))
                time.sleep(1)  # training takes a second, of virtual time

    workers = [
        threading.Thread(target=work, args=("one", batches[0]), name="worker-1"),
        threading.Thread(target=work, args=("two", batches[1]), name="worker-2"),
    ]
    for worker in workers:
        worker.start()
    coord.join(threads + workers)
