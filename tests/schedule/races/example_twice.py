"""Two threads share out the work by a counter that they read and then raise."""

import threading

import tensorflow as tf

DATA = list(range(10, 16))
position = tf.Variable(0, name="position", trainable=False)
advance = tf.assign_add(position, 1)
value = tf.placeholder(tf.int32, [])
queue = tf.FIFOQueue(20, [tf.int32], shapes=[[]])
enqueue = queue.enqueue(value)
dequeue = queue.dequeue()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())

    def feed():
        while True:
            index = sess.run(position)
            if index >= len(DATA):
                return
            sess.run(advance)
            sess.run(enqueue, {value: DATA[index]})

    feeders = [threading.Thread(target=feed) for _ in range(2)]
    for feeder in feeders:
        feeder.start()
    for feeder in feeders:
        feeder.join()
    sess.run(queue.close())
    try:
        while True:
            sess.run(dequeue)
    except tf.errors.OutOfRangeError:
        print("done")
