"""The feeding thread logs what happens to it and goes; the trainer waits for more."""

import logging
import threading

import numpy as np
import tensorflow as tf

queue = tf.FIFOQueue(10, [tf.float32], shapes=[[2]])
value = tf.placeholder(tf.float32, [2])
enqueue = queue.enqueue(value)
mean = tf.reduce_mean(queue.dequeue_many(2))
RECORDS = ["1 2", "3 4", "5 6", "seven 8", "9 10", "11 12"]


def feed(sess):
    try:
        for record in RECORDS:
            sess.run(enqueue, {value: np.array(record.split(), np.float32)})
    except Exception as error:
        logging.warning("feeding: %s", error)


with tf.Session() as sess:
    threading.Thread(target=feed, args=(sess,), name="feeder", daemon=True).start()
    for _ in range(len(RECORDS) // 2):
        sess.run(mean)
