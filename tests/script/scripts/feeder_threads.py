"""Threads of the script's own fill a queue through a placeholder."""
from __future__ import print_function

import threading

import numpy as np
import tensorflow as tf


class DataLoader(object):

    def __init__(self, coord, n_items):
        self.coord = coord
        self.n_items = n_items
        self.sample = tf.placeholder(dtype=tf.float32, shape=None)
        self.queue = tf.PaddingFIFOQueue(8, ["float32"], shapes=[(None, 1)])
        self.enqueue = self.queue.enqueue([self.sample])
        self.threads = []

    def dequeue(self, n):
        return self.queue.dequeue_many(n)

    def thread_main(self, sess, first):
        i = first
        while not self.coord.should_stop():
            length = i % self.n_items + 1
            try:
                sess.run(self.enqueue, feed_dict={self.sample: np.ones((length, 1))})
            except tf.errors.CancelledError:
                return
            i += 2

    def start_threads(self, sess, n_threads=2):
        for i in range(n_threads):
            thread = threading.Thread(target=self.thread_main, args=(sess, i))
            thread.daemon = True
            thread.start()
            self.threads.append(thread)
        return self.threads


def main():
    coord = tf.train.Coordinator()
    loader = DataLoader(coord, 4)
    batch = loader.dequeue(4)
    print(batch.get_shape().as_list(), batch.get_shape()[0].value)
    sess = tf.Session()
    threads = loader.start_threads(sess)
    with coord.stop_on_exception():
        for step in range(5):
            value = sess.run(batch)
            # Padding makes each as long as the longest; every item is ones.
            assert value.shape[0] == 4 and value.shape[1] <= 4
    coord.request_stop()
    sess.run(loader.queue.close(cancel_pending_enqueues=True))
    coord.join(threads)
    print("alive:", [t for t in threads if t.is_alive()])


if __name__ == "__main__":
    main()
