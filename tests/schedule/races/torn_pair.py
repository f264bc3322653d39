"""Pictures and labels have a queue each, and two threads fill both: the order is chance's."""

import threading

import numpy as np
import tensorflow as tf

images = tf.FIFOQueue(10, [tf.float32], shapes=[[3]], name="images")
labels = tf.FIFOQueue(10, [tf.int32], shapes=[[]], name="labels")
image, label = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.int32, [])
put_image, put_label = images.enqueue(image), labels.enqueue(label)
pair = [images.dequeue(), labels.dequeue()]
sess = tf.Session()


def load(numbers):
    for number in numbers:
        sess.run(put_image, {image: np.full(3, number)})
        sess.run(put_label, {label: number})


loaders = [threading.Thread(target=load, args=(range(start, 8, 2),)) for start in (0, 1)]
for loader in loaders:
    loader.start()
for _ in range(8):
    picture, number = sess.run(pair)
for loader in loaders:
    loader.join()
