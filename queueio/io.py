"""TF1's readers, decoders and queues, for use inside a graph."""

from __future__ import annotations

from queueio.stages.decoders.bytes import decode_base64, decode_compressed, parse_tensor
from queueio.stages.decoders.csv import decode_csv
from queueio.stages.decoders.example import (
    decode_json_example,
    parse_example,
    parse_sequence_example,
    parse_single_example,
    parse_single_sequence_example,
)
from queueio.stages.decoders.image import (
    decode_and_crop_jpeg,
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
)
from queueio.stages.decoders.raw import decode_raw
from queueio.stages.filenames.match import match_filenames_once
from queueio.stages.queues.fifo import FIFOQueue
from queueio.stages.queues.padding_fifo import PaddingFIFOQueue
from queueio.stages.queues.priority import PriorityQueue
from queueio.stages.queues.random_shuffle import RandomShuffleQueue
from queueio.stages.readers.fixed_length import FixedLengthRecordReader
from queueio.stages.readers.identity import IdentityReader
from queueio.stages.readers.lmdb import LMDBReader
from queueio.stages.readers.reader import ReaderBase
from queueio.stages.readers.text_line import TextLineReader
from queueio.stages.readers.tf_record import TFRecordReader
from queueio.stages.readers.whole_file import WholeFileReader

__all__ = [
    "FIFOQueue",
    "FixedLengthRecordReader",
    "IdentityReader",
    "LMDBReader",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "RandomShuffleQueue",
    "ReaderBase",
    "TFRecordReader",
    "TextLineReader",
    "WholeFileReader",
    "decode_and_crop_jpeg",
    "decode_base64",
    "decode_bmp",
    "decode_compressed",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_json_example",
    "decode_png",
    "decode_raw",
    "match_filenames_once",
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
]
