"""The handwritten digits as a slim dataset: PNG images in sharded TFRecord files."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import os

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim

_FILE_PATTERN = 'digits_%s_*.tfrecord'
_NUM_SHARDS = 2
_SPLITS_TO_SIZES = {'train': 1440, 'validation': 357}
_RANDOM_SEED = 0
NUM_CLASSES = 10
_ITEMS_TO_DESCRIPTIONS = {
    'image': 'An 8x8 grayscale image of one digit.',
    'label': 'The digit, from 0 to 9.',
}
_SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'data')


def get_split(split_name, dataset_dir, file_pattern=None, reader=None):
    if split_name not in _SPLITS_TO_SIZES:
        raise ValueError('split name %s was not recognized.' % split_name)
    if not file_pattern:
        file_pattern = _FILE_PATTERN
    file_pattern = os.path.join(dataset_dir, file_pattern % split_name)
    if reader is None:
        reader = tf.TFRecordReader

    keys_to_features = {
        'image/encoded': tf.FixedLenFeature((), tf.string, default_value=''),
        'image/format': tf.FixedLenFeature((), tf.string, default_value='png'),
        'image/class/label': tf.FixedLenFeature(
            [], tf.int64, default_value=tf.zeros([], dtype=tf.int64)),
    }
    items_to_handlers = {
        'image': slim.tfexample_decoder.Image(shape=[8, 8, 1], channels=1),
        'label': slim.tfexample_decoder.Tensor('image/class/label', shape=[]),
    }
    return slim.dataset.Dataset(
        data_sources=file_pattern,
        reader=reader,
        decoder=slim.tfexample_decoder.TFExampleDecoder(keys_to_features, items_to_handlers),
        num_samples=_SPLITS_TO_SIZES[split_name],
        items_to_descriptions=_ITEMS_TO_DESCRIPTIONS,
        num_classes=NUM_CLASSES,
        labels_to_names=None)


def _bytes_feature(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def _to_example(encoded, label):
    return tf.train.Example(features=tf.train.Features(feature={
        'image/encoded': _bytes_feature(encoded),
        'image/format': _bytes_feature(b'png'),
        'image/class/label': tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
    }))


def _records():
    """The rows of each split: a label and 64 pixels."""
    names = sorted(tf.gfile.Glob(os.path.join(_SOURCE, 'digits-*.bin')))
    rows = np.concatenate([np.fromfile(name, np.uint8).reshape([-1, 65]) for name in names])
    np.random.RandomState(_RANDOM_SEED).shuffle(rows)
    num_train = _SPLITS_TO_SIZES['train']
    return {'train': rows[:num_train], 'validation': rows[num_train:]}


def convert(dataset_dir):
    """Writes the TFRecord files, unless they are there."""
    if tf.gfile.Glob(os.path.join(dataset_dir, _FILE_PATTERN % '*')):
        return
    tf.gfile.MakeDirs(dataset_dir)
    with tf.Graph().as_default(), tf.Session() as sess:
        pixels = tf.placeholder(tf.uint8, [8, 8, 1])
        encoded = tf.image.encode_png(pixels)
        for split_name, split in _records().items():
            for shard, rows in enumerate(np.array_split(split, _NUM_SHARDS)):
                name = 'digits_%s_%d-of-%d.tfrecord' % (split_name, shard, _NUM_SHARDS)
                with tf.python_io.TFRecordWriter(os.path.join(dataset_dir, name)) as writer:
                    for row in rows:
                        png = sess.run(encoded, {pixels: row[1:].reshape([8, 8, 1]) * 15})
                        writer.write(_to_example(png, int(row[0])).SerializeToString())
