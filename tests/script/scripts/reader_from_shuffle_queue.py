"""A reader reads from a RandomShuffleQueue of file names that the script fills itself."""
from __future__ import print_function

import tensorflow as tf

names = []
for i in range(4):
    names.append("part-%d.txt" % i)
    with open(names[-1], "w") as f:
        for j in range(3):
            f.write("%d%d\n" % (i, j))

filename_queue = tf.RandomShuffleQueue(capacity=16, min_after_dequeue=0, dtypes=[tf.string],
                                       shapes=[[]], name="filenames")
fill = filename_queue.enqueue_many([names])
close = filename_queue.close()
reader = tf.TextLineReader()
key, value = reader.read(filename_queue)
number = tf.string_to_number(value, out_type=tf.int32)
batch = tf.train.shuffle_batch([number], batch_size=5, capacity=30, min_after_dequeue=5,
                               allow_smaller_final_batch=True)
produced = reader.num_records_produced()
files_done = reader.num_work_units_completed()

with tf.Session() as sess:
    sess.run(fill)
    sess.run(close)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    values = []
    try:
        while True:
            values.extend(sess.run(batch).tolist())
    except tf.errors.OutOfRangeError:
        pass
    coord.request_stop()
    coord.join(threads)
    print(sorted(values))
    print(*sess.run([produced, files_done]))
