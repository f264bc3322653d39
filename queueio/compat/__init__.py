"""What `queueio.v1` adds to `tensorflow.compat.v1`, one concern a file.

importing.py     who gets the drop-in and who the real TensorFlow, by the file that asks
caller.py        which line of the user's own code is asking
missing.py       names of TF 1.15 that cannot come back, each with what to use instead
contrib.py       where the parts of tf.contrib went
contrib_files.py the files of tf.contrib from which scripts import
aliases.py       names of TF 1.15 that only needed an alias or a few lines
legacy_keras.py  tf.keras, tf.layers and tf.nn.rnn_cell by way of the tf_keras package
same_names.py    behaviour, FLAGS and the local server, as TF1 had them
own.py           which names are queueio's own, and where they appear
internals.py     tensorflow.python.… with queueio's names where they match
namespace.py     modules that look names up in all of these
"""
