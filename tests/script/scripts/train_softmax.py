"""A small training job: fixed-length records, a softmax, summaries, checkpoints."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import numpy as np
import tensorflow as tf

LABEL_BYTES, IMAGE_BYTES = 1, 8
N = 60


def write_data(path):
    rng = np.random.RandomState(0)
    with open(path, "wb") as f:
        for i in range(N):
            label = i % 2
            image = rng.randint(0, 100, IMAGE_BYTES) + 150 * label
            f.write(np.array([label], np.uint8).tobytes() + image.astype(np.uint8).tobytes())


def read(filename_queue):
    class Record(object):
        pass
    result = Record()
    reader = tf.FixedLengthRecordReader(record_bytes=LABEL_BYTES + IMAGE_BYTES)
    result.key, value = reader.read(filename_queue)
    record = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.strided_slice(record, [0], [LABEL_BYTES]), tf.int32)
    result.label.set_shape([1])
    result.image = tf.cast(tf.strided_slice(record, [LABEL_BYTES], [LABEL_BYTES + IMAGE_BYTES]),
                           tf.float32) / 255.0
    result.image.set_shape([IMAGE_BYTES])
    return result


def inputs(path, batch_size):
    if not tf.gfile.Exists(path):
        raise ValueError("Failed to find file: " + path)
    queue = tf.train.string_input_producer([path], num_epochs=10)
    record = read(queue)
    images, labels = tf.train.shuffle_batch([record.image, record.label], batch_size=batch_size,
                                            num_threads=4, capacity=20 + 3 * batch_size,
                                            min_after_dequeue=20)
    return images, tf.reshape(labels, [batch_size])


def main(argv=None):
    write_data("train.bin")
    images, labels = inputs("train.bin", 12)
    with tf.variable_scope("softmax") as scope:
        w = tf.get_variable("w", [images.get_shape()[1].value, 2],
                            initializer=tf.truncated_normal_initializer(stddev=0.1, seed=1))
        b = tf.get_variable("b", [2], initializer=tf.constant_initializer(0.0))
        logits = tf.matmul(images, w, name=scope.name) + b
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
        logits=logits, labels=labels))
    tf.summary.scalar("loss", loss)
    correct = tf.reduce_sum(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.int32))
    step = tf.Variable(0, trainable=False, name="global_step")
    train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)
    saver = tf.train.Saver(tf.global_variables())
    init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
    merged = tf.summary.merge_all()

    sess = tf.Session(config=tf.ConfigProto(log_device_placement=False))
    sess.run(init)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    writer = tf.summary.FileWriter("logs", sess.graph)
    last = []
    try:
        while not coord.should_stop():
            _, right, summary = sess.run([train_op, correct, merged])
            writer.add_summary(summary, sess.run(step))
            last.append(right)
    except tf.errors.OutOfRangeError:
        print("Done training, %d steps" % sess.run(step))
    finally:
        coord.request_stop()
    coord.join(threads)
    saver.save(sess, os.path.join("logs", "model.ckpt"), global_step=step)
    print(sorted(v.op.name for v in tf.trainable_variables()))
    print("learned:", sum(last[-10:]) >= 110)
    print(os.path.basename(tf.train.latest_checkpoint("logs")))
    sess.close()


if __name__ == "__main__":
    tf.app.run()
