"""The same TF1 input function, per format, for TF 1.15, stock compat.v1 and queueio.

Python 3.7 reads this file too: real TF 1.15.5 runs it where `make bench-tf1` set it up.
"""

COLUMNS = 6
SIDE = 28
RECORD_BYTES = 1 + 32 * 32 * 3


def queue_input(tf, kind, files, threads, batch, epochs=None):
    """Builds the queue pipeline of a format; gives the tensors of a batch."""
    names = tf.train.string_input_producer(files, num_epochs=epochs, shuffle=True)
    tensors = {"csv": _csv, "tfrecord": _tfrecord, "fixed": _fixed}[kind](tf, names)
    return tf.train.shuffle_batch(
        tensors,
        batch,
        capacity=2000 + 3 * batch,
        min_after_dequeue=1000,
        num_threads=threads,
    )


def _csv(tf, names):
    _, line = tf.TextLineReader().read(names)
    columns = tf.decode_csv(line, [[0.0]] * (COLUMNS - 1) + [[0]])
    return [tf.stack(columns[:-1]), columns[-1]]


def _tfrecord(tf, names):
    _, record = tf.TFRecordReader().read(names)
    features = tf.parse_single_example(
        record,
        {
            "image": tf.FixedLenFeature([], tf.string),
            "label": tf.FixedLenFeature([], tf.int64),
        },
    )
    image = tf.reshape(tf.decode_raw(features["image"], tf.uint8), [SIDE * SIDE])
    return [tf.cast(image, tf.float32) * (1.0 / 255), features["label"]]


def _fixed(tf, names):
    _, record = tf.FixedLengthRecordReader(RECORD_BYTES).read(names)
    numbers = tf.reshape(tf.decode_raw(record, tf.uint8), [RECORD_BYTES])
    image = tf.reshape(tf.slice(numbers, [1], [RECORD_BYTES - 1]), [3, 32, 32])
    image = tf.cast(tf.transpose(image, [1, 2, 0]), tf.float32) * (1.0 / 255)
    return [image, tf.cast(tf.slice(numbers, [0], [1]), tf.int32)]
