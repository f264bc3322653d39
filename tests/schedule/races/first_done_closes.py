"""Each of two feeding threads closes the queue when it is done: the slower one loses its rest."""

import threading

import tensorflow as tf

queue = tf.FIFOQueue(20, [tf.int32], shapes=[[]])
value = tf.placeholder(tf.int32, [])
enqueue, close, dequeue = queue.enqueue(value), queue.close(), queue.dequeue()
sess = tf.Session()


def feed(numbers):
    try:
        for number in numbers:
            sess.run(enqueue, {value: number})
    except tf.errors.CancelledError:
        return
    sess.run(close)


for numbers in (range(0, 4), range(10, 14)):
    threading.Thread(target=feed, args=(numbers,)).start()
try:
    while True:
        sess.run(dequeue)
except tf.errors.OutOfRangeError:
    print("done")
