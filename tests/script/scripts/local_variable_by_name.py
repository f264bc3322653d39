"""The epoch counter is found among the local variables by name, and set."""
from __future__ import print_function

import tensorflow as tf

queue = tf.train.string_input_producer(["x", "y"], num_epochs=5, shuffle=False, name="files")
name = queue.dequeue()
found = [v for v in tf.local_variables() if v.op.name == "files/limit_epochs/epochs"]
epochs = found[0]
print(len(found), epochs.name, epochs.dtype.base_dtype.name, epochs.get_shape())
print(tf.GraphKeys.LOCAL_VARIABLES, len(tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES)))
print(tf.get_default_graph().get_tensor_by_name("files:0").dtype.base_dtype.name)
summaries = tf.get_collection(tf.GraphKeys.SUMMARIES)
print([s.op.name for s in summaries], tf.summary.merge_all().dtype.name)
reset = epochs.assign(3)

with tf.Session() as sess:
    sess.run(tf.initialize_all_variables())
    sess.run(tf.initialize_local_variables())
    sess.run(reset)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    seen = []
    try:
        while not coord.should_stop():
            seen.append(sess.run(name).decode())
    except tf.errors.OutOfRangeError as e:
        print("end of", coord.should_stop() and "input" or "queue")
    coord.request_stop()
    coord.join(threads, stop_grace_period_secs=5)
    print("".join(seen), sess.run(epochs))
