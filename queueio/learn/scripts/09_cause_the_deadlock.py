"""Two workers need the tokens of both queues. The second one greets first, and is late."""

import threading

import tensorflow as tf

left = tf.FIFOQueue(1, tf.int32, shapes=[[]], name="left")
right = tf.FIFOQueue(1, tf.int32, shapes=[[]], name="right")
put = {"left": left.enqueue(1), "right": right.enqueue(1)}
take = {"left": left.dequeue(), "right": right.dequeue()}
hello = [tf.constant("Good"), tf.constant("morning")]
sess = tf.Session()
sess.run([put["left"], put["right"]])


def work(first, second, greeting):
    for word in greeting:
        sess.run(word)
    sess.run(take[first])
    sess.run(take[second])
    sess.run([put[first], put[second]])


one = threading.Thread(target=work, args=("left", "right", []), name="left-first")
two = threading.Thread(target=work, args=("right", "left", hello), name="right-first")
one.start()
two.start()
one.join()
two.join()
print("both are done")
