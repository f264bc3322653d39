"""The feeding thread asks all to stop when it has fed the last example, not when it was used."""

import threading

import tensorflow as tf

queue = tf.FIFOQueue(100, [tf.int32], shapes=[[]])
value = tf.placeholder(tf.int32, [])
enqueue = queue.enqueue(value)
dequeue = queue.dequeue()
coord = tf.train.Coordinator()
sess = tf.Session()


def feed():
    with coord.stop_on_exception():
        for number in range(9):
            sess.run(enqueue, {value: number})
        sess.run(queue.close())
        coord.request_stop()


feeder = threading.Thread(target=feed, name="feeder")
feeder.start()
total = 0
with coord.stop_on_exception():
    while not coord.should_stop():
        total += sess.run(dequeue)
coord.join([feeder])
print("total", total)
