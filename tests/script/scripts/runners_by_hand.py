"""Reads the collection of queue runners, filters it, and runs the runners by hand."""
from __future__ import print_function

import tensorflow as tf

with open("names.txt", "w") as f:
    f.write("a\nb\nc\nd\n")

files = tf.train.string_input_producer(["names.txt"], num_epochs=2, shuffle=False)
_, line = tf.TextLineReader().read(files)
lines = tf.train.batch([line], batch_size=3, allow_smaller_final_batch=True)

runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
for qr in runners:
    print(qr.name, qr.queue.name, [op.type for op in qr.enqueue_ops],
          qr.close_op.type, qr.cancel_op.get_attr("cancel_pending_enqueues"))

producers = [qr for qr in runners if "input_producer" in qr.name]
batchers = [qr for qr in runners if qr not in producers]

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    # The producer by hand: one epoch's worth of names, no thread.
    sess.run(producers[0].enqueue_ops)
    print("names waiting:", sess.run(producers[0].queue.size()))
    sess.run(batchers[0].enqueue_ops[0])
    print("lines waiting:", sess.run(batchers[0].queue.size()))

    coord = tf.train.Coordinator()
    threads = []
    for qr in runners:
        threads.extend(qr.create_threads(sess, coord=coord, daemon=True, start=False))
    print(len(threads), "threads, started:", any(t.is_alive() for t in threads))
    for t in threads:
        t.start()
    seen = []
    try:
        while not coord.should_stop():
            got = sess.run(lines)
            seen.append(len(got))
    except tf.errors.OutOfRangeError:
        print("done")
    finally:
        coord.request_stop()
    coord.join(threads)
    print(seen, sum(seen))
