"""Two threads move pairs between two queues, one of them in the opposite order."""

import threading

import tensorflow as tf

left = tf.FIFOQueue(1, tf.int32, shapes=[[]], name="left")
right = tf.FIFOQueue(1, tf.int32, shapes=[[]], name="right")
put = {"left": left.enqueue(1), "right": right.enqueue(1)}
take = {"left": left.dequeue(), "right": right.dequeue()}
sess = tf.Session()


def work(first, second):
    for _ in range(2):
        sess.run(put[first])
        sess.run(put[second])
        sess.run(take[second])
        sess.run(take[first])


workers = [
    threading.Thread(target=work, args=order) for order in (("left", "right"), ("right", "left"))
]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
