"""The threads that fill queues: who starts them, what ends them, who asks them to stop.

start.py ─▶ queue_runner.py ─▶ thread.py, ends.py ─▶ coordinator.py
adopt.py    the same for TensorFlow's own runners and coordinators
"""
