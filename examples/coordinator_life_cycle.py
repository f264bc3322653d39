"""The life of a coordinator: threads start, work, and stop, in three ways.

1. The input ends: the queues close, and the threads go home by themselves.
2. The trainer has had enough: `request_stop` tells the threads, `join` waits for them.
3. A thread fails: the coordinator stops the others, and `join` raises what went wrong.

Each way ends with the number of queue runner threads that are left. It should be nought.
"""

from __future__ import annotations

import threading

import tensorflow as tf

from queueio import train

tf1 = tf.compat.v1


def threads_alive() -> list[str]:
    """The names of the queue runners' threads, as anyone can see them in a stack dump."""
    names = (thread.name for thread in threading.enumerate())
    return sorted(name for name in names if name.startswith("QueueRunnerThread"))


def pipeline(texts: list[str], num_epochs: int | None) -> tf.Tensor:
    """Batches of two numbers, made from texts."""
    text = train.input_producer(texts, num_epochs=num_epochs, shuffle=False).dequeue()
    return train.batch([tf.strings.to_number(text)], batch_size=2)


def the_input_ends() -> None:
    with tf.Graph().as_default(), tf1.Session() as sess:
        numbers = pipeline(["1", "2", "3", "4"], num_epochs=1)
        sess.run(tf1.local_variables_initializer())
        print(f"before start_queue_runners: {len(threads_alive())} threads")
        coord = train.Coordinator()
        threads = train.start_queue_runners(sess=sess, coord=coord)
        print(f"after it: {len(threads)} threads, for two queues")
        for thread in threads:
            print(f"    {thread.name}")
        batches = 0
        try:
            while not coord.should_stop():
                sess.run(numbers)
                batches += 1
        except tf.errors.OutOfRangeError:
            print(f"the input ended after {batches} batches: sess.run raised OutOfRangeError")
        coord.request_stop()
        coord.join(threads)  # Nothing failed, so this raises nothing.
    print(f"threads left after the input ended: {len(threads_alive())}")


def the_trainer_stops() -> None:
    with tf.Graph().as_default(), tf1.Session() as sess:
        numbers = pipeline(["1", "2", "3", "4"], num_epochs=None)  # For ever.
        coord = train.Coordinator()
        threads = train.start_queue_runners(sess=sess, coord=coord)
        # A looper calls its function until the coordinator says stop; an interval of None means
        # at once. Here: five batches are enough.
        done: list[float] = []

        def take() -> None:
            done.append(float(sess.run(numbers).sum()))
            if len(done) == 5:
                coord.request_stop()

        train.LooperThread.loop(coord, None, target=take).join()
        print(f"asked to stop after {len(done)} batches; should_stop() is {coord.should_stop()}")
        coord.join(threads)
    print(f"threads left after the trainer stopped: {len(threads_alive())}")


def a_thread_fails() -> None:
    with tf.Graph().as_default(), tf1.Session() as sess:
        numbers = pipeline(["1", "2", "three", "4"], num_epochs=1)
        sess.run(tf1.local_variables_initializer())
        coord = train.Coordinator()
        threads = train.start_queue_runners(sess=sess, coord=coord)
        batches = 0
        try:
            while True:  # And not `while not coord.should_stop()`, to see what sess.run says.
                sess.run(numbers)
                batches += 1
        except tf.errors.OutOfRangeError as error:
            print(f"after {batches} batch, sess.run raised {type(error).__name__}")
            if error.__cause__:
                print(f"    because of {type(error.__cause__).__name__}")
        try:
            coord.join(threads)
        except tf.errors.InvalidArgumentError as error:
            print(f"join raised {type(error).__name__}: {error.message.splitlines()[0]}")
    print(f"threads left after a thread failed: {len(threads_alive())}")


if __name__ == "__main__":
    the_input_ends()
    the_trainer_stops()
    a_thread_fails()
