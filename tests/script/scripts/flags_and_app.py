"""Flags, app and logging by their old addresses; the value of main is the exit status."""
from __future__ import print_function

import sys

import tensorflow as tf
from tensorflow import app, flags, gfile, logging
from tensorflow.python.platform import app as platform_app
from tensorflow.python.platform import flags as platform_flags
from tensorflow.python.platform import gfile as platform_gfile
from tensorflow.python.platform import tf_logging

FLAGS = flags.FLAGS
flags.DEFINE_float("learning_rate", 0.01, "Learning rate.")
flags.DEFINE_integer("batch_size", 100, "Batch size.")
flags.DEFINE_boolean("fake_data", False, "No real data.")
tf.app.flags.DEFINE_string("data_dir", "data", "Where the data is.")


def main(argv):
    print("rest:", argv[1:])
    print(FLAGS.learning_rate, FLAGS.batch_size, FLAGS.fake_data, FLAGS.data_dir)
    print(sorted(k for k in FLAGS.__flags if k in ("batch_size", "data_dir")))
    print(FLAGS.flag_values_dict()["batch_size"])
    print(flags is platform_flags, tf.app.flags is flags, app.run is platform_app.run)
    logging.set_verbosity(logging.ERROR)
    print(tf_logging.get_verbosity() == tf.logging.ERROR)
    gfile.MakeDirs(FLAGS.data_dir)
    with gfile.FastGFile(FLAGS.data_dir + "/x.txt", "w") as f:
        f.write("hello")
    print(platform_gfile.Open(FLAGS.data_dir + "/x.txt").read())
    print(tf.gfile.Exists(FLAGS.data_dir), tf.gfile.ListDirectory(FLAGS.data_dir))
    print(bool(tf.__git_version__), bool(tf.VERSION), tf.compat.v1.Session is tf.Session)
    sys.stdout.flush()
    return 3


if __name__ == "__main__":
    tf.app.run()
