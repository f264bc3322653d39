"""To load an example takes a second, to train on it a quarter of one. Time is virtual here."""

import threading
import time

import tensorflow as tf

LOADERS = 1

queue = tf.FIFOQueue(8, [tf.int32], shapes=[[]])
value = tf.placeholder(tf.int32, [])
put, example = queue.enqueue(value), queue.dequeue()
sess = tf.Session()
waiting = list(range(16))


def load():
    while waiting:
        number = waiting.pop()
        time.sleep(1)
        sess.run(put, {value: number})


for _ in range(LOADERS):
    threading.Thread(target=load).start()
for _ in range(16):
    sess.run(example)
    time.sleep(0.25)
