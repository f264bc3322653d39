"""Runs TensorFlow 1.15's own tests of the queue world on queueio, on each engine.

    python -m tests.upstream CHECKOUT

CHECKOUT is a checkout of TensorFlow at v1.15.5, or a folder that has its test files where a
checkout has them; nothing of it is kept in this repository. Only the imports are adapted: what
upstream's tests take from TensorFlow's internal modules they get from `queueio.v1`.
"""
