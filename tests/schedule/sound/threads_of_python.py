"""A feeding thread, a Python queue between threads, a pool of workers, a logger with a timer."""

import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import tensorflow as tf

lines = queue.Queue(2)
value = tf.placeholder(tf.int32, [])
examples = tf.FIFOQueue(3, [tf.int32], shapes=[[]])
enqueue, close = examples.enqueue(value), examples.close()
batch = examples.dequeue_up_to(2)
double = value * 2


def read():
    for number in range(6):
        lines.put(number)
        time.sleep(60)
    lines.put(None)


def feed(sess):
    for number in iter(lines.get, None):
        sess.run(enqueue, {value: number})
    sess.run(close)


with tf.Session() as sess:
    coord = tf.train.Coordinator()
    logger = tf.train.LooperThread.loop(coord, 600, lambda: None)
    threading.Thread(target=read).start()
    threading.Thread(target=feed, args=(sess,)).start()
    with ThreadPoolExecutor(2) as pool:
        doubled = list(pool.map(lambda n: int(sess.run(double, {value: n})), range(4)))
    assert doubled == [0, 2, 4, 6]
    total = 0
    try:
        while True:
            total += sess.run(batch).sum()
    except tf.errors.OutOfRangeError:
        assert total == 15
    coord.request_stop()
    coord.join([logger], stop_grace_period_secs=7200)
