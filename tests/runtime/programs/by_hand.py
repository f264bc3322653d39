"""Queues that the program's own threads fill, and waits for them that never end."""

from __future__ import annotations

import threading
import time

import tensorflow as tf
from cases import case, main, v1
from tensorflow.python.ops import data_flow_ops  # Barrier has no public spelling

from queueio.runtime.threads.coordinator import Coordinator
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.threads.start import start_queue_runners


class Fed:
    """A queue of numbers, and the op that fills it through a placeholder."""

    def __init__(self, capacity=10, name="fed"):
        self.number = v1.placeholder(tf.int32, [])
        self.queue = v1.FIFOQueue(capacity, [tf.int32], shapes=[[]], name=name)
        self.enqueue, self.close = self.queue.enqueue(self.number), self.queue.close()

    def feed(self, sess, numbers, enqueue=None):
        for number in numbers:
            sess.run(self.enqueue if enqueue is None else enqueue, {self.number: number})


def started(target, *args):
    thread = threading.Thread(target=target, args=args, name="loader", daemon=True)
    thread.start()
    return thread


def error_of(function, *args):
    try:
        function(*args)
    except Exception as error:
        return error
    return None


@case
def a_close_behind_enqueues_that_wait_for_room():
    queue = v1.FIFOQueue(2, [tf.int32], shapes=[[]], name="small")
    runner, close = QueueRunner(queue, [queue.enqueue(1)]), queue.close()
    with v1.Session() as sess:
        runner.create_threads(sess, daemon=True, start=True)
        time.sleep(0.3)
        sess.run(close)


@case
def feeders_that_are_awaited_before_anything_is_taken():
    fed, errors = Fed(2), []
    with v1.Session() as sess:
        started(lambda: errors.append(error_of(fed.feed, sess, range(5)))).join()
    raise errors[0]


@case
def feeders_that_a_coordinator_awaits():
    """Only a warning: somebody may ask for the stop."""
    fed, coord = Fed(2, "awaited"), Coordinator()
    with v1.Session() as sess:
        loader = started(error_of, fed.feed, sess, range(5))
        coord.request_stop()
        coord.join([loader], stop_grace_period_secs=4, ignore_live_threads=True)


@case
def all_is_put_in_before_a_batch_is_taken():
    fed = Fed(2)
    v1.train.batch([fed.queue.dequeue()], 2, capacity=4, name="batches")
    with v1.Session() as sess:
        start_queue_runners(sess, Coordinator())
        fed.feed(sess, range(20))


@case
def a_queue_that_was_filled_in_another_session():
    fed = Fed()
    value = fed.queue.dequeue()
    with v1.Session() as other, v1.Session() as sess:
        fed.feed(other, range(3))
        sess.run(value)


@case
def a_feeder_that_failed():
    fed = Fed()
    value = fed.queue.dequeue_many(4)

    def load(sess):
        fed.feed(sess, range(5))
        raise OSError("gone.jpg")

    with v1.Session() as sess:
        started(load, sess)
        sess.run(value)
        sess.run(value)


@case
def a_feeder_that_told_its_own_coordinator():
    fed, coord = Fed(), Coordinator()
    value = fed.queue.dequeue()

    def load():
        with coord.stop_on_exception():
            raise OSError("lost.jpg")

    with v1.Session() as sess:
        started(load).join()
        sess.run(value)


@case
def a_feeder_that_failed_and_closed_its_queue():
    return closed_by_a_failure(lambda fed: fed.queue.dequeue_many(4))


@case
def a_feeder_that_failed_and_closed_the_queue_before_a_batch():
    return closed_by_a_failure(lambda fed: v1.train.batch([fed.queue.dequeue()], 4))


def closed_by_a_failure(batch):
    fed = Fed()
    value = batch(fed)

    def load(sess):
        try:
            fed.feed(sess, range(6))
            raise OSError("gone.jpg")
        finally:
            sess.run(fed.close)

    with v1.Session() as sess:
        start_queue_runners(sess, Coordinator())
        started(load, sess)
        sess.run(value)
        sess.run(value)


@case
def a_feeder_that_came_to_its_end():
    fed = Fed()
    value = fed.queue.dequeue_many(4)

    def load(sess):
        fed.feed(sess, range(6))
        sess.run(fed.close)

    with v1.Session() as sess:
        started(load, sess)
        sess.run(value)
        sess.run(value)


@case
def a_runner_that_closes_another_queue():
    queue = v1.FIFOQueue(10, [tf.int32], shapes=[[]], name="open")
    enqueue = queue.enqueue(v1.train.range_input_producer(3, num_epochs=1).dequeue())
    nothing = tf.no_op()
    v1.train.add_queue_runner(QueueRunner(queue, [enqueue], nothing, nothing))
    value = queue.dequeue()
    with v1.Session() as sess:
        sess.run(v1.local_variables_initializer())
        start_queue_runners(sess, Coordinator())
        for _ in range(4):
            sess.run(value)


@case
def two_that_wait_for_one_queue():
    fed, errors = Fed(), []
    value = fed.queue.dequeue()
    with v1.Session() as sess:
        other = started(lambda: errors.append(error_of(sess.run, value)))
        errors.append(error_of(sess.run, value))
        other.join()
    return sorted(type(error).__name__ for error in errors)


@case
def gradients_that_nobody_applies():
    gathered = v1.ConditionalAccumulator(tf.float32, shape=[], name="gathered")
    apply, take = gathered.apply_grad(1.0), gathered.take_grad(2)
    with v1.Session() as sess:
        sess.run(apply)
        sess.run(take)


@case
def a_barrier_whose_element_lacks_a_component():
    barrier = data_flow_ops.Barrier((tf.float32, tf.int32), shapes=((), ()), name="pairs")
    insert, take = barrier.insert_many(0, ["a"], [1.0]), barrier.take_many(1)
    with v1.Session() as sess:
        sess.run(insert)
        sess.run(take)


def slowly_fed(enqueue_of):
    fed = Fed()
    enqueue, value = enqueue_of(fed), fed.queue.dequeue_many(5)

    def load(sess):
        for number in range(5):
            time.sleep(0.7)
            fed.feed(sess, [number], enqueue)

    with v1.Session() as sess:
        started(load, sess)
        return sess.run(value).tolist()


@case
def a_slow_feeder_that_runs_a_group():
    return slowly_fed(lambda fed: tf.group(fed.enqueue))


@case
def a_slow_feeder_that_runs_its_op_by_name():
    return slowly_fed(lambda fed: {"fed": fed.enqueue.name})


@case
def a_slow_feeder_with_a_callable():
    queue = v1.FIFOQueue(10, [tf.int32], shapes=[[]], name="fed")
    enqueue, value = queue.enqueue(1), queue.dequeue_many(5)
    with v1.Session() as sess:
        run = sess.make_callable(enqueue)

        def load():
            for _ in range(5):
                time.sleep(0.7)
                run()

        started(load)
        return sess.run(value).tolist()


if __name__ == "__main__":
    main()
