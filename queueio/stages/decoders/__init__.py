"""Tensors out of records: TensorFlow's own decoders, with their lessons."""
