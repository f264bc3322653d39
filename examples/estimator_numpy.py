"""A classifier of handwritten digits: an Estimator, fed with NumPy arrays."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import glob
import os
import tempfile

import numpy as np
import tensorflow as tf

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data')


def load(split):
    names = sorted(glob.glob(os.path.join(DATA, 'digits-%s-*.bin' % split)))
    rows = np.concatenate([np.fromfile(name, np.uint8).reshape([-1, 65]) for name in names])
    return rows[:, 1:].astype(np.float32) / 16, rows[:, 0].astype(np.int32)


def model_fn(features, labels, mode, params):
    hidden = tf.layers.dense(features['pixels'], 32, activation=tf.nn.relu)
    logits = tf.layers.dense(hidden, 10)
    guesses = tf.argmax(logits, axis=1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={'digit': guesses})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {'accuracy': tf.metrics.accuracy(labels, guesses)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    optimizer = tf.train.AdamOptimizer(params['learning_rate'])
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def main(_):
    tf.logging.set_verbosity(tf.logging.ERROR)
    train_images, train_labels = load('train')
    test_images, test_labels = load('test')

    classifier = tf.estimator.Estimator(
        model_fn, model_dir=tempfile.mkdtemp(), params={'learning_rate': 0.01})

    train_input_fn = tf.estimator.inputs.numpy_input_fn(
        x={'pixels': train_images}, y=train_labels, batch_size=50, num_epochs=20, shuffle=True)
    classifier.train(train_input_fn)

    test_input_fn = tf.estimator.inputs.numpy_input_fn(
        x={'pixels': test_images}, y=test_labels, batch_size=50, num_epochs=1, shuffle=False)
    found = classifier.evaluate(test_input_fn)
    print('steps: %d' % found['global_step'])
    print('test accuracy: %.3f' % found['accuracy'])

    guesses = [guess['digit'] for guess in classifier.predict(test_input_fn)]
    print('predictions: %d' % len(guesses))
    print('of them right: %.3f' % np.mean(guesses == test_labels))


if __name__ == '__main__':
    tf.app.run()
