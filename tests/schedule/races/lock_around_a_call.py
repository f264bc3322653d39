"""A lock is held around a call that waits for whoever wants the lock."""

import threading

import tensorflow as tf

queue = tf.FIFOQueue(2, [tf.int32], shapes=[[]])
enqueue, dequeue = queue.enqueue(1), queue.dequeue()
lock = threading.Lock()
served = []
sess = tf.Session()


def feed():
    for _ in range(6):
        with lock:
            served.append("put")
            sess.run(enqueue)


feeder = threading.Thread(target=feed, name="feeder")
feeder.start()
for _ in range(6):
    with lock:
        served.append("take")
    sess.run(dequeue)
feeder.join()
