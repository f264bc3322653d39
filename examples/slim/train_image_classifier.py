"""Trains a small network on handwritten digits, in the way of the slim model library."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os
import tempfile

import tensorflow as tf

import digits
import preprocessing

slim = tf.contrib.slim

_HOME = os.path.join(tempfile.gettempdir(), 'slim_digits')
tf.app.flags.DEFINE_string('dataset_dir', os.path.join(_HOME, 'data'), 'Where the TFRecords are.')
tf.app.flags.DEFINE_string('train_dir', os.path.join(_HOME, 'train'), 'Where to write to.')
tf.app.flags.DEFINE_string('dataset_split_name', 'train', 'The split to train on.')
tf.app.flags.DEFINE_integer('num_readers', 2, 'How many readers read in parallel.')
tf.app.flags.DEFINE_integer('num_preprocessing_threads', 2, 'How many threads make batches.')
tf.app.flags.DEFINE_integer('batch_size', 32, 'The number of samples in each batch.')
tf.app.flags.DEFINE_integer('max_number_of_steps', 400, 'How many steps to train.')
tf.app.flags.DEFINE_float('learning_rate', 0.01, 'Learning rate.')
tf.app.flags.DEFINE_float('weight_decay', 0.00004, 'The weight decay of the model.')
FLAGS = tf.app.flags.FLAGS


def network(images, num_classes):
    with slim.arg_scope([slim.conv2d, slim.fully_connected],
                        weights_regularizer=slim.l2_regularizer(FLAGS.weight_decay)):
        net = slim.conv2d(images, 16, [3, 3], scope='conv1')
        net = slim.max_pool2d(net, [2, 2], scope='pool1')
        net = slim.flatten(net)
        return slim.fully_connected(net, num_classes, activation_fn=None, scope='logits')


def inputs(num_epochs=None):
    """The queue of batches: images, and labels as one-hot vectors."""
    dataset = digits.get_split(FLAGS.dataset_split_name, FLAGS.dataset_dir)
    provider = slim.dataset_data_provider.DatasetDataProvider(
        dataset,
        num_readers=FLAGS.num_readers,
        common_queue_capacity=20 * FLAGS.batch_size,
        common_queue_min=10 * FLAGS.batch_size,
        num_epochs=num_epochs)
    image, label = provider.get(['image', 'label'])
    image = preprocessing.preprocess_image(image, 8, 8, is_training=True)
    images, labels = tf.train.batch(
        [image, label],
        batch_size=FLAGS.batch_size,
        num_threads=FLAGS.num_preprocessing_threads,
        capacity=5 * FLAGS.batch_size)
    labels = slim.one_hot_encoding(labels, dataset.num_classes)
    return slim.prefetch_queue.prefetch_queue([images, labels], capacity=2).dequeue()


def main(_):
    tf.logging.set_verbosity(tf.logging.ERROR)
    digits.convert(FLAGS.dataset_dir)
    with tf.Graph().as_default():
        global_step = slim.create_global_step()
        with tf.device('/cpu:0'):
            images, labels = inputs()

        logits = network(images, digits.NUM_CLASSES)
        slim.losses.softmax_cross_entropy(logits, labels, label_smoothing=0.01)
        total_loss = slim.losses.get_total_loss()
        hits = tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1))
        accuracy = tf.reduce_mean(tf.to_float(hits))
        tf.summary.scalar('losses/total_loss', total_loss)
        tf.summary.scalar('accuracy', accuracy)

        optimizer = tf.train.AdamOptimizer(FLAGS.learning_rate)
        train_op = slim.learning.create_train_op(total_loss, optimizer, global_step=global_step)
        loss = slim.learning.train(
            train_op,
            logdir=FLAGS.train_dir,
            number_of_steps=FLAGS.max_number_of_steps,
            log_every_n_steps=100,
            save_summaries_secs=0,
            save_interval_secs=600)
    print('loss after %d steps: %.3f' % (FLAGS.max_number_of_steps, loss))


if __name__ == '__main__':
    tf.app.run()
