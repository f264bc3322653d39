"""A classifier of handwritten digits: an Estimator whose input functions are made of queues."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os
import tempfile

import tensorflow as tf

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data')
BATCH_SIZE = 50


def read(split, num_epochs):
    names = sorted(tf.gfile.Glob(os.path.join(DATA, 'digits-%s-*.csv' % split)))
    queue = tf.train.string_input_producer(names, num_epochs=num_epochs)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    columns = tf.decode_csv(line, record_defaults=[[0]] * 65)
    return tf.to_float(tf.stack(columns[1:])) / 16, columns[0]


def train_input_fn():
    image, label = read('train', num_epochs=20)
    images, labels = tf.train.shuffle_batch(
        [image, label], BATCH_SIZE, capacity=1000 + 3 * BATCH_SIZE, min_after_dequeue=1000,
        num_threads=2, allow_smaller_final_batch=True)
    return {'pixels': images}, labels


def test_input_fn():
    image, label = read('test', num_epochs=1)
    images, labels = tf.train.batch(
        [image, label], BATCH_SIZE, capacity=3 * BATCH_SIZE, allow_smaller_final_batch=True)
    return {'pixels': images}, labels


def model_fn(features, labels, mode, params):
    hidden = tf.layers.dense(features['pixels'], 32, activation=tf.nn.relu)
    logits = tf.layers.dense(hidden, 10)
    guesses = tf.argmax(logits, axis=1)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {'accuracy': tf.metrics.accuracy(labels, guesses)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    optimizer = tf.train.AdamOptimizer(params['learning_rate'])
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main(_):
    tf.logging.set_verbosity(tf.logging.ERROR)
    classifier = tf.estimator.Estimator(
        model_fn, model_dir=tempfile.mkdtemp(), params={'learning_rate': 0.01})
    classifier.train(train_input_fn)
    found = classifier.evaluate(test_input_fn)
    print('steps: %d' % found['global_step'])
    print('test accuracy: %.3f' % found['accuracy'])


if __name__ == '__main__':
    tf.app.run()
