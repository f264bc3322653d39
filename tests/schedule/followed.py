"""A script whose elements can be told apart: line n of each file holds n - 1 and its square.

With an argument, it waits for a file of that name before it begins.
"""

import os
import sys
import time

import tensorflow as tf

while sys.argv[1:] and not os.path.exists(sys.argv[1]):
    time.sleep(0.01)

names = ["a.csv", "b.csv", "c.csv"]
for name in names:
    with open(name, "w") as file:
        file.write("".join(f"{i},{i * i}\n" for i in range(7)))

files = tf.train.string_input_producer(names, num_epochs=2, shuffle=True, seed=1)
key, line = tf.TextLineReader().read(files)
number, square = tf.decode_csv(line, [[0], [0]])
batch = tf.train.shuffle_batch(
    [number, square], 4, capacity=16, min_after_dequeue=6, num_threads=2,
    allow_smaller_final_batch=True,
)  # fmt: skip
total = tf.reduce_sum(batch[1])
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while not coord.should_stop():
            sess.run(total)
    except tf.errors.OutOfRangeError:
        print("done")
    finally:
        coord.request_stop()
    coord.join(threads)
