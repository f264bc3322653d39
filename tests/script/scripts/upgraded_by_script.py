"""What the automatic upgrade left: tf.compat.v1 everywhere, and eager execution left on."""
from __future__ import print_function

import tensorflow as tf

with open("numbers.txt", "w") as f:
    f.write("".join("%d\n" % i for i in range(10)))

queue = tf.compat.v1.train.string_input_producer(["numbers.txt"], num_epochs=1, shuffle=False)
_, line = tf.compat.v1.TextLineReader().read(queue)
number = tf.strings.to_number(line, out_type=tf.int32)
batch = tf.compat.v1.train.batch([number], batch_size=5)
total = tf.reduce_sum(input_tensor=batch)
labels = tf.compat.v1.placeholder(tf.float32, [None, 2])
loss = tf.reduce_mean(input_tensor=tf.nn.softmax_cross_entropy_with_logits(
    labels=tf.stop_gradient(labels), logits=labels))
print(batch.shape[0], isinstance(loss, tf.Tensor))

with tf.compat.v1.Session() as sess:
    sess.run(tf.compat.v1.global_variables_initializer())
    sess.run(tf.compat.v1.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.compat.v1.train.start_queue_runners(sess=sess, coord=coord)
    print(sess.run(total), sess.run(total))
    coord.request_stop()
    coord.join(threads)
