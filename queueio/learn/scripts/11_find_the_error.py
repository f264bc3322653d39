"""Four rows, one of them broken. The script says that all went well."""

import tensorflow as tf

row = tf.train.input_producer(["1,2", "3,4", "5,x", "7,8"], num_epochs=1, shuffle=False).dequeue()
columns = tf.decode_csv(row, record_defaults=[[0], [0]])
batch = tf.train.batch(columns, batch_size=1)

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        while not coord.should_stop():
            print(sess.run(batch))
    except tf.errors.OutOfRangeError:
        print("all went well")
    coord.request_stop()
