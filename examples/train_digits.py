"""Softmax regression on handwritten digits, fed by input queues."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os
import time

import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS

HERE = os.path.dirname(os.path.abspath(__file__))
flags.DEFINE_string('data_dir', os.path.join(HERE, 'data'), 'Directory with the TFRecord files.')
flags.DEFINE_integer('num_epochs', 20, 'Number of epochs to train.')
flags.DEFINE_integer('batch_size', 50, 'Batch size.')
flags.DEFINE_float('learning_rate', 0.5, 'Learning rate.')

NUM_CLASSES = 10
NUM_PIXELS = 64


def read_and_decode(filename_queue):
    reader = tf.TFRecordReader()
    _, serialized_example = reader.read(filename_queue)
    features = tf.parse_single_example(
        serialized_example,
        features={
            'image': tf.FixedLenFeature([], tf.string),
            'label': tf.FixedLenFeature([], tf.int64),
        })
    image = tf.decode_raw(features['image'], tf.uint8)
    image.set_shape([NUM_PIXELS])
    # Pixels are counts from 0 to 16.
    image = tf.cast(image, tf.float32) * (1. / 16) - 0.5
    label = tf.cast(features['label'], tf.int32)
    return image, label


def inputs(split, num_epochs, batch_size):
    pattern = os.path.join(FLAGS.data_dir, 'digits-%s-*.tfrecord' % split)
    filenames = sorted(tf.gfile.Glob(pattern))
    with tf.name_scope('input_' + split):
        filename_queue = tf.train.string_input_producer(filenames, num_epochs=num_epochs)
        image, label = read_and_decode(filename_queue)
        if split == 'test':
            return tf.train.batch(
                [image, label], batch_size=batch_size, capacity=4 * batch_size,
                allow_smaller_final_batch=True)
        return tf.train.shuffle_batch(
            [image, label], batch_size=batch_size, num_threads=2,
            capacity=1000 + 3 * batch_size, min_after_dequeue=1000,
            allow_smaller_final_batch=True)


def inference(images, reuse=None):
    with tf.variable_scope('softmax', reuse=reuse):
        weights = tf.get_variable('weights', [NUM_PIXELS, NUM_CLASSES],
                                  initializer=tf.zeros_initializer())
        biases = tf.get_variable('biases', [NUM_CLASSES], initializer=tf.zeros_initializer())
    return tf.matmul(images, weights) + biases


def run_training():
    images, labels = inputs('train', FLAGS.num_epochs, FLAGS.batch_size)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=inference(images)))
    global_step = tf.Variable(0, name='global_step', trainable=False)
    train_op = tf.train.GradientDescentOptimizer(FLAGS.learning_rate).minimize(
        loss, global_step=global_step)

    test_images, test_labels = inputs('test', 1, FLAGS.batch_size)
    hits = tf.nn.in_top_k(inference(test_images, reuse=True), test_labels, 1)

    init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
    sess = tf.Session()
    sess.run(init_op)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)

    step = 0
    start_time = time.time()
    try:
        while not coord.should_stop():
            _, loss_value = sess.run([train_op, loss])
            if step % 100 == 0:
                print('step %d: loss = %.3f (%.1f sec)' % (
                    step, loss_value, time.time() - start_time))
            step += 1
    except tf.errors.OutOfRangeError:
        print('Done training for %d epochs, %d steps.' % (FLAGS.num_epochs, step))

    correct = total = 0
    try:
        while not coord.should_stop():
            batch_hits = sess.run(hits)
            correct += batch_hits.sum()
            total += batch_hits.size
    except tf.errors.OutOfRangeError:
        print('test accuracy: %.4f (%d of %d)' % (correct / total, correct, total))
    finally:
        coord.request_stop()

    coord.join(threads)
    sess.close()


def main(_):
    run_training()


if __name__ == '__main__':
    tf.app.run()
