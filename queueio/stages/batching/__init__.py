"""Examples in batches: tf.train's eight functions, composed from one implementation."""
