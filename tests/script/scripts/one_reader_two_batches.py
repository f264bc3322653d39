"""One reader's output goes into two batch queues; together they see every record once."""
from __future__ import print_function

import tensorflow as tf

writer = tf.python_io.TFRecordWriter("data.tfrecords")
for i in range(12):
    example = tf.train.Example(features=tf.train.Features(feature={
        "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
        "raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[bytes(bytearray([i, i]))])),
    }))
    writer.write(example.SerializeToString())
writer.close()

queue = tf.train.string_input_producer(["data.tfrecords"], num_epochs=1)
_, serialized = tf.TFRecordReader().read(queue)
features = tf.parse_single_example(serialized, features={
    "id": tf.FixedLenFeature([], tf.int64),
    "raw": tf.FixedLenFeature([], tf.string),
})
raw = tf.decode_raw(features["raw"], tf.uint8)
raw.set_shape([2])
first_id, first_raw = tf.train.batch([features["id"], raw], batch_size=2,
                                     allow_smaller_final_batch=True, name="first")
second = tf.train.batch({"id": features["id"]}, batch_size=2, allow_smaller_final_batch=True,
                        name="second")
print(first_id.name, first_raw.name, second["id"].name)
print([v.op.name for v in tf.local_variables()])
print(sorted(op.name for op in tf.get_default_graph().get_operations()
             if op.type.startswith("FIFOQueue")))

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    ids = []
    for fetch in (first_id, second["id"]):
        try:
            while True:
                ids.extend(sess.run(fetch).tolist())
        except tf.errors.OutOfRangeError:
            pass
    print(sorted(ids))
    coord.request_stop()
    coord.join(threads)
