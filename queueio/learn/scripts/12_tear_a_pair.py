"""Picture n belongs to label n. Two loaders fill a queue of pictures and a queue of labels."""

import threading

import tensorflow as tf

pictures = tf.FIFOQueue(10, [tf.int32], shapes=[[]], name="pictures")
labels = tf.FIFOQueue(10, [tf.int32], shapes=[[]], name="labels")
value = tf.placeholder(tf.int32, [])
put_picture, put_label = pictures.enqueue(value), labels.enqueue(value)
pair = [pictures.dequeue(), labels.dequeue()]
sess = tf.Session()


def load(number):
    sess.run(put_picture, {value: number})
    sess.run(put_label, {value: number})


one = threading.Thread(target=load, args=(1,), name="loader-1")
two = threading.Thread(target=load, args=(2,), name="loader-2")
one.start()
two.start()
print("picture and label:", sess.run(pair))
print("picture and label:", sess.run(pair))
one.join()
two.join()
