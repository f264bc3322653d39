"""What `queueio.v1` adds to `tensorflow.compat.v1`, one concern a file.

caller.py        which line of the user's own code is asking
missing.py       names of TF 1.15 that cannot come back, each with what to use instead
aliases.py       names of TF 1.15 that only needed an alias or a few lines
legacy_keras.py  tf.keras, tf.layers and tf.nn.rnn_cell by way of the tf_keras package
namespace.py     modules that look names up in all of these
"""
