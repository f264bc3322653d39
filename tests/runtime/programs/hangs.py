"""The classic hangs. Under TF1 every one of these waits for ever in silence."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import tensorflow as tf
from cases import case, main, v1

from queueio.runtime.threads.coordinator import Coordinator
from queueio.runtime.threads.start import start_queue_runners


def numbers():
    return v1.train.range_input_producer(10, shuffle=False).dequeue()


def run(fetches, start=True, coord=None):
    with v1.Session() as sess:
        sess.run(v1.local_variables_initializer())
        if start:
            start_queue_runners(sess, coord)
        return sess.run(fetches)


@case
def runners_never_started():
    run(v1.train.batch([numbers()], 4), start=False)


@case
def runners_started_in_another_session():
    batch = v1.train.batch([numbers()], 4)
    with v1.Session() as other, v1.Session() as sess:
        coord = Coordinator()
        threads = start_queue_runners(other, coord)
        try:
            sess.run(batch)
        finally:
            coord.request_stop()
            coord.join(threads)


@case
def started_before_the_graph_was_complete():
    number = numbers()
    with v1.Session() as sess:
        start_queue_runners(sess, Coordinator())
        sess.run(v1.train.batch([number], 4))


@case
def threads_made_but_not_started():
    with v1.Session() as sess:
        batch = v1.train.batch([numbers()], 4)
        start_queue_runners(sess, start=False)
        sess.run(batch)


@case
def upstream_queue_that_nothing_fills():
    files = v1.FIFOQueue(10, [tf.string], shapes=[[]], name="files")
    _, line = v1.TextLineReader().read(files)
    run(v1.train.batch([line], 4), coord=Coordinator())


@case
def all_threads_died_without_coordinator():
    files = v1.train.string_input_producer(["/nowhere/data.csv"])
    _, line = v1.TextLineReader().read(files)
    run(v1.train.batch([line], 4))


def batch_in_a_branch(which):
    v1.disable_control_flow_v2()  # TF1 had none
    try:
        return v1.cond(
            which, lambda: v1.train.batch([numbers()], 4), lambda: tf.zeros([4], tf.int32)
        )
    finally:
        v1.enable_control_flow_v2()


@case
def a_batch_made_in_a_branch_of_a_cond():
    run(batch_in_a_branch(v1.placeholder_with_default(True, [])))


@case
def a_batch_made_in_a_branch_of_a_cond_that_is_fed():
    which = v1.placeholder(tf.bool, [])
    batch = batch_in_a_branch(which)
    with v1.Session() as sess:
        start_queue_runners(sess, Coordinator())
        sess.run(batch, {which: True})


@case
def placeholder_that_nobody_feeds():
    example = v1.placeholder(tf.float32, [2], name="example")
    queue = v1.FIFOQueue(10, [tf.float32], shapes=[[2]], name="fed")
    queue.enqueue(example)
    run(queue.dequeue_many(3))


@case
def a_monitored_session_that_writes_summaries():
    example = v1.placeholder(tf.float32, [2], name="example")
    queue = v1.FIFOQueue(10, [tf.float32], shapes=[[2]], name="fed")
    queue.enqueue(example)
    value = queue.dequeue()
    v1.train.get_or_create_global_step()
    with v1.train.MonitoredTrainingSession(checkpoint_dir="log") as sess:
        sess.run(value)


@case
def no_enqueue_at_all():
    run(v1.FIFOQueue(10, [tf.float32], shapes=[[2]], name="bare").dequeue())


@case
def enqueue_op_without_runner():
    queue = v1.FIFOQueue(10, [tf.int32], shapes=[[]], name="forgotten")
    queue.enqueue(numbers())
    run(queue.dequeue(), coord=Coordinator())


@case
def enqueue_past_capacity():
    queue = v1.FIFOQueue(2, [tf.float32], shapes=[[]], name="small")
    queue.dequeue()
    run(queue.enqueue_many([[1.0, 2.0, 3.0]]))


@case
def a_reader_read_directly_from_an_unfilled_queue():
    files = v1.train.string_input_producer(["data.csv"])
    run(v1.TextLineReader().read(files), start=False)


@case
def a_finalized_graph_with_a_hand_made_queue():
    queue = v1.FIFOQueue(10, [tf.int32], shapes=[[]], name="bare")
    value = queue.dequeue()
    v1.get_default_graph().finalize()
    run_finalized(value)


def run_finalized(value):
    with v1.Session() as sess:
        sess.run(value)


@case
def a_callable_made_by_the_session():
    batch = v1.train.batch([numbers()], 4)
    with v1.Session() as sess:
        sess.make_callable(batch)()


@case
def files_that_are_all_empty():
    """Every queue moves, and nothing ever comes of it."""
    for name in ("one.csv", "two.csv"):
        open(name, "w").close()
    files = v1.train.string_input_producer(["one.csv", "two.csv"])
    _, line = v1.TextLineReader().read(files)
    run(v1.train.batch([line], 4), coord=Coordinator())


@case
def a_feeder_that_died():
    example = v1.placeholder(tf.float32, [], name="example")
    queue = v1.FIFOQueue(10, [tf.float32], shapes=[[]], name="fed")
    enqueue, value = queue.enqueue(example), queue.dequeue()
    with v1.Session() as sess:
        feeder = threading.Thread(target=sess.run, args=(enqueue, {example: 1.0}))
        feeder.start()
        feeder.join()
        sess.run(value)
        sess.run(value)


@case
def a_condition_that_keeps_nothing_for_long():
    """Only a warning: it might become true."""
    number = v1.train.range_input_producer(100_000, shuffle=False).dequeue()
    return finished(v1.train.maybe_batch([number], number >= 30_000, 1))


@case
def all_threads_of_a_conditional_enqueue_died():
    files = v1.train.string_input_producer(["/nowhere/data.csv"])
    key, line = v1.TextLineReader().read(files)
    run(v1.train.maybe_batch([line], tf.not_equal(key, ""), 4))


def small(name, capacity=4):
    return v1.FIFOQueue(capacity, [tf.int32], shapes=[[]], name=name)


def filled_by(queue, *ops):
    v1.train.add_queue_runner(v1.train.QueueRunner(queue, list(ops)))


@case
def two_queues_that_wait_for_each_other():
    left, right = small("left"), small("right")
    filled_by(left, left.enqueue(right.dequeue()))
    filled_by(right, right.enqueue(left.dequeue()))
    run(right.dequeue(), coord=Coordinator())


@case
def a_queue_filled_from_itself():
    queue = small("ring")
    filled_by(queue, queue.enqueue(queue.dequeue()))
    run(queue.dequeue(), coord=Coordinator())


@case
def a_queue_beside_a_full_one_that_nobody_empties():
    number = numbers()
    images, labels = small("images", 2), small("labels", 100)
    filled_by(images, tf.group(images.enqueue(number), labels.enqueue(number)))
    run(labels.dequeue_many(8), coord=Coordinator())


@case
def a_priority_queue_that_holds_too_few():
    queue = v1.PriorityQueue(10, [tf.string], [[]], name="sorted")
    with v1.Session() as sess:
        sess.run(queue.enqueue_many(([3, 1, 2], ["c", "a", "b"])))
        sess.run(queue.dequeue_many(4))


@case
def a_priority_queue_with_too_little_room():
    queue = v1.PriorityQueue(3, [tf.int32], [[]], name="sorted")
    number = numbers()
    filled_by(queue, queue.enqueue((tf.cast(number, tf.int64), number)))
    run(queue.dequeue_many(5), coord=Coordinator())


@case
def a_queue_that_is_chosen_by_what_is_fed():
    queues = [small("training"), small("evaluation")]
    chosen = v1.placeholder(tf.int32, [])
    queue = v1.QueueBase.from_list(chosen, queues)
    with v1.Session() as sess:
        sess.run(queues[0].enqueue(7))
        sess.run(queue.dequeue(), {chosen: 1})


@case
def a_slow_op_that_fills_two_queues_is_not_accused():
    number = v1.py_func(lambda: (time.sleep(0.8), np.int32(5))[1], [], tf.int32)
    number.set_shape([])
    images, labels = small("images"), small("labels")
    filled_by(images, tf.group(images.enqueue(number), labels.enqueue(number)))
    return finished([images.dequeue(), labels.dequeue()])


@case
def an_element_that_goes_round_slowly_is_not_accused():
    queue = small("ring")
    slow = v1.py_func(lambda n: (time.sleep(0.9), n)[1], [queue.dequeue()], tf.int32)
    slow.set_shape([])
    filled_by(queue, queue.enqueue(slow))
    taken = queue.dequeue()
    coord = Coordinator()
    with v1.Session() as sess:
        sess.run(queue.enqueue(7))
        threads = start_queue_runners(sess, coord)
        time.sleep(0.2)  # the runner has taken it
        value = int(sess.run(taken))
        coord.request_stop()
        coord.join(threads)
    return value


@case
def a_join_that_nobody_asked_to_stop():
    coord = Coordinator()
    batch = v1.train.batch([numbers()], 4)
    with v1.Session() as sess:
        threads = start_queue_runners(sess, coord)
        sess.run(batch)
        coord.join(threads)


@case
def a_join_beside_a_thread_that_trains():
    coord = Coordinator()
    batch, taken = v1.train.batch([numbers()], 4), []
    with v1.Session() as sess:

        def train():
            for _ in range(2):
                taken.append(len(sess.run(batch)))
                time.sleep(0.8)
            coord.request_stop()

        threads = start_queue_runners(sess, coord)
        threading.Thread(target=train).start()
        coord.join(threads)
    return taken


@case
def a_join_with_threads_whose_input_is_slow():
    coord = Coordinator()
    limited = v1.train.limit_epochs(tf.constant(7), num_epochs=2)
    slow = v1.py_func(lambda n: (time.sleep(0.8), n)[1], [limited], tf.int32)
    slow.set_shape([])
    queue = small("few")
    filled_by(queue, queue.enqueue(slow))
    with v1.Session() as sess:
        sess.run(v1.local_variables_initializer())
        coord.join(start_queue_runners(sess, coord))
        return int(sess.run(queue.size()))


@case
def batch_and_min_after_dequeue_above_capacity_deliver():
    """Feared, but no hang: a dequeue takes what there is and waits for the rest."""
    batch = v1.train.shuffle_batch([numbers()], 8, capacity=10, min_after_dequeue=9)
    coord = Coordinator()
    with v1.Session() as sess:
        threads = start_queue_runners(sess, coord)
        size = len(sess.run(batch))
        coord.request_stop()
        coord.join(threads)
    return size


@case
def a_slow_producer_is_not_accused():
    def slow():
        time.sleep(0.3)
        return np.int32(1)

    number = v1.py_func(slow, [], tf.int32)
    number.set_shape([])
    return finished(v1.train.batch([number], 4))


@case
def a_slow_step_beside_a_full_queue_is_not_accused():
    return finished(v1.py_func(lambda n: (time.sleep(2), n)[1], [numbers()], tf.int32))


@case
def a_slow_feeder_of_ones_own_is_not_accused():
    example = v1.placeholder(tf.int32, [])
    queue = v1.FIFOQueue(10, [tf.int32], shapes=[[]])
    enqueue, batch = queue.enqueue(example), queue.dequeue_many(4)
    with v1.Session() as sess:

        def feed():
            for number in range(4):
                time.sleep(0.3)
                sess.run(enqueue, {example: number})

        feeder = threading.Thread(target=feed)
        feeder.start()
        value = sess.run(batch).tolist()
        feeder.join()
    return value


def finished(fetches):
    coord = Coordinator()
    with v1.Session() as sess:
        threads = start_queue_runners(sess, coord)
        value = np.asarray(sess.run(fetches)).tolist()
        coord.request_stop()
        coord.join(threads)
    return value


@case
def a_pipe_that_nobody_writes():
    """Only a warning: it could be slow. The writer comes after it."""
    os.mkfifo("pipe")
    files = v1.train.string_input_producer(["pipe"], num_epochs=1)
    _, line = v1.TextLineReader().read(files)
    batch = v1.train.batch([line], 2)
    threading.Timer(3.0, lambda: open("pipe", "w").write("a\nb\n")).start()  # noqa: SIM115
    run(batch, coord=Coordinator())


@case
def a_pool_of_threads_that_are_all_blocked():
    """Only a warning: it ends when the function does."""

    def block():
        time.sleep(8)
        return np.int32(1)

    number = v1.py_func(block, [], tf.int32)
    number.set_shape([])
    batch = v1.train.batch([number], 1)
    one = v1.ConfigProto(inter_op_parallelism_threads=1, use_per_session_threads=True)
    with v1.Session(config=one) as sess:
        coord = Coordinator()
        threads = start_queue_runners(sess, coord)
        value = sess.run(batch).tolist()
        coord.request_stop()
        coord.join(threads)
    return value


@case
def a_pool_of_threads_that_all_compute():
    """The session cannot answer, but it is at work."""

    def compute():
        end = time.monotonic() + 4
        while time.monotonic() < end:
            pass
        return np.int32(1)

    one = v1.ConfigProto(inter_op_parallelism_threads=1, use_per_session_threads=True)
    batch = v1.train.batch([numbers()], 1)
    with v1.Session(config=one) as sess:
        coord = Coordinator()
        threads = start_queue_runners(sess, coord)
        with tf.control_dependencies([batch]):
            step = v1.py_func(compute, [], tf.int32)
        value = int(sess.run(step))
        coord.request_stop()
        coord.join(threads)
    return value


@case
def a_queue_that_another_task_of_the_cluster_fills():
    """Only a warning: nothing in this graph fills it, and it is not this task's to fill."""
    server = v1.train.Server.create_local_server()
    queue = v1.FIFOQueue(10, [tf.int32], shapes=[[]], shared_name="tokens")
    value = queue.dequeue()

    def other_task():
        time.sleep(3)
        with tf.Graph().as_default(), v1.Session(server.target) as sess:
            sess.run(v1.FIFOQueue(10, [tf.int32], shapes=[[]], shared_name="tokens").enqueue(7))

    threading.Thread(target=other_task).start()
    with v1.Session(server.target) as sess:
        return int(sess.run(value))


if __name__ == "__main__":
    main()
