"""Softmax regression on handwritten digits in CSV files, fed by input queues."""
from __future__ import print_function

import glob
import os

import numpy as np
import tensorflow as tf

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data')
PIXELS = 64


def inputs(num_epochs=20):
    names = sorted(glob.glob(os.path.join(DATA, 'digits-train-*.csv')))
    queue = tf.train.string_input_producer(names, num_epochs=num_epochs)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    columns = tf.decode_csv(line, record_defaults=[[0]] * (1 + PIXELS))
    image = tf.cast(tf.stack(columns[1:]), tf.float32) / 16
    return tf.train.shuffle_batch(
        [image, columns[0]], batch_size=50, capacity=1150, min_after_dequeue=1000,
        allow_smaller_final_batch=True)


def main():
    images, labels = inputs()
    logits = tf.matmul(images, tf.Variable(tf.zeros([PIXELS, 10])))
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

    sess = tf.Session()
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    steps = 0
    try:
        while not coord.should_stop():
            sess.run(train_op)
            steps += 1
    except tf.errors.OutOfRangeError:
        pass
    finally:
        coord.request_stop()
    coord.join(threads)

    test = np.loadtxt(os.path.join(DATA, 'digits-test-0-of-1.csv'), delimiter=',', skiprows=1)
    guesses = sess.run(logits, {images: test[:, 1:] / 16}).argmax(axis=1)
    print('steps: %d' % steps)
    print('test accuracy: %.3f' % np.mean(guesses == test[:, 0]))


if __name__ == '__main__':
    main()
