"""Batches in a queue of their own: which examples come together in one, the threads decide."""

import threading

import tensorflow as tf

examples = tf.FIFOQueue(40, [tf.int32], shapes=[[]])
value = tf.placeholder(tf.int32, [])
put = examples.enqueue(value)
batches = tf.FIFOQueue(40, [tf.int32], shapes=[[2]])
move = batches.enqueue(examples.dequeue_many(2))
batch = batches.dequeue()
sess = tf.Session()


def load(number):
    for _ in range(4):
        sess.run(put, {value: number})


def ahead():
    for _ in range(4):
        sess.run(move)


threads = [threading.Thread(target=load, args=(number,)) for number in (0, 1)]
threads.append(threading.Thread(target=ahead))
for thread in threads:
    thread.start()
for _ in range(4):
    sess.run(batch)
for thread in threads:
    thread.join()
