"""A TF1 pipeline, as written in 2017: numbers.csv, read, parsed, batched."""

import os

import tensorflow as tf

tf = getattr(getattr(tf, "compat", None), "v1", tf)
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "numbers.csv")


def input_fn(num_epochs=1):
    names = tf.train.string_input_producer([FILE], num_epochs=num_epochs, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(names)
    number, root, word = tf.decode_csv(line, [[0], [0.0], [""]])
    columns = {"number": number, "root": root, "word": word}
    return tf.train.batch(columns, 8, allow_smaller_final_batch=True)


def shuffled(num_epochs=1):
    names = tf.train.string_input_producer([FILE], num_epochs=num_epochs, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(names)
    number, root, word = tf.decode_csv(line, [[0], [0.0], [""]])
    columns = {"number": number, "root": root, "word": word}
    return tf.train.shuffle_batch(columns, 8, 40, 20, allow_smaller_final_batch=True)
