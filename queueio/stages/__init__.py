"""The flow of data, from file names to batches; read it in this order.

    filenames/   which files (or numbers, or slices), in which order, how often
    readers/     records of those files, with their keys
    decoders/    tensors out of records
    queues/      where examples wait, are mixed, padded, joined, left out
    batching/    examples in batches: the eight functions of tf.train, written once

Each file is one stage: its docstring is the lesson that `queueio explain` prints, then its plan
node, its TF1 builder, how it is lifted from a graph, and what it becomes in tf.data. A stage
imports nothing that lies further down this list.
"""
