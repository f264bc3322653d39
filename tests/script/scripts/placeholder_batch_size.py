"""The batch size is a placeholder, with a default for training."""
from __future__ import print_function

import numpy as np
import tensorflow as tf

images = np.arange(40, dtype=np.float32).reshape(10, 4)
labels = np.arange(10, dtype=np.int32)

batch_size = tf.placeholder_with_default(4, [], name="batch_size")
image, label = tf.train.slice_input_producer([images, labels], num_epochs=3, shuffle=False)
image_batch, label_batch = tf.train.batch([image, label], batch_size=batch_size, capacity=32)
print(image_batch.get_shape().as_list(), label_batch.get_shape().as_list())

init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
with tf.Session() as sess:
    sess.run(init)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        print(sess.run(label_batch))
        print(sess.run(label_batch, feed_dict={batch_size: 7}))
        x, y = sess.run([image_batch, label_batch], {batch_size: 2})
        print(x[:, 0], y)
        print(sess.run(label_batch, {"batch_size:0": 18}))
    except tf.errors.OutOfRangeError:
        print("no more")
    finally:
        coord.request_stop()
        coord.join(threads)
