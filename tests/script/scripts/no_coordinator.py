"""start_queue_runners without a coordinator, in an interactive session, as tutorials did."""
from __future__ import print_function

import tensorflow as tf

with open("iris.csv", "w") as f:
    for i in range(9):
        f.write("%.1f,%.1f,%s\n" % (i, i / 2.0, "abc"[i % 3]))

filename_queue = tf.train.string_input_producer(["iris.csv"], shuffle=False)
reader = tf.TextLineReader(skip_header_lines=1)
key, value = reader.read(filename_queue)
a, b, name = tf.decode_csv(value, record_defaults=[[0.0], [0.0], [""]])
features = tf.stack([a, b])
x, y = tf.train.batch([features, name], batch_size=4)
print(x.get_shape(), y.get_shape(), x.op.type)

sess = tf.InteractiveSession()
tf.global_variables_initializer().run()
threads = tf.train.start_queue_runners()
print(len(threads), sorted(t.name.split("-")[0] for t in threads))
for _ in range(3):
    xs, ys = sess.run([x, y])
    print(xs.tolist(), [s.decode() for s in ys])
print(key.eval().decode().split(":")[0])
sess.close()
