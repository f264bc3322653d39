"""Faults of many kinds, injected into running pipelines."""

from __future__ import annotations

import ctypes
import os
import struct
import threading
import time
from pathlib import Path

import numpy as np
import tensorflow as tf
from cases import case, main, v1

import queueio.forensics  # noqa: F401 - now, while root may still read it wherever it is
from queueio.runtime.threads.coordinator import Coordinator
from queueio.runtime.threads.queue_runner import QueueRunner
from queueio.runtime.threads.start import add_queue_runner, running, start_queue_runners

NOBODY = 65534


def reading(reader, *paths, decode=lambda value: value, batch_size=2, **options):
    files = v1.train.string_input_producer([str(p) for p in paths], shuffle=False, **options)
    return v1.train.batch([decode(reader.read(files)[1])], batch_size)


def until_it_ends(fetches, coord=None, after_first=lambda sess, coord: None):
    """Train on `fetches` until something happens; TF1's own idiom for ending."""
    with v1.Session() as sess:
        sess.run(v1.local_variables_initializer())
        coord = coord or Coordinator()
        threads = start_queue_runners(sess, coord)
        try:
            sess.run(fetches)
            after_first(sess, coord)
            while not coord.should_stop():
                sess.run(fetches)
        except tf.errors.OutOfRangeError:
            pass
        finally:
            coord.request_stop()
        coord.join(threads, stop_grace_period_secs=10)
    return "ended"


def kill(kind):
    """Raise `kind` inside the first enqueue thread, from outside."""

    def attack(sess, coord):
        (victim,) = [
            t for t in threading.enumerate() if t.name.endswith("batch/fifo_queue_enqueue")
        ]
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(victim.ident), ctypes.py_object(kind)
        )

    return attack


def endless():
    return v1.train.batch([v1.train.range_input_producer(100).dequeue()], 4)


class Killed(Exception):
    """What the killer throws."""


@case
def thread_killed_by_an_exception():
    until_it_ends(endless(), after_first=kill(Killed))


@case
def thread_killed_by_system_exit():
    until_it_ends(endless(), after_first=kill(SystemExit))


@case
def missing_file():
    until_it_ends(reading(v1.TextLineReader(), "missing.txt"))


@case
def directory_in_place_of_a_file():
    os.mkdir("directory.txt")
    until_it_ends(reading(v1.TextLineReader(), "directory.txt"))


@case
def file_that_may_not_be_read():
    """Permissions do not hold for root, who is somebody else for as long as this takes."""
    path = Path("locked.txt")
    path.write_text("line\n")
    path.chmod(0)
    os.chmod(".", 0o755)
    user = os.geteuid()
    os.seteuid(user or NOBODY)
    try:
        until_it_ends(reading(v1.TextLineReader(), path))
    finally:
        os.seteuid(user)


@case
def read_that_the_system_refuses():
    """Reading the first bytes of this file fails with EIO."""
    until_it_ends(reading(v1.TextLineReader(), "/proc/self/mem"))


@case
def file_deleted_before_its_turn():
    paths = [Path(f"part{i}.txt") for i in range(3)]
    for path in paths:
        path.write_text("line\n" * 100)

    def delete(sess, coord):
        paths[2].unlink()

    until_it_ends(reading(v1.TextLineReader(), *paths), after_first=delete)


def records(path, *payloads):
    with tf.io.TFRecordWriter(path) as writer:
        for payload in payloads:
            writer.write(payload)
    return Path(path)


@case
def record_file_cut_short():
    path = records("cut.tfrecord", b"x" * 50, b"y" * 50)
    path.write_bytes(path.read_bytes()[:-20])
    until_it_ends(reading(v1.TFRecordReader(), path, batch_size=1))


@case
def record_with_a_flipped_bit():
    path = records("flipped.tfrecord", b"x" * 50, b"y" * 50)
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(bytes(data))
    until_it_ends(reading(v1.TFRecordReader(), path, batch_size=1))


@case
def record_file_of_the_wrong_compression():
    path = records("plain.tfrecord", b"x" * 50)
    options = tf.io.TFRecordOptions(compression_type="ZLIB")
    with tf.io.TFRecordWriter(str(path), options) as writer:
        writer.write(b"x" * 50)
    until_it_ends(reading(v1.TFRecordReader(), path))


@case
def bad_row():
    Path("rows.csv").write_text("1\n2\n3\nfour\n")
    decode = lambda value: v1.decode_csv(value, [[0]])[0]  # noqa: E731
    until_it_ends(reading(v1.TextLineReader(), "rows.csv", decode=decode))


@case
def garbage_for_an_image():
    Path("image.jpg").write_bytes(b"\xff\xd8\xff" + b"garbage" * 10)

    def decode(value):
        return tf.reduce_sum(tf.image.decode_jpeg(value, channels=1))

    until_it_ends(reading(v1.WholeFileReader(), "image.jpg", decode=decode))


@case
def record_of_the_wrong_length():
    Path("short.txt").write_text("abcd\nabc\n")

    def decode(value):
        return tf.reshape(v1.decode_raw(value, tf.uint8), [4])

    until_it_ends(reading(v1.TextLineReader(), "short.txt", decode=decode, batch_size=1))


@case
def example_without_its_feature():
    example = tf.train.Example()
    records("examples.tfrecord", example.SerializeToString())

    def decode(value):
        return v1.parse_single_example(value, {"label": tf.io.FixedLenFeature([], tf.int64)})[
            "label"
        ]

    until_it_ends(reading(v1.TFRecordReader(), "examples.tfrecord", decode=decode))


@case
def python_function_that_raises():
    numbers = iter(range(10))

    def produce():
        number = next(numbers)
        if number == 6:
            raise ValueError("the seventh is broken")
        return np.int64(number)

    number = v1.py_func(produce, [], tf.int64)
    number.set_shape([])
    until_it_ends(v1.train.batch([number], 2))


@case
def empty_list_of_files():
    names = v1.placeholder_with_default(np.array([], dtype=object), [None])
    files = v1.train.string_input_producer(tf.cast(names, tf.string))
    until_it_ends(v1.train.batch([v1.TextLineReader().read(files)[1]], 2))


@case
def uninitialised_counter():
    batch = v1.train.batch([v1.train.range_input_producer(9, num_epochs=1).dequeue()], 2)
    with v1.Session() as sess, running(sess):
        sess.run(batch)


@case
def uninitialised_table():
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer([1], [2]), default_value=0
    )
    number = table.lookup(tf.cast(v1.train.range_input_producer(9).dequeue(), tf.int32))
    until_it_ends(v1.train.batch([number], 2))


@case
def session_closed_under_running_threads():
    batch, coord = endless(), Coordinator()
    sess = v1.Session()
    threads = start_queue_runners(sess, coord)
    sess.run(batch)
    sess.close()
    coord.join(threads, stop_grace_period_secs=10)


@case
def session_closed_under_running_threads_without_coordinator():
    batch = endless()
    sess = v1.Session()
    threads = start_queue_runners(sess)
    sess.run(batch)
    sess.close()
    for thread in threads:
        thread.join(10)
    return [thread.is_alive() for thread in threads]


@case
def session_closed_under_a_blocked_call():
    sess = v1.Session()
    threading.Timer(0.5, sess.close).start()
    sess.run(v1.FIFOQueue(3, [tf.int32], shapes=[[]]).dequeue())


@case
def queue_cancelled_by_somebody():
    queue = v1.FIFOQueue(3, [tf.int32], shapes=[[]])
    add_queue_runner(QueueRunner(queue, [queue.enqueue(1)]))
    cancel = queue.close(cancel_pending_enqueues=True)

    def attack(sess, coord):
        sess.run(cancel)
        coord.wait_for_stop(10)

    until_it_ends(queue.dequeue(), after_first=attack)


@case
def error_in_a_thread_of_the_users_own():
    def evaluate(sess, coord):
        def work():
            with coord.stop_on_exception():
                raise ArithmeticError("evaluation diverged")

        thread = threading.Thread(target=work)
        coord.register_thread(thread)
        thread.start()

    until_it_ends(endless(), after_first=evaluate)


@case
def feeder_that_dies():
    example = v1.placeholder(tf.int32, [])
    queue = v1.FIFOQueue(3, [tf.int32], shapes=[[]])
    enqueue, cancel = queue.enqueue(example), queue.close(cancel_pending_enqueues=True)
    coord = Coordinator()
    with v1.Session() as sess:

        def feed():
            try:
                sess.run(enqueue, {example: 1})
                raise OSError(28, "No space left on device")
            except OSError as error:
                coord.request_stop(error)
                sess.run(cancel)

        feeder = threading.Thread(target=feed)
        feeder.start()
        try:
            while True:
                sess.run(queue.dequeue())
        except tf.errors.OutOfRangeError:
            coord.join([feeder])


@case
def feeder_that_is_blocked_when_the_runner_has_come_to_its_end():
    """Its element is waiting in front of the close; TF1's stop cancels both."""
    source, queue = (v1.FIFOQueue(2, [tf.int32], shapes=[[]]) for _ in range(2))
    add_queue_runner(QueueRunner(queue, [queue.enqueue(source.dequeue())]))
    by_hand, close_source = queue.enqueue(7), source.close()
    errors = []
    coord = Coordinator()
    with v1.Session() as sess:

        def feed():
            try:
                while True:
                    sess.run(by_hand)
            except tf.errors.OpError as error:
                errors.append(error)

        sess.run(close_source)
        feeder = threading.Thread(target=feed)
        feeder.start()
        while sess.run(queue.size()) < 2:
            time.sleep(0.01)
        time.sleep(0.2)  # the third is in its enqueue
        threads = start_queue_runners(sess, coord)
        time.sleep(0.2)  # the runner has come to its end
        coord.request_stop()
        feeder.join(10)
        coord.join(threads, stop_grace_period_secs=10)
    raise errors[0]


@case
def two_stages_that_fail_at_once():
    """Both have begun before either fails: a stage that is late is cancelled instead."""
    together = threading.Barrier(2)
    for name in ("left", "right"):
        met = v1.py_func(lambda: together.wait(20) * 0, [], tf.int64, name=name)
        met.set_shape([])
        v1.train.batch([v1.div(met, met)], 2)
    coord = Coordinator()
    with v1.Session(config=v1.ConfigProto(inter_op_parallelism_threads=4)) as sess:
        coord.join(start_queue_runners(sess, coord), stop_grace_period_secs=10)


@case
def thread_that_does_not_end():
    """Reading a pipe that nobody writes cannot be cancelled."""
    os.mkfifo("pipe")
    batch = reading(v1.TextLineReader(), "pipe")
    threading.Timer(6.0, lambda: open("pipe", "w").close()).start()
    with v1.Session() as sess:
        coord = Coordinator()
        threads = start_queue_runners(sess, coord)
        time.sleep(0.5)
        coord.request_stop()
        try:
            coord.join(threads, stop_grace_period_secs=1)
        finally:
            assert batch is not None and struct
            for thread in threads:
                thread.join(10)


if __name__ == "__main__":
    main()
