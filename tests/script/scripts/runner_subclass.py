"""A QueueRunner whose loop feeds a placeholder, as many data layers of the time did."""
from __future__ import print_function

import numpy as np
import tensorflow as tf


class FeedingQueueRunner(tf.train.QueueRunner):

    def __init__(self, queue, enqueue_ops, feeds, **kwargs):
        super(FeedingQueueRunner, self).__init__(queue, enqueue_ops, **kwargs)
        self._feeds = feeds
        self.finished = 0

    def _run(self, sess, enqueue_op, coord=None):
        if coord:
            coord.register_thread(__import__("threading").current_thread())
        decremented = False
        try:
            for feed in self._feeds():
                if coord and coord.should_stop():
                    break
                try:
                    sess.run(enqueue_op, feed_dict=feed)
                except self._queue_closed_exception_types:
                    break
            with self._lock:
                self._runs_per_session[sess] -= 1
                decremented = True
                self.finished += 1
                if self._runs_per_session[sess] == 0:
                    sess.run(self._close_op)
        except Exception as e:
            if coord:
                coord.request_stop(e)
            else:
                with self._lock:
                    self._exceptions_raised.append(e)
                raise
        finally:
            if not decremented:
                with self._lock:
                    self._runs_per_session[sess] -= 1


x = tf.placeholder(tf.float32, [2], name="x")
queue = tf.FIFOQueue(10, [tf.float32], shapes=[[2]], name="fed")
enqueue = queue.enqueue([x])


def feeds():
    for i in range(6):
        yield {x: np.full([2], i)}


runner = FeedingQueueRunner(queue, [enqueue, enqueue], feeds)
tf.train.add_queue_runner(runner)
print(isinstance(runner, tf.train.queue_runner.QueueRunner), runner._cancel_op.type)
batch = queue.dequeue_many(4)
total = tf.reduce_sum(batch)

with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    sums = [sess.run(total) for _ in range(3)]
    print("sum of all:", sum(sums))
    try:
        sess.run(total)
    except tf.errors.OutOfRangeError:
        print("queue is closed")
    coord.request_stop()
    coord.join(threads)
    print("runs finished:", runner.finished, "left:", runner._runs_per_session[sess],
          "errors:", runner.exceptions_raised)
